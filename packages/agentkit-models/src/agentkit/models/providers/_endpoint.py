"""One provider's endpoint over HTTP: a call is one request, and an error tells all but secrets."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx

from agentkit.core.contracts.errors import ProviderError
from agentkit.core.contracts.llm import RunMeta
from agentkit.models._outer_frames import OuterFrames
from agentkit.models._transport import HttpTransport, Reply, Secrets, Timeouts
from agentkit.models._transport._secrets import credentials_of
from agentkit.models._transport._settings import check_client, check_seconds, checked_headers
from agentkit.models.codecs import error_from_response
from agentkit.models.codecs._decoding import Decoder
from agentkit.models.codecs._errors import request_id_in

__all__ = ["HttpEndpoint", "json_bytes"]

_MAX_ANSWER_BYTES = 64 * 1024 * 1024
_MAX_ERROR_BYTES = 1024 * 1024
_DRAIN_S = 0.2

T = TypeVar("T")


class HttpEndpoint:
    """What is asked over HTTP, and owns its connections unless it is given a client.

    *secrets* are header values that no message may ever hold; those of *extra_headers*, and the
    credentials that *client* adds to each request, are secrets as well.

    Raises:
        ClientSettingError: Nothing can be sent with one of the settings.

    """

    def __init__(
        self,
        *,
        provider: str,
        headers: Mapping[str, str],
        secrets: Sequence[str | None],
        base_url: str,
        client: httpx.AsyncClient | None,
        timeout: float | Timeouts | None,
        extra_headers: Mapping[str, str] | None,
    ) -> None:
        check_client(client)
        extra = checked_headers(extra_headers)
        given = [] if client is None else credentials_of(client)
        self.provider = provider
        self._secrets = Secrets(secrets, [*given, *extra.items()])
        if not isinstance(timeout, Timeouts):
            check_seconds(timeout, "timeout")
            timeout = Timeouts(idle=timeout)
        self._transport = HttpTransport(
            base_url=base_url,
            headers={"content-type": "application/json", **headers, **extra},
            timeouts=timeout,
            secrets=self._secrets,
            client=client,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections that it owns; those of its `with_model` copies are the same."""
        await self._transport.aclose()

    async def _ask(self, path: str, body: dict[str, Any], read: Callable[[bytes], T]) -> T:
        """Give what *read* makes of the answer to *body*, where it comes all at once.

        Raises:
            ProviderError: The provider refused or failed, or *read* cannot use what it said.

        """
        async with OuterFrames(), self._call(path, json_bytes(body)) as reply:
            return read(await _whole(reply, most=_MAX_ANSWER_BYTES))

    @asynccontextmanager
    async def _call(
        self,
        path: str,
        body: bytes,
        *,
        decoder: Decoder | None = None,
        ctx: RunMeta | None = None,
    ) -> AsyncGenerator[Reply, None]:
        """Give the answer to *body*; what goes wrong with it leaves with all that is known."""
        reply: Reply | None = None
        try:
            async with self._transport.post(path, body, ctx=ctx) as reply:
                await _check_status(reply)
                yield reply
                if decoder is not None and decoder.is_done:
                    await _drain(reply)
        except ProviderError as error:
            raise self._told_of(error, decoder, reply) from None

    def _told_of(
        self, error: ProviderError, decoder: Decoder | None, reply: Reply | None
    ) -> ProviderError:
        """Give *error* with all that is known of the call, and without any credential."""
        if decoder is not None:
            decoder.with_partial(error)
        error.provider = self.provider
        if error.partial is not None:
            error.partial = replace(error.partial, provider=self.provider)
        if error.request_id is None and reply is not None:
            error.request_id = request_id_in(reply.headers)
        error.__context__ = None  # of JSON that is none it has the whole text
        return self._secrets.clean(error)


def json_bytes(body: dict[str, Any]) -> bytes:
    """Give *body* as it is sent."""
    return json.dumps(body, separators=(",", ":"), allow_nan=False).encode()


async def _check_status(reply: Reply) -> None:
    if 200 <= reply.status < 300:  # noqa: PLR2004 - the class of 2xx
        return
    body = await _whole(reply, most=_MAX_ERROR_BYTES)
    raise error_from_response(reply.status, body, headers=reply.headers, now=time.time())


class _Whole:
    """Takes a body as it is, up to *most* bytes."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.data = bytearray()

    @property
    def is_done(self) -> bool:
        """Whether it is longer than what is wanted of it."""
        return len(self.data) > self._most

    def pieces(self, data: bytes) -> None:
        """Take *data*."""
        self.data += data

    def break_off(self) -> bool:
        """Give that half a body is none."""
        return False


class _Rest:
    """Takes what follows the last mark, for nothing."""

    is_done = False

    def pieces(self, data: bytes) -> None:
        """Take *data*."""

    def break_off(self) -> bool:
        """Give that nothing was wanted of it."""
        return True


async def _whole(reply: Reply, *, most: int) -> bytes:
    """Give the body, or the beginning of one that is longer than *most* bytes."""
    reader = _Whole(most)
    async for _ in reply.body.read_by(reader):
        pass
    return bytes(reader.data)


async def _drain(reply: Reply) -> None:
    """Read what follows the last mark, so that the connection can be used again."""
    try:
        async with asyncio.timeout(_DRAIN_S):
            async for _ in reply.body.read_by(_Rest()):
                pass
    except (TimeoutError, ProviderError):
        return
