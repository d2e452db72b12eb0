"""A provider that repeats the key wherever it can, and a key that nobody sees all the same.

What is searched: every representation, message, field, pickle, formatted traceback, log record
and span, after each kind of failure of each client.
"""

import asyncio
import html
import json
import logging
import pickle
import re
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from agentkit.core.contracts.errors import AgentkitError, Cancelled, ProviderError
from agentkit.core.contracts.llm import GenerationOptions, RunMeta
from agentkit.core.contracts.types import ChatRequest, Message
from agentkit.core.execution.cancellation import CancellationToken
from agentkit.core.policies import tracing
from agentkit.core.testing import RecordingTracer, make_test_ctx
from agentkit.models.providers import (
    AnthropicLLM,
    GeminiEmbeddings,
    GeminiLLM,
    OllamaEmbeddings,
    OllamaLLM,
    OpenAICompatibleEmbeddings,
    OpenAICompatibleLLM,
)

Ask = Callable[..., Any]
KEY = 'sk-CANARY/01&23+45"67\\\\89%25==KANARI'
IN_URL = quote(KEY, safe="")
IN_HTML = html.escape(KEY)
MARKS = re.compile("canary|kanari", re.IGNORECASE)
TESTS = str(Path(__file__).parents[1])

SAYS: dict[str, Any] = {"message": f"no such key {KEY}", "code": KEY, "type": f"auth:{KEY}"}
ECHO = json.dumps({"error": SAYS, "request_id": KEY}).encode()
HEADERS = {"x-request-id": KEY, "retry-after": "1", "server": f"Bearer {KEY}"}
BLOCK: dict[str, Any] = {"type": "content_block_start", "index": 0}
HALVES: dict[Any, dict[str, Any]] = {
    OpenAICompatibleLLM: {"choices": [{"index": 0, "delta": {"content": KEY}}], "model": KEY},
    AnthropicLLM: BLOCK | {"content_block": {"type": "text", "text": KEY}},
    GeminiLLM: {"candidates": [{"content": {"parts": [{"text": KEY}]}}]},
    OllamaLLM: {"message": {"content": KEY}, "done": False},
}
LLMS = list(HALVES)
EMBEDDINGS = [OpenAICompatibleEmbeddings, GeminiEmbeddings, OllamaEmbeddings]


def events(of: Any, *frames: dict[str, Any]) -> bytes:
    """Give a stream of *frames*, as the API of the client *of* has it."""
    before, after = ("", "\n") if of is OllamaLLM else ("data: ", "\n\n")
    return "".join(f"{before}{json.dumps(frame)}{after}" for frame in frames).encode()


def made(of: Any) -> Callable[..., Any]:
    """Give what makes a client *of* a provider, also where it is one of embeddings."""

    def make(*, default_model: str, **settings: Any) -> Any:
        name = "model" if of in EMBEDDINGS else "default_model"
        return of(**{name: default_model}, **settings)

    return make


async def call(client: Any, _: Any = None) -> Any:
    if type(client) in EMBEDDINGS:
        return await client.embed(["a"])
    return await client.generate([])


def seen_of(error: BaseException | None) -> str:
    """Give everything that can be seen of *error* and of what it comes from."""
    seen = ""
    while error is not None:
        seen += f"{error} {error!r} {vars(error)} {pickle.dumps(error)!r} {error.args}"
        seen += "".join(traceback.format_exception(error)) + locals_of(error)
        error = error.__cause__ or error.__context__
    return seen


def locals_of(error: BaseException) -> str:
    """Give what a report with the variables of each frame shows of those that are not ours."""
    steps = traceback.walk_tb(error.__traceback__)
    frames = [frame for frame, _ in steps if TESTS not in frame.f_code.co_filename]
    shown = traceback.StackSummary.extract(
        ((frame, frame.f_lineno) for frame in frames), capture_locals=True
    )
    return "".join(shown.format())


