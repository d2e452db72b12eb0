"""Tracebacks that end where the caller's code does."""

import sys
from contextlib import ContextDecorator
from types import TracebackType
from typing import Self

from agentkit.core.contracts.errors import AgentkitError

__all__ = ["OuterFrames"]


class OuterFrames(ContextDecorator):
    """Leaves of an error's traceback the caller's frames only, and of its context the caller's.

    In those below are a key, the headers of a request and the bytes of an answer, and many a report
    shows what the variables of each frame hold. An error that is a mistake of ours keeps them all.
    """

    def __enter__(self) -> Self:
        self._handled = sys.exception()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Cut the frames off; the error goes on."""
        if error is None:
            return
        from asyncio import CancelledError  # noqa: PLC0415 - slow to load, and there if it came

        if isinstance(error, AgentkitError | CancelledError):
            error.__traceback__ = None
            error.__context__ = self._handled

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Cut the frames off; the error goes on."""
        self.__exit__(kind, error, traceback)

    def _recreate_cm(self) -> Self:
        """Give one of its own to each call of what it decorates."""
        return type(self)()
