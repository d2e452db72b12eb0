"""How far a tool call has come, for the policies that judge a failure by it."""

import contextlib
from collections.abc import Generator
from contextvars import ContextVar
from dataclasses import dataclass

__all__ = ["ToolProgress", "progress_here", "tool_call"]


@dataclass(slots=True)
class ToolProgress:
    """One call that an `Invoker` makes: `is_begun` from just before its tool first runs."""

    is_begun: bool = False


# In the context rather than in the call: a middleware may hand on a call of its own making.
_progress: ContextVar[ToolProgress | None] = ContextVar("agentkit_tool_progress", default=None)


@contextlib.contextmanager
def tool_call() -> Generator[None]:
    """Make what runs in here, and in the tasks it starts, one call with a progress of its own."""
    token = _progress.set(ToolProgress())
    try:
        yield
    finally:
        # An abandoned coroutine is torn down in another context, where there is nothing to reset.
        with contextlib.suppress(ValueError):
            _progress.reset(token)


def progress_here() -> ToolProgress | None:
    """Give the progress of the call that is being made here, None outside of an `Invoker`."""
    return _progress.get()