FAILURES: dict[str, Callable[[Any], dict[str, Any]]] = {
    "refused key": lambda _: {"status": 401, "chunks": (ECHO,), "headers": HEADERS},
    "busy": lambda _: {"status": 429, "chunks": (ECHO,), "headers": HEADERS},
    "broken": lambda _: {"status": 500, "chunks": (f"<html>{IN_HTML}</html>".encode(),)},
    "in a raw body": lambda _: {"status": 400, "chunks": (b'{"a": ' + json.dumps(KEY).encode(),)},
    "moved": lambda _: {
        "status": 302,
        "chunks": (),
        "headers": {"location": f"https://me:{IN_URL}@x/{IN_URL}?key={IN_URL}#{IN_URL}"},
    },
    "cut in the key": lambda _: {"status": 400, "chunks": (b"x" * 3980 + ECHO[31:],)},
    "error in a success": lambda of: {"chunks": (events(of, {"error": SAYS}),)},
    "error after output": lambda of: {"chunks": (events(of, half(of), {"error": SAYS}),)},
    "no answer": lambda _: {"chunks": (b"<html>" + ECHO,), "headers": HEADERS},
    "cut": lambda of: {"chunks": (events(of, half(of)),), "then": "break", "headers": HEADERS},
    "short": lambda of: {"chunks": (events(of, half(of)),), "headers": HEADERS},
    "silence": lambda of: {"chunks": (events(of, half(of)),), "then": "silence"},
    "corrupt": lambda _: {"chunks": (ECHO,), "headers": {**HEADERS, "content-encoding": "gzip"}},
}


SPELLINGS: dict[str, Callable[[str], str]] = {
    "in html": html.escape,
    "in html, the slash too": lambda key: html.escape(key).replace("/", "&#x2F;"),
    "in html by name": lambda key: html.escape(key).replace("=", "&equals;").replace("/", "&sol;"),
    "in html by number": lambda key: "".join(f"&#{ord(char)};" for char in key),
    "in html twice": lambda key: html.escape(html.escape(key).replace("/", "&#x2F;")),
    "in a url": quote,
    "in a url twice": lambda key: quote(quote(key, safe="")),
    "in a url, each character": lambda key: "".join(f"%{ord(char):02x}" for char in key),
    "in json twice": lambda key: json.dumps(json.dumps(key)),
    "in json for html": lambda key: json.dumps(key).replace("/", r"\/").replace("&", r"\u0026"),
    "in a script": lambda key: "".join(f"\\u{{{ord(char):x}}}" for char in key),
    "in a repr twice": lambda key: repr(repr(key.encode())),
    "in capitals": str.upper,
}


def half(of: Any) -> dict[str, Any]:
    """Give a frame with output, or of a list of vectors what begins one."""
    return HALVES.get(of, {"data": KEY})


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES)
@pytest.mark.parametrize("of", [*LLMS, *EMBEDDINGS])
def test_the_key_survives_no_failure(
    ask: Ask, caplog: pytest.LogCaptureFixture, *, of: Any, failure: Callable[[Any], Any]
) -> None:
    caplog.set_level(logging.DEBUG)
    asked = ask(call, of=made(of), api_key=KEY, timeout=0.05, **failure(of))

    assert isinstance(asked.error, ProviderError)
    assert MARKS.search(seen_of(asked.error) + caplog.text) is None


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES)
@pytest.mark.parametrize("of", LLMS)
def test_nor_does_it_under_the_other_contract(ask: Ask, of: Any, failure: Any) -> None:
    async def use(client: Any, _: Any) -> Any:
        await client.chat(messages=[Message("user", "hello")], model="m")

    asked = ask(use, of=of, api_key=KEY, timeout=0.05, **failure(of))

    assert isinstance(asked.error, ProviderError)
    assert MARKS.search(seen_of(asked.error)) is None


@pytest.mark.parametrize("of", [*LLMS, *EMBEDDINGS])
def test_no_representation_and_no_refused_connection_shows_the_key(
    caplog: pytest.LogCaptureFixture, *, of: Any
) -> None:
    caplog.set_level(logging.DEBUG)
    client = made(of)(default_model="m", api_key=KEY, base_url="http://127.0.0.1:1")
    with pytest.raises(ProviderError, match="cannot connect") as caught:
        asyncio.run(call(client))

    assert MARKS.search(f"{client} {client!r}" + seen_of(caught.value) + caplog.text) is None


@pytest.mark.parametrize("of", LLMS)
def test_an_option_that_is_refused_does_not_show_the_key(ask: Ask, of: Any) -> None:
    async def use(client: Any, _: Any) -> Any:
        await client.generate([], options=GenerationOptions(tool_choice="required"))

    asked = ask(use, of=of, api_key=KEY)

    assert (isinstance(asked.error, AgentkitError), asked.provider.connections) == (True, 0)
    assert MARKS.search(seen_of(asked.error)) is None


