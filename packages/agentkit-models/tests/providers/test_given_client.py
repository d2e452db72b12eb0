"""A client that is given has transports, hooks and headers of its own."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from agentkit.core.contracts.errors import ErrorClass, ProviderError
from agentkit.models.errors import ClientSettingError
from agentkit.models.providers import GeminiLLM, OpenAICompatibleEmbeddings, OpenAICompatibleLLM

ANSWER = {"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}]}
Answer = Callable[[httpx.Request], httpx.Response]


def asked(answer: Answer, **settings: Any) -> Any:
    """Give what a model says whose provider is *answer*, or the error."""

    async def run() -> Any:
        transport = httpx.MockTransport(answer)
        async with httpx.AsyncClient(transport=transport, **settings) as client:
            llm = OpenAICompatibleLLM(
                api_key=None, base_url="http://x/v1", default_model="m", client=client
            )
            return await llm.generate([])

    return asyncio.run(run())


def test_an_answer_that_has_been_read_already_is_read() -> None:
    assert asked(lambda _: httpx.Response(200, json=ANSWER)).content[0].text == "hi"


def test_an_answer_that_a_hook_reads_is_read() -> None:
    async def look(response: httpx.Response) -> None:
        await response.aread()

    hooks = {"response": [look]}
    answer = asked(lambda _: httpx.Response(200, json=ANSWER), event_hooks=hooks)

    assert answer.content[0].text == "hi"


@pytest.mark.parametrize(
    ("raised", "told"),
    [
        (ValueError("CANARY"), ("client_error", ErrorClass.UNKNOWN)),
        (OverflowError("CANARY"), ("client_error", ErrorClass.UNKNOWN)),
        (ExceptionGroup("CANARY", [ValueError("CANARY")]), ("client_error", ErrorClass.UNKNOWN)),
        (OSError("CANARY"), ("network_error", ErrorClass.TRANSIENT)),
        (httpx.LocalProtocolError("CANARY"), ("bad_request", ErrorClass.PERMANENT)),
        (httpx.UnsupportedProtocol("CANARY"), ("bad_url", ErrorClass.PERMANENT)),
        (httpx.InvalidURL("CANARY"), ("client_error", ErrorClass.UNKNOWN)),
    ],
)
def test_whatever_a_client_raises_leaves_in_our_words(raised: Exception, told: Any) -> None:
    def answer(_: httpx.Request) -> httpx.Response:
        raise raised

    with pytest.raises(ProviderError, match="http://x") as caught:
        asked(answer)

    assert (caught.value.error_type, caught.value.error_class) == told
    assert "CANARY" not in str(caught.value) + repr(caught.value.__context__)


@pytest.mark.parametrize("kind", [httpx.LocalProtocolError, httpx.UnsupportedProtocol])
def test_what_cannot_be_sent_is_not_said_to_be_the_networks_fault(kind: Any) -> None:
    def answer(_: httpx.Request) -> httpx.Response:
        raise kind("no")

    with pytest.raises(ProviderError, match="could not be made") as caught:
        asked(answer)

    assert "network" not in str(caught.value)


def test_a_client_that_is_closed_already_is_told_of() -> None:
    async def run() -> None:
        client = httpx.AsyncClient()
        await client.aclose()
        await OpenAICompatibleEmbeddings(api_key=None, model="m", client=client).embed(["a"])

    with pytest.raises(ProviderError, match="RuntimeError"):
        asyncio.run(run())


def test_the_credentials_in_the_headers_of_a_given_client_are_secrets() -> None:
    body = {"error": {"message": "no key CANARY-key"}}
    with pytest.raises(ProviderError, match=r"no key \[secret\]"):
        asked(lambda _: httpx.Response(401, json=body), headers={"x-api-key": "CANARY-key"})


@pytest.mark.parametrize("proxy", ["nonsense", "http://me:CANARY@x:99999", "ftp://me:CANARY@x"])
def test_a_proxy_of_the_environment_that_is_none_is_told_of_in_our_words(
    monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    monkeypatch.setenv("HTTP_PROXY", proxy)
    monkeypatch.setenv("http_proxy", proxy)
    llm = OpenAICompatibleLLM(api_key=None, base_url="http://x.invalid/v1", default_model="m")

    with pytest.raises((ClientSettingError, ProviderError)) as caught:
        asyncio.run(llm.generate([]))

    assert "CANARY" not in str(caught.value)


@pytest.mark.parametrize(
    "settings",
    [
        {"params": {"key": "CANARY-key"}},
        {"params": {"subscription": "CANARY-key"}},
        {"cookies": {"session": "CANARY-key"}},
    ],
)
def test_what_a_given_client_adds_to_each_request_is_a_secret(
    caplog: pytest.LogCaptureFixture, settings: dict[str, Any]
) -> None:
    caplog.set_level(logging.DEBUG)
    body = {"error": {"message": "no key CANARY-key"}}
    with pytest.raises(ProviderError, match=r"no key \[secret\]"):
        asked(lambda _: httpx.Response(401, json=body), **settings)

    assert "HTTP Request: POST http://x/v1/chat/completions" in caplog.text
    assert "CANARY" not in caplog.text


def test_a_query_of_a_given_client_is_sent_beside_ours() -> None:
    seen: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.url.query.decode())
        return httpx.Response(200, json={"candidates": [{"finishReason": "STOP"}]})

    async def run() -> None:
        transport = httpx.MockTransport(answer)
        async with httpx.AsyncClient(transport=transport, params={"a": "b"}) as client:
            await GeminiLLM(api_key=None, default_model="m", client=client).generate([])

    asyncio.run(run())

    assert seen == ["a=b&alt=sse"]
