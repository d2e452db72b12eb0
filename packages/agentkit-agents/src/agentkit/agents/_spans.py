"""Spans that cannot hurt a run: a trace is not ours, and nothing it raises gets through."""

from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

__all__ = ["QuietSpan", "span"]


class QuietSpan:
    """A span whose every method is safe to call; without one underneath it does nothing."""

    def __init__(self, inner: Any = None) -> None:
        self._inner = inner

    def set(self, key: str, value: Any) -> None:
        """Set an attribute, if there is a span."""
        if self._inner is None:
            return
        with suppress(Exception):  # see the module's docstring
            self._inner.set(key, value)


@contextmanager
def span(ctx: Any, name: str, kind: str, **attrs: Any) -> Generator[QuietSpan, None, None]:
    """Open the span *name* around a block; the block's own errors leave as they are."""
    closing = ExitStack()
    inner: Any = None
    with suppress(Exception):  # see the module's docstring
        inner = closing.enter_context(ctx.trace.span(name, kind, **attrs))
    try:
        yield QuietSpan(inner)
    except BaseException as exc:
        with suppress(Exception):
            closing.__exit__(type(exc), exc, exc.__traceback__)
        raise
    with suppress(Exception):
        closing.close()
