"""What a client cannot be made with is refused at once, in one way, and without a credential."""

import pickle
import traceback
from collections.abc import Callable
from contextlib import suppress
from math import inf, nan
from types import FrameType
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentkit.core.contracts.errors import AgentkitError
from agentkit.models.errors import ClientSettingError
from agentkit.models.providers import (
    AnthropicLLM,
    GeminiEmbeddings,
    GeminiLLM,
    OllamaEmbeddings,
    OllamaLLM,
    OpenAICompatibleEmbeddings,
    OpenAICompatibleLLM,
    Timeouts,
    claude,
    deepseek,
    gemini,
    ollama,
    openai,
    openrouter,
)

LLMS = [OpenAICompatibleLLM, AnthropicLLM, GeminiLLM, OllamaLLM]
EMBEDDINGS = [OpenAICompatibleEmbeddings, GeminiEmbeddings, OllamaEmbeddings]
CANARY = "sk-canary-0123456789"


def refusal(of: Callable[..., Any], **settings: Any) -> ClientSettingError:
    """Give the error that *of* refuses *settings* with."""
    defaults: dict[str, Any] = {"api_key": None, "base_url": "http://x/v1"}
    defaults |= {"model": "m"} if of in EMBEDDINGS else {}
    with pytest.raises(ClientSettingError) as caught:
        of(**(defaults | settings))
    return caught.value


def shown(error: BaseException) -> str:
    """Give all that is seen of *error*, the variables of each frame but the tests' own included."""
    frames = [step for step in traceback.walk_tb(error.__traceback__) if not is_test(step[0])]
    trace = traceback.StackSummary.extract(iter(frames), capture_locals=True)
    text = f"{error} {error!r} {vars(error)} {pickle.dumps(error)!r} {''.join(trace.format())}"
    before = error.__cause__ or error.__context__
    return text if before is None else text + shown(before)


def is_test(frame: FrameType) -> bool:
    return frame.f_code.co_filename == __file__


BAD_URLS = {
    "no scheme": "x/v1",
    "another scheme": "ftp://x/v1",
    "no host": "http:///v1",
    "a host that is no name": "http://xn--/v1",
    "another one": "http://xn--zz/v1",
    "open bracket": "http://[::1/v1",
    "nothing": "",
    "port too high": "http://x:99999/v1",
    "port zero": "http://x:0/v1",
    "port no number": "http://x:http/v1",
    "negative port": "http://x:-1/v1",
    "white space in the host": "http://a b/v1",
    "an end of line": "http://x/v1\r\nhost: y",
    "an empty label": "http://a..b/v1",
    "a long label": f"http://{'a' * 64}/v1",
    "a long host": f"http://{'a.' * 130}b/v1",
    "a star": "http://*/v1",
    "a fragment": "http://x/v1#part",
    "no text": None,
    "bytes": b"http://x/v1",
}


@pytest.mark.parametrize("url", BAD_URLS.values(), ids=BAD_URLS)
@pytest.mark.parametrize("of", [*LLMS, *EMBEDDINGS])
def test_a_base_url_that_nothing_can_be_sent_to_is_refused(of: Any, url: Any) -> None:
    assert refusal(of, base_url=url).setting == "base_url"


LEAKY_URLS = [
    f"http://me:{CANARY}@x/v1",
    f"http://{CANARY}@x/v1",
    f"me:{CANARY}@x/v1",
    f"//me:{CANARY}@x:99999/v1",
    f"https://x/v1?key={CANARY}",
    f"https://x/v1?Api-Key={CANARY}",
    f"https://x/v1?subscription-key={CANARY}",
    f"https://x/v1?x-api-key={CANARY}",
    f"https://x/v1?sig={CANARY}",
    f"https://x/v1?auth={CANARY}",
    f"https://x/v1?client_secret={CANARY}",
    f"https://x/v1?q={CANARY}",
    f"https://x/v1?api-version=v1&a={CANARY}",
    f"https://x/v1?api-version={CANARY}{CANARY}",
    f"https://x/v1?{CANARY}",
    f"ftp://x/v1?access_token={CANARY}",
    f"ftp://x/{CANARY}",
    f"http://x/v1#{CANARY}",
    f"http://x:abc/{CANARY}",
    f"http://x:{CANARY}/v1",
    f"http://x:99999/{CANARY}",
    f"http://xn--/{CANARY}",
    f"http://[{CANARY}]/v1",
    f"http://{CANARY}_..x/v1",
    f"http://x/v1\n{CANARY}",
]


@pytest.mark.parametrize("url", LEAKY_URLS)
@pytest.mark.parametrize("of", [*LLMS, *EMBEDDINGS])
def test_a_base_url_is_refused_without_showing_what_may_be_a_credential(of: Any, url: str) -> None:
    error = refusal(of, base_url=url, api_key=CANARY)

    assert error.setting == "base_url"
    assert CANARY not in shown(error)


@given(st.text() | st.text(alphabet="htps:/@?#[]%x.-ü0").map("http://{}".format))
def test_whatever_text_is_a_base_url_is_taken_or_refused(text: str) -> None:
    with suppress(ClientSettingError):
        OpenAICompatibleLLM(api_key=None, base_url=text)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org",
        "http://[::1]:8080/v1",
        "http://127.0.0.1:65535/",
        "http://my_box:1/v1",
        "https://bücher.example/v1",
        "https://x.example./openai?api-version=2024-10-21",
    ],
)
def test_a_base_url_that_can_be_used_is(url: str) -> None:
    OpenAICompatibleLLM(api_key=None, base_url=url)


