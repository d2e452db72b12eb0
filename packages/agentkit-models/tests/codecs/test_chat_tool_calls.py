"""Tool calls from fragments: never merged by a guess, never run on half their input."""

from collections.abc import Callable
from typing import Any

import pytest

from agentkit.core.contracts.content import ToolUseBlock
from agentkit.core.contracts.errors import ProviderError
from agentkit.core.contracts.llm import CompletionEvent
from agentkit.core.contracts.types import RAW_ARGUMENTS

Make = Callable[..., Any]


def fragment(
    arguments: Any = None, *, index: int | None = None, call_id: str = "", name: str = ""
) -> dict[str, Any]:
    made: dict[str, Any] = {"function": {"name": name, "arguments": arguments}, "id": call_id}
    return made if index is None else made | {"index": index}


@pytest.fixture
def calls(read: Make, delta: Make) -> Callable[..., list[tuple[str, str, Any]]]:
    """Give the calls that fragments, one to a chunk, add up to."""

    def gather(*fragments: dict[str, Any], reason: str = "tool_calls") -> list[Any]:
        chunks = [delta(tool_calls=[fragment]) for fragment in fragments]
        last: CompletionEvent = read(*chunks, delta(reason))
        blocks = [block for block in last.content if isinstance(block, ToolUseBlock)]
        return [(block.call_id, block.tool_name, block.arguments) for block in blocks]

    return gather


def test_fragments_of_one_index_are_one_call(calls: Make) -> None:
    first = fragment('{"a"', index=0, call_id="c1", name="f")

    assert calls(first, fragment(": 1}", index=0)) == [("c1", "f", {"a": 1})]


@pytest.mark.parametrize("pieces", [('{"path":', {}), ({"a": 1}, '"x"}')], ids=str)
def test_a_value_beside_text_is_no_arguments(calls: Make, pieces: tuple[Any, Any]) -> None:
    parts = [fragment(piece, index=0, call_id="c1", name="f") for piece in pieces]
    [(_, _, arguments)] = calls(*parts)

    assert set(arguments) == {RAW_ARGUMENTS}


def test_interleaved_indexes_are_told_apart(calls: Make) -> None:
    one, two = (fragment("", index=n, call_id=f"c{n}", name="f") for n in (0, 1))
    rest = [fragment(f'{{"n": {n}}}', index=n) for n in (1, 0)]

    assert calls(one, two, *rest) == [("c0", "f", {"n": 0}), ("c1", "f", {"n": 1})]


def test_one_index_with_two_ids_is_two_calls(calls: Make) -> None:
    both = [fragment("{}", index=0, call_id=call_id, name="f") for call_id in ("a", "b")]

    assert calls(*both) == [("a", "f", {}), ("b", "f", {})]


def test_an_id_and_name_that_every_fragment_repeats_are_one_call(calls: Make) -> None:
    parts = [fragment(text, index=0, call_id="0", name="f") for text in ("{", "}")]

    assert calls(*parts) == [("0", "f", {})]


def test_an_id_that_comes_late_belongs_to_its_index(calls: Make) -> None:
    assert calls(fragment("{}", index=0, name="f"), fragment(index=0, call_id="c")) == [
        ("c", "f", {})
    ]


def test_without_an_index_an_id_opens_a_call_and_continues_its_own(calls: Make) -> None:
    a, b = fragment("{", call_id="a", name="f"), fragment("{}", call_id="b", name="g")

    assert calls(a, b, fragment("}", call_id="a")) == [("a", "f", {}), ("b", "g", {})]


def test_without_index_and_id_text_continues_an_only_call(calls: Make) -> None:
    assert calls(fragment("{", name="f"), fragment("}"))[0][1:] == ("f", {})


@pytest.mark.parametrize(
    "fragments",
    [
        [
            fragment("{}", call_id="a", name="f"),
            fragment("{}", call_id="b", name="f"),
            fragment("x"),
        ],
        [
            fragment("{}", index=0, call_id="a", name="f"),
            fragment("{}", index=0, call_id="b", name="f"),
            fragment("x", index=0),
        ],
        [fragment("{}", index=0, call_id="a", name="f"), fragment(index=0, name="g")],
    ],
    ids=["no index", "index of two", "two names"],
)
def test_a_fragment_that_may_belong_to_several_calls_is_an_error(
    calls: Make, fragments: list[dict[str, Any]]
) -> None:
    with pytest.raises(ProviderError, match="ambiguous_tool_call"):
        calls(*fragments)


def test_calls_without_ids_get_different_ones(calls: Make) -> None:
    made = calls(fragment("{}", index=0, name="f"), fragment("{}", index=1, name="f"))

    assert [call_id for call_id, _, _ in made] == ["call_r1_0", "call_r1_1"]


def test_an_id_given_twice_is_made_different(calls: Make) -> None:
    made = calls(*(fragment("{}", index=n, call_id="c", name="f") for n in (0, 1)))

    assert [call_id for call_id, _, _ in made] == ["c", "c_1"]


@pytest.mark.parametrize("nothing", ["", " ", None])
def test_no_arguments_at_all_are_none(calls: Make, nothing: Any) -> None:
    assert calls(fragment(nothing, index=0, call_id="c", name="f"))[0][2] == {}


@pytest.mark.parametrize("reason", ["length", "content_filter"])
def test_a_call_cut_off_before_its_arguments_does_not_have_none(calls: Make, reason: str) -> None:
    [(_, _, arguments)] = calls(fragment("", index=0, call_id="c", name="f"), reason=reason)

    assert arguments == {RAW_ARGUMENTS: ""}


@pytest.mark.parametrize(
    "text", ['{"a": "half', "[1]", "null", '"{}"', '{"a": NaN}', "{" * 9, '{"a":' * 5000]
)
def test_arguments_that_are_no_object_are_kept_as_they_came(calls: Make, text: str) -> None:
    [(_, _, arguments)] = calls(fragment(text, index=0, call_id="c", name="f"))

    assert arguments == {RAW_ARGUMENTS: text}


def test_arguments_that_come_as_an_object_are_taken(calls: Make) -> None:
    assert calls(fragment({"a": 1}, index=0, call_id="c", name="f"))[0][2] == {"a": 1}
