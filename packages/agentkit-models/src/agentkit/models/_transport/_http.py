"""HTTP for every provider: one client for each event loop, one request for each call."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from weakref import WeakKeyDictionary

import httpx

from agentkit.core.contracts.errors import AgentkitError
from agentkit.core.contracts.llm import RunMeta
from agentkit.models._transport._body import Body
from agentkit.models._transport._bounds import Bounds, Timeouts
from agentkit.models._transport._errors import translated
from agentkit.models._transport._secrets import Secrets
from agentkit.models._transport._settings import checked_url, refused

__all__ = ["HttpTransport", "Reply"]

_MOST_URLS = 64
_MOST_CALLS = 100
# As many are kept as there may be, so that calls one after the other in a burst shake no new hands.
_LIMITS = httpx.Limits(max_connections=_MOST_CALLS, max_keepalive_connections=_MOST_CALLS)


@dataclass(frozen=True, slots=True, repr=False)
class Reply:
    """The head of an answer, and its body; a header is found by its name in any case."""

    status: int
    headers: Mapping[str, str]
    body: Body


class Own:
    """The client of one event loop, the generator that closes it, and who may ask by it."""

    def __init__(self, client: httpx.AsyncClient, keeper: AsyncGenerator[object, None]) -> None:
        self.client = client
        self.keeper = keeper
        self.places = asyncio.Semaphore(_MOST_CALLS)


class Turn:
    """A call's turn among *places*, for which it waits within *bounds*; there may be no limit."""

    def __init__(self, places: asyncio.Semaphore | None, bounds: Bounds) -> None:
        self._places = places
        self._bounds = bounds

    async def __aenter__(self) -> None:
        if (places := self._places) is not None:
            is_full = places.locked()
            await (self._bounds.wait(places.acquire) if is_full else places.acquire())

    async def __aexit__(self, *_: object) -> None:
        if self._places is not None:
            self._places.release()


class HttpTransport:
    """Posts JSON to one base URL.

    It makes its own client where none is given, one for each event loop, and closes those; a client
    that is given is used as it is and left open. Each call is one request, whatever happens:
    redirects are not followed. What the HTTP libraries log of a call is without *secrets*.

    A client of its own has up to 100 calls at a time; more wait their turn, first come first
    served, bounded by the total timeout and the run only. They wait here because httpx looks at
    each connection for each one that waits there, whenever one of them moves.

    Raises:
        ClientSettingError: Nothing can be sent to *base_url*, or by *client*.

    """

    def __init__(
        self,
        *,
        base_url: str,
        headers: Mapping[str, str],
        timeouts: Timeouts,
        secrets: Secrets,
        client: httpx.AsyncClient | None = None,
    ) -> None:
        self._url = checked_url(base_url)
        self._headers = dict(headers)
        self._secrets = secrets
        self._total = timeouts.total
        self._waits = httpx.Timeout(timeouts.idle, connect=timeouts.connect)
        self._given = client
        self._urls: dict[str, httpx.URL] = {}
        self._own: WeakKeyDictionary[asyncio.AbstractEventLoop, Own] = WeakKeyDictionary()

    @property
    def origin(self) -> str:
        """The scheme, host and port that it talks to."""
        return f"{self._url.scheme}://{self._url.netloc.decode('ascii')}"

    @asynccontextmanager
    async def post(
        self, path: str, body: bytes, *, ctx: RunMeta | None = None
    ) -> AsyncGenerator[Reply, None]:
        """Send *body* to *path* below the base URL and give the answer; leaving closes it.

        A query in *path* is added to that of the base URL.

        Raises:
            ProviderError: The provider cannot be reached, or does not answer in time; so does
                reading the answer.
            Cancelled: *ctx* is cancelled or past its deadline.

        """
        bounds = Bounds(ctx, total=self._total)
        client, places = await self._client()
        async with Turn(places, bounds):
            url = self._url_of(path)
            request = client.build_request(
                "POST",
                url,
                # httpx would have the client's own replace them.
                params=url.params if client.params else None,
                content=body,
                headers=self._headers,
                timeout=self._waits,
            )
            response = await self._sent(client, request, bounds)
            answer = Body(response, bounds, origin=self.origin)
            try:
                yield Reply(response.status_code, response.headers, answer)
            finally:
                await answer.aclose()

    async def aclose(self) -> None:
        """Close every client of its own, in the event loop that each belongs to."""
        here = asyncio.get_running_loop()
        for loop, own in list(self._own.items()):
            del self._own[loop]
            if loop is here:
                await own.keeper.aclose()
            elif loop.is_running():
                closing = asyncio.run_coroutine_threadsafe(_close(own.keeper), loop)
                await asyncio.wrap_future(closing)

    def _url_of(self, path: str) -> httpx.URL:
        """Give the URL of *path*, made once: httpx takes long over it."""
        url = self._urls.get(path)
        if url is None:
            if len(self._urls) >= _MOST_URLS:
                self._urls.clear()
            url = self._urls[path] = self._made_url(path)
        return url

    def _made_url(self, path: str) -> httpx.URL:
        path, _, query = path.partition("?")
        url = self._url.copy_with(path=self._url.path.rstrip("/") + path)
        return url.copy_merge_params(httpx.QueryParams(query)) if query else url

    async def _client(self) -> tuple[httpx.AsyncClient, asyncio.Semaphore | None]:
        """Give the client to ask by, and the places for those who do."""
        if self._given is not None:
            return self._given, None
        own = await self._owned()
        return own.client, own.places

    async def _owned(self) -> Own:
        loop = asyncio.get_running_loop()
        own = self._own.get(loop)
        if own is None or own.client.is_closed:
            for ended in [loop for loop in self._own if loop.is_closed()]:
                del self._own[ended]
            keeper = _keep_client()
            own = self._own[loop] = Own(await _begun(keeper), keeper)
        return own

    async def _sent(
        self, client: httpx.AsyncClient, request: httpx.Request, bounds: Bounds
    ) -> httpx.Response:
        try:
            with self._secrets.kept_from_logs():
                return await bounds.wait(
                    lambda: client.send(request, stream=True, follow_redirects=False)
                )
        except AgentkitError:
            raise
        # Not only httpx raises here: a client that is given has hooks and transports of its own.
        except Exception as exc:  # noqa: BLE001 - whatever it is, it leaves in our words
            error = translated(exc, origin=self.origin)
        # Raised out here, so that the driver's error, whose request holds the credential, is not
        # its context.
        raise error


async def _keep_client() -> AsyncGenerator[httpx.AsyncClient, None]:
    """Give a client and close it when the generator is closed.

    An event loop that is shut down closes the generators it has begun, so a client never outlives
    its loop, also where nobody closes the adapter.
    """
    async with httpx.AsyncClient(limits=_LIMITS, http2=find_spec("h2") is not None) as client:
        yield client


async def _begun(keeper: AsyncGenerator[httpx.AsyncClient, None]) -> httpx.AsyncClient:
    try:
        return await anext(keeper)
    except Exception as exc:  # noqa: BLE001 - httpx reads the environment, and raises anything
        error = refused(
            "client",
            f"cannot be made here ({type(exc).__name__}); look at the proxies and the "
            "certificates that the environment names",
        )
    raise error


async def _close(keeper: AsyncGenerator[object, None]) -> None:
    await keeper.aclose()
