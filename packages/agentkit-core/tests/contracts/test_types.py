"""What the value types compute: keys, sums, conversions, and the text beside blocks."""

from collections.abc import Callable
from decimal import Decimal, localcontext
from functools import partial
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentkit.core.contracts.content import TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock
from agentkit.core.contracts.types import (
    Delta,
    LLMResult,
    Message,
    ModelUsage,
    Price,
    Scope,
    ToolCall,
    Usage,
    assemble_deltas,
)

ids = st.one_of(st.none(), st.integers(), st.text())


def _price(**amounts: str) -> Price:
    names = ("input", "output", "cache_read", "cache_write_5m", "cache_write_1h")
    return Price(**{name: Decimal(amounts.get(name, "0")) for name in names})


def test_the_key_of_a_scope_of_numbers_is_plain() -> None:
    assert Scope(1, 2).key() == "org1:dom2"
    assert Scope(1).key() == "org1:domNone"


def test_the_key_of_a_scope_of_names_quotes_them() -> None:
    assert Scope("acme").key() == 'org"acme":domNone'


@given(st.tuples(ids, ids), st.tuples(ids, ids))
def test_two_scopes_never_share_a_key(one: Any, other: Any) -> None:
    assert (Scope(*one).key() == Scope(*other).key()) == (Scope(*one) == Scope(*other))


def test_scopes_that_others_confuse_have_keys_of_their_own() -> None:
    keys = [Scope("a:dom1", 2).key(), Scope("a", "1:dom2").key(), Scope(1).key()]
    keys += [Scope("1").key(), Scope("None").key(), Scope(None).key()]

    assert all(one != other for one, other in combinations(keys, 2))


def test_adding_usage_rounds_the_cost_each_time() -> None:
    assert (Usage(cost_usd=1.4296875) + Usage()).cost_usd == 1.429688


def test_total_tokens_leave_the_cache_out() -> None:
    assert Usage(10, 5, 0.0, 100, 100).total_tokens == 15


def test_model_usage_becomes_usage_with_fresh_input_only() -> None:
    usage = ModelUsage(100, 30, 10, 20, 7, 3, Decimal("0.25")).to_usage()

    assert usage == Usage(40, 7, 0.25, 30, 30)


def test_usage_becomes_model_usage_and_back() -> None:
    usage = Usage(40, 7, 0.25, 30, 30)

    assert ModelUsage.from_usage(usage).to_usage() == usage


KNOWN, UNKNOWN, EMPTY = ModelUsage(1, cost=Decimal(1)), ModelUsage(1), ModelUsage()


@pytest.mark.parametrize(
    ("one", "other", "cost"),
    [
        (KNOWN, KNOWN, Decimal(2)),
        (KNOWN, UNKNOWN, None),
        (EMPTY, KNOWN, Decimal(1)),
        (EMPTY, EMPTY, None),
        (ModelUsage(cost=Decimal(5)), KNOWN, Decimal(6)),
        (ModelUsage(cost=Decimal(5)), UNKNOWN, None),
    ],
    ids=["both", "one unknown", "nothing", "nothing at all", "a fee", "a fee and unknown"],
)
def test_a_sum_of_costs_is_known_if_every_part_with_tokens_is(
    one: ModelUsage, other: ModelUsage, cost: Decimal | None
) -> None:
    assert (one + other).cost == (other + one).cost == cost


def test_a_usage_that_names_no_cost_has_an_unknown_one() -> None:
    assert ModelUsage.from_usage(Usage(1, 1)).cost is None
    assert ModelUsage(1).to_usage().cost_usd == 0


def test_input_that_was_all_cached_or_written_is_not_fresh() -> None:
    assert ModelUsage(10, 4, 3, 3).to_usage().input_tokens == 0
    assert ModelUsage(10, 10, 3).to_usage().input_tokens == 0


def test_nobody_is_owed_anything_for_what_was_counted_twice() -> None:
    assert _price(input="3").cost_of(ModelUsage(10, 10, 3)) == 0


@pytest.mark.parametrize(
    "name", ["input", "output", "cache_read", "cache_write_5m", "cache_write_1h"]
)
def test_each_kind_of_token_has_a_price_of_its_own(name: str) -> None:
    usage = ModelUsage(111_110, 1_000, 10_000, 100_000, 1_000_000)
    counts = {
        "input": 110, "output": 1_000_000, "cache_read": 1_000, "cache_write_5m": 10_000,
        "cache_write_1h": 100_000,
    }  # fmt: skip

    assert _price(**{name: "1"}).cost_of(usage) * 1_000_000 == counts[name]


def test_a_sum_is_as_well_known_as_its_worse_part() -> None:
    total = ModelUsage(1, provenance="reported") + ModelUsage(1, provenance="estimated")

    assert total.provenance == "estimated"


