"""A span whose failures stay in it."""

import logging
from asyncio import CancelledError
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from typing import Any

from agentkit.core.contracts.observation import Span, TracePort
from agentkit.core.telemetry._noop import NoopSpan

__all__ = ["guarded_span"]

_LOG = logging.getLogger(__name__)


@contextmanager
def guarded_span(
    trace: TracePort, name: str, kind: str, **attrs: Any
) -> Generator[Span, None, None]:
    """Open a span that never hurts what it traces.

    A tracer that raises, on opening, on an attribute or on closing, is logged once in a process and
    the work goes on untraced. An error inside marks the span and leaves as it came, whatever the
    tracer makes of it; being closed early or cancelled is no error.
    """
    manager, span = _opened(lambda: trace.span(name, kind, **attrs))
    try:
        yield _GuardedSpan(span)
    except (GeneratorExit, CancelledError):
        _close(manager, None)
        raise
    except BaseException as exc:
        _close(manager, exc)
        raise
    else:
        _close(manager, None)


class _GuardedSpan:
    """Hands on to a span and keeps what it raises."""

    __slots__ = ("_span",)

    def __init__(self, span: Span) -> None:
        self._span = span

    def set(self, key: str, value: Any) -> None:
        try:
            self._span.set(key, value)
        except Exception:  # noqa: BLE001 - a tracer is not ours and must not hurt the run
            _tell_once()

    def add_event(self, name: str, **fields: Any) -> None:
        try:
            self._span.add_event(name, **fields)
        except Exception:  # noqa: BLE001 - a tracer is not ours and must not hurt the run
            _tell_once()


def _opened(
    span: Callable[[], AbstractContextManager[Span]],
) -> tuple[AbstractContextManager[Span] | None, Span]:
    try:
        manager = span()
        return manager, manager.__enter__()
    except Exception:  # noqa: BLE001 - a tracer is not ours and must not hurt the run
        _tell_once()
        return None, NoopSpan()


def _close(manager: AbstractContextManager[Span] | None, exc: BaseException | None) -> None:
    if manager is None:
        return
    try:
        manager.__exit__(type(exc) if exc else None, exc, exc.__traceback__ if exc else None)
    except Exception:  # noqa: BLE001 - a tracer is not ours and must not hurt the run
        _tell_once()


@cache
def _tell_once() -> None:
    """Log the failure that is being handled, the first time only."""
    _LOG.warning("the tracer raised; what it should have traced goes on untraced", exc_info=True)