BAD_HEADERS: dict[str, Any] = {
    "name not ascii": {"é": "v"},
    "name with a space": {"a b": "v"},
    "name with a colon": {"a:": "v"},
    "empty name": {"": "v"},
    "name no text": {1: "v"},
    "value no text": {"a": 1},
    "value None": {"a": None},
    "value bytes": {"a": b"v"},
    "value not ascii": {"a": "é"},
    "value with an end of line": {"a": "b\r\nc: d"},
    "value with a null": {"a": "b\0"},
    "value with white space at an end": {"a": " b"},
    "content-length": {"Content-Length": "5"},
    "transfer-encoding": {"transfer-encoding": "chunked"},
    "content-encoding": {"content-encoding": "gzip"},
    "the same twice": {"A": "b", "a": "c"},
    "no mapping": [("a", "b")],
    "text": "a: b",
}


@pytest.mark.parametrize("headers", BAD_HEADERS.values(), ids=BAD_HEADERS)
@pytest.mark.parametrize("of", [*LLMS, *EMBEDDINGS])
def test_a_header_that_cannot_be_sent_is_refused(of: Any, headers: Any) -> None:
    assert refusal(of, extra_headers=headers).setting == "extra_headers"


@pytest.mark.parametrize(
    "settings",
    [
        {"extra_headers": {"a": f"{CANARY}\n"}},
        {"extra_headers": {f"authorization: {CANARY}": ""}},
        {"extra_headers": {"authorization": CANARY, "é": "b"}},
        {"api_key": f"{CANARY}\n"},
        {"api_key": CANARY, "timeout": -1},
        {"api_key": CANARY, "base_url": "http://x:99999"},
    ],
)
@pytest.mark.parametrize("of", [*LLMS, *EMBEDDINGS])
def test_no_setting_that_may_be_a_credential_is_shown(of: Any, settings: dict[str, Any]) -> None:
    assert CANARY not in shown(refusal(of, **settings))


@pytest.mark.parametrize("preset", [openai, deepseek, openrouter, claude, gemini, ollama])
def test_no_preset_shows_the_key(preset: Callable[..., Any]) -> None:
    with pytest.raises(ClientSettingError) as caught:
        preset(api_key=CANARY, timeout=-1)

    assert CANARY not in shown(caught.value)


@pytest.mark.parametrize("bad", [0, -1, nan, inf, 10**400, "5", True, [1], 1 + 0j])
@pytest.mark.parametrize("of", [*LLMS, *EMBEDDINGS])
def test_a_timeout_that_is_no_time_is_refused(of: Any, bad: Any) -> None:
    assert refusal(of, timeout=bad).setting == "timeout"


@pytest.mark.parametrize("bad", [0, -1, nan, inf, "5", True])
@pytest.mark.parametrize("name", ["connect", "idle", "total"])
def test_each_of_the_timeouts_is_looked_at(name: str, bad: Any) -> None:
    with pytest.raises(ClientSettingError, match=f"{name} is") as caught:
        Timeouts(**{name: bad})

    assert caught.value.setting == name


BAD_SETTINGS: list[tuple[Any, str, Any]] = [
    *[(AnthropicLLM, "default_max_tokens", bad) for bad in (0, -1, 1.5, "5", True, None, nan)],
    *[(OllamaLLM, "keep_alive", bad) for bad in (nan, inf, True, "", [1])],
    *[(of, "dimensions", bad) for of in EMBEDDINGS for bad in (0, -1, 1.5, "5", True, nan)],
    *[(of, "model", bad) for of in EMBEDDINGS for bad in ("", None, 1)],
    *[(of, "default_model", bad) for of in LLMS for bad in (1, b"m")],
    *[(of, "api_key", bad) for of in [*LLMS, *EMBEDDINGS] for bad in ("", 1, b"k", "ü", " k")],
    *[(of, "client", bad) for of in [*LLMS, *EMBEDDINGS] for bad in (1, httpx.Client())],
    *[(of, "extra", bad) for of in EMBEDDINGS for bad in ({"a": nan}, {"a": object()}, [1])],
    *[(of, "streaming", "no") for of in LLMS],
    *[(of, "pricing", 1) for of in LLMS],
    (OpenAICompatibleEmbeddings, "encoding", "hex"),
    (OllamaEmbeddings, "api", "chat"),
    (GeminiEmbeddings, "task_type", 1),
    (GeminiEmbeddings, "model", "a/../b"),
    (AnthropicLLM, "version", 1),
    (AnthropicLLM, "version", "a\nb"),
]


@pytest.mark.parametrize(("of", "name", "bad"), BAD_SETTINGS)
def test_every_other_setting_is_looked_at_as_well(of: Any, name: str, bad: Any) -> None:
    error = refusal(of, **{name: bad})

    assert (error.setting, name in str(error)) == (name, True)
    assert isinstance(error, ValueError | AgentkitError)


def test_the_error_survives_being_pickled() -> None:
    error = refusal(OpenAICompatibleLLM, timeout=-1)
    copied = pickle.loads(pickle.dumps(error))  # noqa: S301 - just made

    assert (str(copied), copied.setting) == (str(error), "timeout")
