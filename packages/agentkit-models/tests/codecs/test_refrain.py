"""Events that repeat but for their text are read as the full decoding reads them."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from agentkit.core.contracts.errors import ProviderError
from agentkit.core.contracts.llm import LLMStreamEvent, ReasoningDelta, TextDelta
from agentkit.models.codecs import anthropic_messages, chat_completions
from agentkit.models.codecs._refrain import MoreText, Refrain, end_of_event

Decode = Callable[..., Any]
PLAIN = '{{"id":"r1","model":"m","choices":[{{"index":0,"delta":{{"content":{}}}}}]{}}}'
END = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


def event(text: str, rest: str = "", *, end: str = "\n\n", data: str = "data: ") -> bytes:
    """Give an event of *text*, which is JSON."""
    return f"{data}{PLAIN.format(text, rest)}{end}".encode()


def told(*events: bytes) -> list[str]:
    """Give the texts of *events* after two plain ones, all in one piece."""
    decoder = chat_completions.ResponseDecoder()
    seen = decoder.feed(b"".join([event('"a"'), event('"b"'), *events, END]))
    decoder.close()
    return [delta.text for delta in seen[2:]]


def test_plain_text_is_told_without_json_until_something_else_comes() -> None:
    decoder = chat_completions.ResponseDecoder()
    decoder.feed(event('"a"') + event('"b"'))

    assert decoder.pieces(event('"c"') + event('"d"')) == ["c", "d"]
    assert decoder.feed(event('"e"')) == [TextDelta("e")]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (r'"\n"', "\n"),
        (r'"\"quoted\" and \\"', '"quoted" and \\'),
        (r'"\\\""', '\\"'),
        (r'"😀 é"', "😀 é"),
        ('"😀\u2028\u00a0"', "😀\u2028\u00a0"),
        (r'"\ud83d\ude00"', "😀"),
        (r'"a\ud83db"', "a\ud83db"),
        ('"}}\\n\\ndata: {"', "}}\n\ndata: {"),
    ],
    ids=ascii,
)
def test_a_text_is_what_its_json_says(text: str, wanted: str) -> None:
    assert told(event(text), event('"z"')) == [wanted, "z"]


@pytest.mark.parametrize(
    "other",
    [
        event('""'),
        b": a comment\n\n",
        b'data: {"id":"r1","model":"m","choices":[]}\n\n',
        event('"x"', ',"created":1'),
        event('"x"', end="\r\n\r\n"),
        event('"x"', data="data:"),
        event('"x"', data="event: y\ndata: "),
    ],
    ids=ascii,
)
def test_what_differs_in_anything_else_is_read_in_full_and_the_text_goes_on(other: bytes) -> None:
    text = "".join(told(other, event('"y"'), event('"z"')))

    assert text in {"yz", "xyz"}


@pytest.mark.parametrize("noise", ["obfuscation", "p"])
def test_noise_against_eavesdroppers_does_not_matter(noise: str) -> None:
    decoder = chat_completions.ResponseDecoder()
    events = [event(f'"{n}"', f',"{noise}":"{"x" * n}"') for n in range(4)]
    decoder.feed(b"".join(events[:2]))

    assert decoder.pieces(b"".join(events[2:])) == ["2", "3"]


def test_events_that_differ_each_time_are_given_up_on() -> None:
    decoder = chat_completions.ResponseDecoder()
    events = [event(f'"{n}"', f',"created":{n}') for n in range(30)]
    seen = [piece for data in events for piece in decoder.pieces(data)]

    assert seen == [TextDelta(str(n)) for n in range(30)]
    assert decoder.pieces(event('"x"', ',"created":29')) == [TextDelta("x")]


@pytest.mark.parametrize(
    "delta",
    [
        '{{"role":"assistant","content":"{}"}}',
        '{{"content":"{}","reasoning_content":null,"tool_calls":[]}}',
        '{{"content":"{}","refusal":null}}',
    ],
)
@pytest.mark.parametrize("facts", ["", '"id":"r1","model":"m","usage":null,'])
def test_text_is_plain_also_beside_fields_that_say_nothing(delta: str, facts: str) -> None:
    decoder = chat_completions.ResponseDecoder()
    events = [
        f'data: {{{facts}"choices":[{{"delta":{delta.format(n)}}}]}}\n\n'.encode() for n in "abcd"
    ]
    decoder.feed(b"".join(events[:2]))

    assert decoder.pieces(b"".join(events[2:])) == ["c", "d"]


def test_reasoning_is_plain_too_and_text_after_it() -> None:
    decoder = chat_completions.ResponseDecoder()
    frame = 'data: {{"choices":[{{"index":0,"delta":{{"{}":"{}"}}}}]}}\n\n'
    said = [("reasoning", "a"), ("reasoning", "b"), ("reasoning", "c"), ("content", "d")]
    seen = decoder.feed("".join(frame.format(*words) for words in said).encode())

    assert seen == [*[ReasoningDelta(text) for text in "abc"], TextDelta("d")]
    assert decoder.feed(frame.format("content", "e").encode() + END) == [TextDelta("e")]
    assert [block.to_text_repr() for block in decoder.close()[-1].content] == ["abc", "de"]  # type: ignore[union-attr]


@pytest.mark.parametrize("bad", [r'"\x"', '"\t"', '"a" "b"', '"never ended', r'"never \"'])
def test_a_text_that_is_no_json_is_an_error_as_ever(bad: str) -> None:
    decoder = chat_completions.ResponseDecoder()
    decoder.feed(event('"a"') + event('"b"') + event('"c"') + event(bad) + END)

    with pytest.raises(ProviderError, match="no JSON object"):
        decoder.close()


def test_an_event_longer_than_the_bound_is_an_error_as_ever() -> None:
    decoder = chat_completions.ResponseDecoder(max_event_bytes=500)
    decoder.feed(event('"a"') + event('"b"'))
    decoder.feed(event(json.dumps("x" * 600)))

    with pytest.raises(ProviderError, match="oversized_event"):
        decoder.close()


def block(kind: str, text: str, *, pad: int = 0, index: int = 0) -> bytes:
    delta = json.dumps({"type": f"{kind}_delta", kind: text}, separators=(",", ":"))
    data = f'{{"type":"content_block_delta","index":{index},"delta":{delta}{" " * pad}}}'
    return f"event: content_block_delta\ndata: {data}\n\n".encode()


def opened(*kinds: str) -> anthropic_messages.ResponseDecoder:
    decoder = anthropic_messages.ResponseDecoder()
    decoder.feed(b'data: {"type":"message_start","message":{"id":"m"}}\n\n')
    for index, kind in enumerate(kinds):
        start = {"type": "content_block_start", "index": index}
        frame = start | {"content_block": {"type": kind, kind: ""}}
        decoder.feed(f"data: {json.dumps(frame)}\n\n".encode())
    return decoder


def test_padding_before_the_last_brace_does_not_matter() -> None:
    decoder = opened("text")
    decoder.feed(block("text", "a", pad=3) + block("text", "b"))

    assert decoder.pieces(block("text", "c", pad=9) + block("text", "d")) == ["c", "d"]


def test_thinking_is_told_as_reasoning() -> None:
    decoder = opened("thinking")
    decoder.feed(block("thinking", "a") + block("thinking", "b"))

    assert decoder.feed(block("thinking", "c")) == [ReasoningDelta("c")]


def test_text_for_another_block_goes_to_that_block() -> None:
    decoder = opened("text", "text")
    decoder.feed(block("text", "a") + block("text", "b") + block("text", "c", index=1))
    decoder.feed(block("text", "d") + block("text", "e", index=1))
    ended: list[LLMStreamEvent] = [
        *decoder.feed(b'data: {"type":"message_stop"}\n\n'),
        *decoder.close(),
    ]

    assert [block.text for block in ended[-1].content] == ["abd", "ce"]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "sample",
    [
        event('"other"'),
        event('"a"', ',"x":{"content":"a"}'),
        event('"a"').replace(b'"content":', b'"content" :'),
        event('"a"', end="x\n\n"),
        b'data: {"content":1}\n\n',
    ],
    ids=ascii,
)
def test_what_leaves_a_doubt_where_the_text_is_has_no_refrain(sample: bytes) -> None:
    assert Refrain.of(sample, MoreText("content", "a", print)) is None


@pytest.mark.parametrize(
    ("data", "end"),
    [(b"a\n\nb", 3), (b"a\r\n\r\nb", 5), (b"a\nb", 3), (b"", 0)],
)
def test_an_event_ends_after_a_blank_line_or_with_the_data(data: bytes, end: int) -> None:
    assert end_of_event(data, 0) == end
