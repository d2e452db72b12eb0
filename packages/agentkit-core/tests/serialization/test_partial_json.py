"""What a reader of arriving JSON shows, and what it never does."""

import json
from itertools import pairwise
from typing import Any

import pytest

from agentkit.core.serialization.partial_json import PartialJson, read_partial

SAMPLES: list[Any] = [
    {},
    {"title": "Octopus", "tags": ["a", "b"], "n": 12, "deep": {"x": [1.5, {"y": None}]}},
    {"quote": 'say "hi" \\ / \n\t', "emoji": "\U0001f419", "lone": "\ud83d", "e": -1.25e3},
    [True, False, None, [], [[]], {"": ""}],
    "text",
]


def _fed(pieces: str | list[str]) -> PartialJson:
    reader = PartialJson()
    for piece in pieces:
        reader.feed(piece)
    return reader


@pytest.mark.parametrize("value", SAMPLES)
@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_text_that_arrives_by_the_character_reads_as_json_does(
    value: Any, indent: int | None, *, ascii_only: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)

    reader = _fed(text)

    assert reader.is_complete
    assert reader.value() == json.loads(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("  ", None),
        ("{", {}),
        ('{"ti', {}),
        ('{"title"', {}),
        ('{"title":', {}),
        ('{"title": "Oct', {"title": "Oct"}),
        ('{"title": "Oct\\', {"title": "Oct"}),
        ('{"title": "Oct\\u00', {"title": "Oct"}),
        ('{"title": "Oct\\ud83d', {"title": "Oct"}),
        ('{"title": "Oct", ', {"title": "Oct"}),
        ('{"done": tr', {}),
        ('{"n": 12', {}),
        ('{"n": 12,', {"n": 12}),
        ('{"tags": ["a", "b', {"tags": ["a", "b"]}),
        ('{"a": {"b": [1, ', {"a": {"b": [1]}}),
        ("[[1], [2", [[1], []]),
    ],
)
def test_an_unfinished_value_shows_what_cannot_change_any_more(text: str, value: Any) -> None:
    assert read_partial(text) == value


@pytest.mark.parametrize(
    "text",
    ["Sure! {", "{]", '{"a" 1}', '{"a": 01}', '["\\x"]', '["\\u1_23"]', "[1e999]", "[nope]", "}"],
)
def test_text_that_is_no_json_stops_the_reader_without_an_error(text: str) -> None:
    reader = _fed(text)

    assert reader.is_broken
    assert not reader.feed('{"a": 1}')


def test_what_was_read_before_the_text_broke_stays() -> None:
    assert read_partial('{"a": 1, "b": oops, "c": 2}') == {"a": 1}


@pytest.mark.parametrize("fenced", ['```json\n{"a": 1}\n```', '\n```\n{"a": 1}```'])
def test_a_markdown_fence_around_the_value_is_skipped(fenced: str) -> None:
    assert read_partial(fenced) == {"a": 1}


def test_a_fence_that_has_only_begun_shows_nothing() -> None:
    assert read_partial("```js") is None


def test_a_number_that_python_will_not_read_stops_the_reader() -> None:
    assert _fed(f"[{'1' * 5_000}]").is_broken


def test_a_trailing_comma_is_forgiven() -> None:
    assert read_partial('{"a": [1, 2,],}') == {"a": [1, 2]}


def test_the_text_of_a_field_never_rewinds() -> None:
    text = json.dumps({"title": 'a\u00e9 \U0001f419 \\ " \n end'})
    reader = PartialJson()

    seen = [reader.value().get("title", "") for char in text if reader.feed(char) or reader.value()]

    assert all(later.startswith(earlier) for earlier, later in pairwise(seen))


def test_feed_tells_when_a_value_has_become_complete() -> None:
    reader = PartialJson()

    told = [reader.feed(piece) for piece in ('{"a": ', "12", ', "b": "x', '"', "}")]

    assert told == [False, False, True, True, True]
    assert reader.completed == 3


def test_the_version_grows_only_with_what_can_be_seen() -> None:
    reader = _fed('{"key')
    before = reader.version

    reader.feed('s": ')

    assert reader.version == before


def test_an_answer_is_frozen_and_does_not_change_later() -> None:
    reader = _fed('{"tags": ["a"')
    early = reader.value()

    reader.feed(', "b"]}')

    assert early == {"tags": ["a"]}
    with pytest.raises(TypeError, match="frozen"):
        early["tags"].append("c")


def test_complete_parts_are_shared_between_answers() -> None:
    reader = _fed('{"big": [1, 2, 3], "text": "a')
    early = reader.value()

    reader.feed("b")

    assert reader.value()["big"] is early["big"]


def test_nesting_that_nobody_could_follow_stops_the_reader() -> None:
    assert _fed("[" * 1_000).is_broken
