"""Laws of every codec: the cuts of the bytes never matter, and only typed errors come out."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentkit.core.contracts.errors import ProviderError
from agentkit.core.contracts.llm import CompletionEvent, TextDelta
from agentkit.models.codecs import (
    anthropic_messages,
    chat_completions,
    error_from_response,
    gemini,
    ollama_chat,
)
from agentkit.models.codecs._decoding import Decoder
from agentkit.models.codecs._pairs import joined

Frame = dict[str, Any]
APIS: dict[str, Callable[[], Decoder]] = {
    "chat": chat_completions.ResponseDecoder,
    "messages": anthropic_messages.ResponseDecoder,
    "gemini": gemini.ResponseDecoder,
    "ollama": ollama_chat.ResponseDecoder,
}
CALL = {"index": 0, "id": "c", "function": {"name": "f", "arguments": '{"a"'}}


def chat(text: str) -> Frame:
    return {"id": "r", "model": "m", "choices": [{"index": 0, "delta": {"content": text}}]}


def messages(text: str) -> Frame:
    delta = {"type": "text_delta", "text": text}
    return {"type": "content_block_delta", "index": 0, "delta": delta}


def google(text: str) -> Frame:
    return {"responseId": "r", "candidates": [{"content": {"parts": [{"text": text}]}}]}


def ollama(text: str) -> Frame:
    return {"model": "m", "message": {"role": "assistant", "content": text}}


SPOKEN = {"chat": chat, "messages": messages, "gemini": google, "ollama": ollama}
BEGIN: dict[str, list[Frame]] = {
    "messages": [
        {"type": "message_start", "message": {"id": "r", "model": "m"}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    ]
}
END: dict[str, list[Frame]] = {
    "chat": [{"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}],
    "messages": [{"type": "content_block_stop", "index": 0}, {"type": "message_stop"}],
    "gemini": [{"candidates": [{"finishReason": "STOP"}]}],
    "ollama": [{"message": {"content": ""}, "done": True, "done_reason": "stop"}],
}
OTHER: dict[str, list[Frame]] = {
    "chat": [
        {"choices": [{"index": 0, "delta": {"reasoning_content": "hm"}}]},
        {"choices": [{"index": 1, "delta": {"content": "b"}}]},
        {"choices": [{"index": 0, "delta": {"tool_calls": [CALL]}}]},
        {"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 2}},
        {"error": {"message": "no", "type": "server_error"}},
    ],
    "messages": [
        {"type": "ping"},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "thinking"}},
        {"type": "content_block_delta", "index": 1, "delta": {"thinking": "hm", "type": "x"}},
        {"type": "content_block_stop", "index": 1},
        {"type": "error", "error": {"type": "overloaded_error", "message": "no"}},
    ],
    "gemini": [
        {"candidates": [{"content": {"parts": [{"text": "", "thoughtSignature": "s"}]}}]},
        {"candidates": [{"content": {"parts": [{"functionCall": {"name": "f"}}]}}]},
        {"promptFeedback": {"blockReason": "SAFETY"}},
        {"error": {"code": 503, "message": "no"}},
    ],
    "ollama": [
        {"message": {"thinking": "hm"}},
        {"message": {"tool_calls": [{"function": {"name": "f", "arguments": {}}}]}},
        {"error": "no"},
    ],
}
BRIEFLY = settings(deadline=None, max_examples=50)  # `nox -s fuzz` is where it takes long
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
# Half a surrogate pair can be written, and so can be read.
TEXTS = st.lists(st.text(st.characters(codec=None), min_size=1), max_size=12)


@st.composite
def framed(draw: st.DrawFn, api: str, frames: list[Frame]) -> bytes:
    """Write *frames* as some server would."""
    newline = draw(st.sampled_from(["\n", "\r\n"] if api == "ollama" else ["\n", "\r\n", "\r"]))
    separators = draw(st.sampled_from([(",", ":"), (", ", ": ")]))
    prefix = draw(st.sampled_from(["data: ", "data:", ": hello\ndata: "])).replace("\n", newline)
    lines: list[str] = []
    for frame in frames:
        text = json.dumps(frame, separators=separators)
        lines.append(text + newline if api == "ollama" else f"{prefix}{text}{newline}{newline}")
    return "".join(lines).encode()


@st.composite
def cut(draw: st.DrawFn, body: bytes) -> list[bytes]:
    """Cut *body* anywhere, and often where it hurts."""
    sizes = draw(st.lists(st.integers(1, 200), max_size=30))
    pieces: list[bytes] = []
    for size in sizes:
        pieces.append(body[:size])
        body = body[size:]
    return [*pieces, body]


def outcome(api: str, pieces: list[bytes]) -> str:
    """Give what comes of *pieces*, in words; ids that were made up are all alike."""
    decoder = APIS[api]()
    seen: list[Any] = [event for piece in pieces for event in decoder.feed(piece)]
    try:
        seen += decoder.close()
    except ProviderError as error:
        seen += [type(error), str(error), error.error_type, error.error_class, error.partial]
    return re.sub(r"[0-9a-f]{32}", "made", repr(seen))


@pytest.mark.parametrize("api", APIS)
@BRIEFLY
@given(data=st.data(), texts=TEXTS)
def test_any_text_comes_through_in_any_framing_and_any_cuts(
    api: str, data: st.DataObject, texts: list[str]
) -> None:
    frames = [*BEGIN.get(api, []), *map(SPOKEN[api], ["first ", *texts]), *END[api]]
    decoder = APIS[api]()
    pieces = data.draw(cut(data.draw(framed(api, frames))))
    seen = [event for piece in pieces for event in decoder.feed(piece)]

    *late, last = decoder.close()
    told = [event.text for event in [*seen, *late] if isinstance(event, TextDelta)]
    assert "".join(told) == joined(["first ", *texts])
    assert isinstance(last, CompletionEvent)
    assert [block.to_text_repr() for block in last.content] == [joined(["first ", *texts])]


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (["a\ud83d", "\ude00b"], ["a", "😀b"]),
        (["\ud83d", "\ude00"], ["😀"]),
        (["\ud83d", "\ud83d\ude00", "c"], ["\ud83d😀", "c"]),
        (["a\ud83d", "b"], ["a", "\ud83db"]),
        (["a", "\ude00b", "c"], ["a", "\ude00b", "c"]),
        (["a", "b\ud83d"], ["a", "b", "\ud83d"]),
    ],
    ids=ascii,
)
@pytest.mark.parametrize("api", APIS)
def test_a_character_that_was_cut_in_two_is_told_as_one(
    api: str, texts: list[str], told: list[str]
) -> None:
    frames = [*BEGIN.get(api, []), *map(SPOKEN[api], ["x", "y", *texts]), *END[api]]
    mark = "" if api == "ollama" else "data: "
    decoder = APIS[api]()
    seen = decoder.feed("".join(f"{mark}{json.dumps(frame)}\n\n" for frame in frames).encode())

    *late, last = decoder.close()
    assert [event.text for event in [*seen, *late] if isinstance(event, TextDelta)] == [
        "x",
        "y",
        *told,
    ]
    assert isinstance(last, CompletionEvent)
    assert last.content[0].to_text_repr() == "xy" + "".join(told)


@pytest.mark.parametrize("api", APIS)
@BRIEFLY
@given(data=st.data())
def test_frames_in_any_order_come_to_the_same_in_any_cuts(api: str, data: st.DataObject) -> None:
    pool = [SPOKEN[api]("a"), SPOKEN[api]("b\n"), *BEGIN.get(api, []), *END[api], *OTHER[api]]
    frames = data.draw(st.lists(st.sampled_from(pool), max_size=14))
    body = data.draw(framed(api, frames))

    assert outcome(api, data.draw(cut(body))) == outcome(api, [body])


def keys_of(place: Any) -> list[Any]:
    """Give what is found in *place*, nothing if it is no container."""
    if place.__class__ is list:
        return [*range(len(place))]
    return [*place] if place.__class__ is dict else []


@pytest.mark.parametrize("api", APIS)
@BRIEFLY
@given(data=st.data())
def test_a_frame_with_anything_in_it_is_read_or_refused_in_our_words(
    api: str, data: st.DataObject
) -> None:
    pool = [*BEGIN.get(api, []), SPOKEN[api]("a"), *END[api], *OTHER[api]]
    frame = json.loads(json.dumps(data.draw(st.sampled_from(pool))))
    place = frame
    while keys := keys_of(place):
        key = data.draw(st.sampled_from(keys))
        if not isinstance(place[key], dict | list) or data.draw(st.booleans()):
            place[key] = data.draw(ANYTHING)
            break
        place = place[key]
    frames = [*BEGIN.get(api, []), frame, *END[api]]
    body = data.draw(framed(api, frames))

    assert outcome(api, data.draw(cut(body))) == outcome(api, [body])


@pytest.mark.parametrize("api", APIS)
@BRIEFLY
@given(data=st.data(), body=st.binary(max_size=200))
def test_bytes_of_any_kind_are_refused_in_our_words(
    api: str, data: st.DataObject, body: bytes
) -> None:
    assert outcome(api, data.draw(cut(body))) == outcome(api, [body])


@BRIEFLY
@given(status=st.integers(100, 999), value=ANYTHING, body=st.binary(max_size=50))
def test_any_error_body_makes_a_typed_error(status: int, value: Any, body: bytes) -> None:
    for answer in (json.dumps(value).encode(), json.dumps({"error": value}).encode(), body):
        error = error_from_response(status, answer, headers={"retry-after": str(value)})

        assert error.status == status
