"""Lines of JSON, from bytes cut anywhere."""

import pytest

from agentkit.core.contracts.errors import ErrorClass, ProviderError
from agentkit.models.codecs import NdjsonParser


def lines(*chunks: bytes) -> list[str]:
    parser = NdjsonParser()
    return [line for chunk in chunks for line in parser.feed(chunk)] + parser.close()


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n", b"\n\n", b"\n \t\n"], ids=repr)
def test_a_line_ends_at_any_end_of_line_and_blank_ones_are_none(end: bytes) -> None:
    assert lines(b"1" + end + b"2" + end) == ["1", "2"]


def test_the_last_line_needs_no_end() -> None:
    assert lines(b"1\n2") == ["1", "2"]


def test_a_line_may_come_byte_by_byte() -> None:
    text = '{"a": "é 😊"}\r\n[2]'

    assert lines(*(bytes([byte]) for byte in text.encode())) == ['{"a": "é 😊"}', "[2]"]


@pytest.mark.parametrize("inside", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c"], ids=ascii)
def test_no_other_character_ends_a_line(inside: str) -> None:
    assert lines(f'"a{inside}b"\n'.encode()) == [f'"a{inside}b"']


def test_a_byte_order_mark_is_no_part_of_the_first_line() -> None:
    assert lines(b"\n\xef", b"\xbb", b"\xbf1\n", b"2\n") == ["1", "2"]


def test_bytes_that_are_no_text_are_replaced() -> None:
    assert lines(b'"\xff"\n') == ['"\ufffd"']


@pytest.mark.parametrize(
    "chunks", [(b"x" * 11,), (b"x" * 6, b"x" * 6), (b"1\n" + b"x" * 11 + b"\n",)], ids=repr
)
def test_a_line_longer_than_the_bound_is_an_error_and_nothing_more_is_read(
    chunks: tuple[bytes, ...],
) -> None:
    parser = NdjsonParser(max_line_bytes=10)
    read = [line for chunk in (*chunks, b"\n3\n") for line in parser.feed(chunk)]

    assert "3" not in read + parser.close()
    with pytest.raises(ProviderError, match="a line of over 10 bytes") as caught:
        parser.check()
    assert caught.value.error_class is ErrorClass.PERMANENT


def test_many_short_lines_are_no_long_one() -> None:
    parser = NdjsonParser(max_line_bytes=10)

    assert parser.feed(b"12345\n" * 100) == ["12345"] * 100
    parser.check()
