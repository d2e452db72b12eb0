"""The stream of one response, which says so when it is read a second time."""

from collections.abc import AsyncIterator, Callable

from agentkit.core.contracts.types import Delta

__all__ = ["ResponseStream"]


class ResponseStream:
    """The increments of one response, which is asked for when the first of them is.

    It is read once; iterating costs what the stream itself does.
    """

    __slots__ = ("_ask", "_deltas", "_is_closed")

    def __init__(self, ask: Callable[[], AsyncIterator[Delta]]) -> None:
        self._ask = ask
        self._deltas: AsyncIterator[Delta] | None = None
        self._is_closed = False

    def __aiter__(self) -> AsyncIterator[Delta]:
        """Give the increments that are left.

        Raises:
            RuntimeError: The stream has ended or was closed.

        """
        # A generator without a frame is over.
        if self._is_closed or getattr(self._deltas, "ag_frame", self) is None:
            raise RuntimeError(
                "this response has been read to its end or closed: keep its increments in a list, "
                "or ask again with another invoker.stream(...)"
            )
        return aiter(self._asked())

    async def __anext__(self) -> Delta:
        """Give the next increment."""
        if self._is_closed:
            raise StopAsyncIteration
        return await anext(self._asked())

    async def aclose(self) -> None:
        """Let go of what has not come yet, and of the connection."""
        self._is_closed = True
        close = getattr(self._deltas, "aclose", None)
        if close is not None:
            await close()

    def _asked(self) -> AsyncIterator[Delta]:
        if self._deltas is None:
            self._deltas = self._ask()
        return self._deltas
