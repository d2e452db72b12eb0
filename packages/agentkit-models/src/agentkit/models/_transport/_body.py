"""The body of an answer as it arrives."""

from collections.abc import AsyncGenerator
from typing import Protocol, TypeVar

import httpx

from agentkit.core.contracts.errors import ProviderError
from agentkit.models._transport._bounds import Bounds
from agentkit.models._transport._errors import translated

__all__ = ["Body", "Reader"]

T_co = TypeVar("T_co", covariant=True)


class Reader(Protocol[T_co]):
    """What a body is given to, piece by piece."""

    @property
    def is_done(self) -> bool:
        """Whether nothing more is read."""
        ...

    def pieces(self, data: bytes) -> T_co:
        """Give what *data* comes to."""
        ...

    def break_off(self) -> bool:
        """Note that no more comes than has; give whether that is enough."""
        ...


class Body:
    """The bytes of one answer, which are read once; a second reader gets what the first has left.

    Reading raises `ProviderError` where the connection breaks or a bound is met, unless the reader
    has enough, and `Cancelled` where the run is over.
    """

    def __init__(self, response: httpx.Response, bounds: Bounds, *, origin: str) -> None:
        # Raw costs less, but nothing is left of it where a hook or a transport has read the answer.
        is_raw = "content-encoding" not in response.headers and not response.is_stream_consumed
        self._response = response
        self._stream = response.aiter_raw() if is_raw else response.aiter_bytes()
        self._bounds = bounds
        self._origin = origin
        self._readings: list[AsyncGenerator[object, None]] = []

    async def aclose(self) -> None:
        """Stop reading, and give up the connection unless all has been read."""
        for reading in self._readings:
            await reading.aclose()
        await self._response.aclose()

    def read_by(self, reader: Reader[T_co]) -> AsyncGenerator[T_co, None]:
        """Give what *reader* makes of each piece, until there is no more or it is done."""
        reading = self._bounded(reader) if self._bounds.are_any else self._unbounded(reader)
        self._readings.append(reading)
        return reading

    async def _unbounded(self, reader: Reader[T_co]) -> AsyncGenerator[T_co, None]:
        """Read at the least cost for each piece."""
        try:
            async for chunk in self._stream:
                yield reader.pieces(chunk)
                if reader.is_done:
                    break
        except (httpx.HTTPError, httpx.StreamError, OSError) as exc:
            error = translated(exc, origin=self._origin)
        else:
            return
        if reader.break_off():
            return
        # Raised out here, so that the driver's error, whose request holds the credential, is not
        # its context.
        raise error

    async def _bounded(self, reader: Reader[T_co]) -> AsyncGenerator[T_co, None]:
        while not reader.is_done and (chunk := await self._next(reader)) is not None:
            yield reader.pieces(chunk)

    async def _next(self, reader: Reader[T_co]) -> bytes | None:
        try:
            return await self._bounds.wait(lambda: anext(self._stream, None))
        except (httpx.HTTPError, httpx.StreamError, OSError) as exc:
            error = translated(exc, origin=self._origin)
        except ProviderError as exc:
            error = exc
        if reader.break_off():
            return None
        raise error