def test_a_price_is_for_a_million_tokens_of_each_kind() -> None:
    price = _price(input="3", output="15", cache_read="0.3", cache_write_1h="6")
    usage = ModelUsage(1_000_000, 400_000, 0, 100_000, 10_000)

    assert price.cost_of(usage) == Decimal("1.5") + Decimal("0.12") + Decimal("0.6") + Decimal(
        "0.15"
    )


def test_a_cost_is_exact_under_any_decimal_context() -> None:
    with localcontext(prec=2):
        cost = _price(input="1.23456789").cost_of(ModelUsage(123_456_789))

    assert cost == Decimal("152.41578750190521")


@pytest.mark.parametrize("amount", [Decimal(-1), Decimal("NaN"), Decimal("Infinity"), 1.5, 1])
def test_a_price_is_a_finite_decimal(amount: Any) -> None:
    with pytest.raises(ValueError, match=r"Price\.input is a finite Decimal"):
        Price(amount, *[Decimal(0)] * 4)


def test_content_is_filled_in_from_blocks() -> None:
    blocks = (ThinkingBlock("hm"), TextBlock("a"), TextBlock("b"))

    assert Message("assistant", blocks=blocks).content == "ab"
    assert LLMResult("", blocks=blocks).content == "ab"


@pytest.mark.parametrize(
    "make",
    [partial(Message, "user"), LLMResult],
    ids=["message", "result"],
)
def test_content_that_disagrees_with_its_blocks_is_refused(make: Callable[..., Any]) -> None:
    with pytest.raises(ValueError, match="content is the text of blocks"):
        make(content="x", blocks=(TextBlock("y"),))


def test_tool_calls_on_separate_deltas_are_all_kept() -> None:
    one, two = ToolCall("1", "a"), ToolCall("2", "b")

    assert assemble_deltas([Delta(tool_calls=(one,)), Delta(tool_calls=(two,))]).tool_calls == (
        one,
        two,
    )


def test_a_tool_call_told_twice_is_one_call() -> None:
    one, two = ToolCall("1", "a"), ToolCall("2", "b")

    assert assemble_deltas([Delta(tool_calls=(one,)), Delta(tool_calls=(one, two))]).tool_calls == (
        one,
        two,
    )


def test_text_that_came_in_increments_takes_its_place_among_the_blocks() -> None:
    thought, call = ThinkingBlock("hm"), ToolUseBlock("1", "a")
    result = assemble_deltas([Delta("hel"), Delta("lo"), Delta(blocks=(thought, call))])

    assert result.blocks == (thought, TextBlock("hello"), call)


def test_text_that_was_rewritten_on_its_way_is_what_the_blocks_say_too() -> None:
    thought, call = ThinkingBlock("hm"), ToolUseBlock("c", "look")
    looked = ToolResultBlock("c", "look", [TextBlock("2")])
    said = (thought, TextBlock("hunter"), call, looked)
    result = assemble_deltas([Delta("***"), Delta(blocks=said)])

    assert (result.content, result.blocks) == ("***", (thought, TextBlock("***"), call))


def test_a_text_that_disagrees_with_its_blocks_is_not_repeated() -> None:
    with pytest.raises(ValueError, match="content is the text of blocks") as refused:
        LLMResult("***", blocks=(TextBlock("hunter2"),))

    assert "hunter2" not in str(refused.value)


def test_text_comes_after_blocks_where_there_is_no_call() -> None:
    thought = ThinkingBlock("hm")

    assert assemble_deltas([Delta(blocks=(thought,)), Delta("a")]).blocks == (
        thought,
        TextBlock("a"),
    )


def test_blocks_without_text_stay_as_they_came() -> None:
    blocks = (ThinkingBlock("hm"), ToolUseBlock("1", "a"))

    assert assemble_deltas([Delta(blocks=blocks)]).blocks == blocks
    assert assemble_deltas([Delta("a")]).blocks == ()


def test_the_last_word_on_a_fact_wins_and_an_empty_one_says_nothing() -> None:
    told = [Delta(model="a", parsed={}), Delta(model="b"), Delta(model="", parsed=None)]

    assert (assemble_deltas(told).model, assemble_deltas(told).parsed) == ("b", {})


@pytest.mark.parametrize("name", ["name", "tool_call_id"])
def test_what_a_turn_is_called_is_text(name: str) -> None:
    wrong: dict[str, Any] = {name: 1}

    with pytest.raises(TypeError, match=rf"Message\.{name} is text or None; got 1"):
        Message("user", "hi", **wrong)


def test_a_delta_without_a_word_on_the_model_does_not_unsay_an_earlier_one() -> None:
    told = [Delta(model="m", provider="p"), Delta(model="", provider="", finish_reason="stop")]
    result = assemble_deltas(told)

    assert (result.model, result.provider, result.finish_reason) == ("m", "p", "stop")


def test_no_deltas_are_an_empty_answer() -> None:
    assert assemble_deltas([]) == LLMResult("")


def test_an_object_in_progress_is_dropped_from_a_complete_stream() -> None:
    result = assemble_deltas([Delta(partial="half"), Delta(parsed="whole")])

    assert result == LLMResult("", parsed="whole")