@pytest.mark.parametrize("of", LLMS)
def test_a_cancelled_call_does_not_show_the_key(
    ask: Ask, caplog: pytest.LogCaptureFixture, *, of: Any
) -> None:
    caplog.set_level(logging.DEBUG)

    async def use(client: Any, provider: Any) -> Any:
        token = CancellationToken()
        task = asyncio.create_task(client.generate([], ctx=RunMeta("r", token)))
        await provider.received.wait()
        token.cancel("enough")
        await task

    asked = ask(use, of=of, api_key=KEY, then="silence", chunks=(), headers=HEADERS)

    assert isinstance(asked.error, Cancelled)
    assert MARKS.search(seen_of(asked.error) + caplog.text) is None


@pytest.mark.parametrize("name", ["refused key", "broken", "error in a success", "corrupt"])
@pytest.mark.parametrize("of", LLMS)
def test_no_span_shows_the_key(ask: Ask, of: Any, name: str) -> None:
    tracer = RecordingTracer()

    async def use(client: Any, _: Any) -> Any:
        ctx = make_test_ctx(llm=client, chat_middleware=[tracing()], trace=tracer)
        await ctx.invoker.chat(ChatRequest([Message("user", "hello")], model="m"), ctx)

    asked = ask(use, of=of, api_key=KEY, **FAILURES[name](of))
    [span] = tracer.spans

    assert (span.error, isinstance(asked.error, ProviderError)) == (asked.error, True)
    assert MARKS.search(repr(span) + repr(span.attrs) + repr(span.events)) is None


@pytest.mark.parametrize(
    ("header", "echoed"),
    [
        ({"Authorization": "Bearer CANARY-tok"}, "CANARY-tok"),
        ({"authorization": "Basic bWU6Q0FOQVJZLXB3"}, "CANARY-pw bWU6Q0FOQVJZLXB3"),
        ({"cookie": "id=CANARY-1; other=CANARY-2"}, "CANARY-2 and id=CANARY-1"),
        ({"api-key": "CANARY"}, "CANARY"),
        ({"x-tenant": "CANARY-tenant"}, "CANARY-tenant"),
    ],
)
def test_what_a_header_of_the_callers_holds_is_not_shown(
    ask: Ask, header: dict[str, str], echoed: str
) -> None:
    body = json.dumps({"error": {"message": echoed, "code": echoed}}).encode()
    asked = ask(status=401, chunks=(body,), api_key=None, extra_headers=header)

    assert MARKS.search(seen_of(asked.error)) is None
    assert "bWU6" not in seen_of(asked.error)


@pytest.mark.parametrize(
    ("key", "echo", "shown"),
    [
        ("k3y!", "no key k3y! here", "no key [secret] here"),
        ("test", "the latest test-run: test.", "the latest test-run: [secret]."),
        ("x", "no x in index", "no x in index"),
        ("abcdefgh", "ABCDEFGHabcdefgh", "[secret][secret]"),
        ("abcdefghijklmnop", "starts with abcdefghijkl", "starts with [secret]"),
        ("abcdefghijklmnop", "begins as abcdefghijk does", "begins as abcdefghijk does"),
        ("abcdefghijklmnop", "it is cut: 'abcd'", "it is cut: '[secret]'"),
        ("abcdefghijklmnop", "it is cut: abc", "it is cut: abc"),
    ],
)
def test_a_short_key_is_taken_out_where_it_stands_alone(
    ask: Ask, *, key: str, echo: str, shown: str
) -> None:
    body = json.dumps({"error": {"message": echo}}).encode()

    assert str(ask(status=400, chunks=(body,), api_key=key).error).endswith(f": {shown}")


@pytest.mark.parametrize("spell", SPELLINGS.values(), ids=SPELLINGS)
def test_the_key_is_found_however_it_is_spelt(ask: Ask, spell: Callable[[str], str]) -> None:
    spelt = spell(KEY)
    texts = f"<b>{spelt}</b> is none", "x" * (4000 - len(spelt) // 3) + spelt
    whole, cut = (ask(status=400, chunks=(t.encode(),), api_key=KEY).error for t in texts)

    assert str(whole).endswith("</b> is none")
    assert ("[secret]" in str(whole), "[secret]" in str(cut)) == (True, True)
    assert MARKS.search(f"{whole}{cut}") is None


def test_an_error_without_a_secret_keeps_all_that_it_has(ask: Ask) -> None:
    half = b'data: {"choices": [{"index": 0, "delta": {"content": "half"}}]}\n\n'
    asked = ask(chunks=(half,), then="break", headers={"x-request-id": "r1"}, api_key=KEY)

    assert (asked.error.partial.content, asked.error.request_id) == ("half", "r1")
