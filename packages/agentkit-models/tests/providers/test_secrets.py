"""A credential is in no message, no representation, no traceback, no log and no pickle."""

import asyncio
import logging
import pickle
import traceback
from collections.abc import Callable
from typing import Any

import pytest

from agentkit.models.providers import AnthropicLLM, GeminiLLM, OllamaLLM, OpenAICompatibleLLM
from agentkit.models.providers._http_llm import HttpLLM

Ask = Callable[..., Any]
CANARY = "sk-canary"
ECHO = b'{"error": {"message": "Incorrect API key provided: sk-canary."}}'


def traces(error: BaseException | None) -> str:
    """Give everything that can be seen of *error* and of what it comes from."""
    seen = ""
    while error is not None:
        seen += repr(error) + repr(vars(error)) + str(pickle.dumps(error))
        seen += "".join(traceback.format_exception(error))
        error = error.__cause__ or error.__context__
    return seen


@pytest.mark.parametrize(
    "how",
    [
        {"chunks": (ECHO,), "status": 401},
        {"chunks": (ECHO,)},
        {"chunks": (b"data: " + ECHO + b"\n\n",)},
        {"chunks": (), "then": "break"},
        {"chunks": (b"no gzip",), "headers": {"content-encoding": "gzip"}},
        {"chunks": (), "then": "silence"},
    ],
    ids=["status", "body", "frame", "cut", "corrupt", "timeout"],
)
@pytest.mark.parametrize("of", [OpenAICompatibleLLM, AnthropicLLM, GeminiLLM, OllamaLLM])
def test_no_failure_shows_the_key(
    ask: Ask, *, of: type[HttpLLM], how: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    asked = ask(of=of, timeout=0.05, **how)

    assert asked.error is not None
    assert CANARY not in traces(asked.error)
    assert CANARY not in caplog.text


def test_a_refused_connection_does_not_show_the_key(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    llm = OpenAICompatibleLLM(api_key=CANARY, base_url="http://127.0.0.1:1", default_model="m")
    with pytest.raises(Exception, match="cannot connect") as caught:
        asyncio.run(llm.generate([]))

    assert CANARY not in traces(caught.value) + caplog.text + repr(llm)


@pytest.mark.parametrize("bad", [f"{CANARY}\n", f"{CANARY}ü", f" {CANARY}", f"{CANARY}\r\nx: y"])
def test_a_key_that_no_header_carries_is_refused_without_showing_it(bad: str) -> None:
    with pytest.raises(ValueError, match="api_key holds") as caught:
        OpenAICompatibleLLM(api_key=bad, base_url="http://x/v1")

    assert CANARY not in traces(caught.value)


def test_a_url_with_a_password_is_refused_without_showing_it() -> None:
    with pytest.raises(ValueError, match="user name or password") as caught:
        OpenAICompatibleLLM(api_key=None, base_url=f"http://me:{CANARY}@x/v1")

    assert CANARY not in traces(caught.value)


def test_an_empty_key_is_refused() -> None:
    with pytest.raises(ValueError, match="api_key is empty"):
        OpenAICompatibleLLM(api_key="", base_url="http://x/v1")


@pytest.mark.parametrize("url", ["x/v1", "ftp://x", "http://", "http://[::1", ""])
def test_what_is_no_http_url_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="base_url is"):
        OpenAICompatibleLLM(api_key=None, base_url=url)
