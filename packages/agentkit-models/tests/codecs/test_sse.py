"""The event-stream parser: what a line is, what an event is, whatever the chunking."""

import random

import pytest

from agentkit.core.contracts.errors import ProviderError
from agentkit.models.codecs import ServerSentEvent, ServerSentEventParser

STREAM = (
    "\ufeffdata: first\n\n"
    ": a comment\n\n"
    "event: named\ndata: one\ndata: two\n\n"
    "data: a\u2028b\x85c ü 😀\r\n\r\n"
    "id: 7\rretry: 10\rdata:unpadded\r\r"
    "data\n\n"
    "event: dropped\n\n"
    "data: unterminated"
).encode()
EVENTS = [
    ServerSentEvent("first"),
    ServerSentEvent("one\ntwo", "named"),
    ServerSentEvent("a\u2028b\x85c ü 😀"),
    ServerSentEvent("unpadded"),
    ServerSentEvent(""),
    ServerSentEvent("unterminated"),
]


def parse(*chunks: bytes) -> list[ServerSentEvent]:
    parser = ServerSentEventParser()
    return [event for chunk in chunks for event in parser.feed(chunk)] + parser.close()


def test_a_whole_stream_gives_its_events() -> None:
    assert parse(STREAM) == EVENTS


def test_a_stream_byte_by_byte_gives_the_same_events() -> None:
    assert parse(*(STREAM[at : at + 1] for at in range(len(STREAM)))) == EVENTS


@pytest.mark.parametrize("seed", range(30))
def test_a_stream_cut_anywhere_gives_the_same_events(seed: int) -> None:
    cuts = sorted(random.Random(seed).sample(range(len(STREAM)), 12))  # noqa: S311

    assert parse(*(STREAM[a:b] for a, b in zip([0, *cuts], [*cuts, None], strict=True))) == EVENTS


def test_an_event_that_the_input_ends_in_comes_with_the_close() -> None:
    parser = ServerSentEventParser()

    assert parser.feed(b"data: last") == []
    assert parser.close() == [ServerSentEvent("last")]


def test_a_byte_order_mark_is_read_over_only_at_the_start() -> None:
    assert parse(b"\xef\xbb\xbfdata: a\n\ndata: \xef\xbb\xbfb\n\n")[1].data == "\ufeffb"


def test_what_belongs_to_no_field_is_kept_aside() -> None:
    parser = ServerSentEventParser()
    parser.feed(b'data: a\n\n{"error":\n"stray"}\n')

    assert parser.stray == '{"error":\n"stray"}'


@pytest.mark.parametrize(
    "endless", [b"data: " + b"x" * 50, b"data: xxxxx\n" * 10], ids=["line", "event"]
)
def test_an_oversized_event_is_an_error_after_the_events_before_it(endless: bytes) -> None:
    parser = ServerSentEventParser(max_event_bytes=40)

    assert parser.feed(b"data: before\n\n" + endless) == [ServerSentEvent("before")]
    with pytest.raises(ProviderError, match="oversized_event"):
        parser.check()


def test_nothing_is_held_of_what_follows_an_oversized_event() -> None:
    parser = ServerSentEventParser(max_event_bytes=10)
    parser.feed(b"x" * 11)

    assert parser.feed(b"\n\ndata: after\n\n") == []


def test_a_line_over_the_bound_ends_it_alike_however_the_bytes_are_cut() -> None:
    data = b"data: a\n\n" + b"x" * 50 + b"\ndata: b\n\n"
    whole, cut = (ServerSentEventParser(max_event_bytes=40) for _ in range(2))

    assert [*whole.feed(data), *whole.close()] == [ServerSentEvent("a")]
    assert [e for at in range(len(data)) for e in cut.feed(data[at : at + 1])] == [("a", "")]
    assert (cut.close(), whole.stray) == ([], cut.stray)
