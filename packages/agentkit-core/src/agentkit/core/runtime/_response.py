"""The stream of one response, which says so when it is read a second time."""

from collections.abc import AsyncIterator

from agentkit.core.contracts.types import Delta

__all__ = ["ResponseStream"]


class ResponseStream:
    """The increments of one response, read once; iterating costs what the stream itself does."""

    __slots__ = ("_deltas",)

    def __init__(self, deltas: AsyncIterator[Delta]) -> None:
        self._deltas = deltas

    def __aiter__(self) -> AsyncIterator[Delta]:
        """Give the increments that are left.

        Raises:
            RuntimeError: The stream has ended or was closed.

        """
        if getattr(self._deltas, "ag_frame", self) is None:  # a generator that is over
            raise RuntimeError(
                "this response has been read to its end or closed: keep its increments in a list, "
                "or ask again with another invoker.stream(...)"
            )
        return aiter(self._deltas)

    async def __anext__(self) -> Delta:
        """Give the next increment."""
        return await anext(self._deltas)

    async def aclose(self) -> None:
        """Let go of what has not come yet, and of the connection."""
        close = getattr(self._deltas, "aclose", None)
        if close is not None:
            await close()
