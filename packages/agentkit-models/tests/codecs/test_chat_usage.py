"""Token counts of the dialects, in one scheme."""

from decimal import Decimal
from typing import Any

import pytest

from agentkit.core.contracts.types import ModelUsage
from agentkit.models.codecs.chat_completions._usage import usage_from

BASE = {"prompt_tokens": 100, "completion_tokens": 50}


def usage(**extra: Any) -> ModelUsage:
    return usage_from(BASE | extra)


def test_plain_counts_are_taken_as_reported() -> None:
    assert usage() == ModelUsage(input_tokens=100, output_tokens=50, provenance="reported")


@pytest.mark.parametrize(
    "raw",
    [
        {"prompt_tokens_details": {"cached_tokens": 40}},
        {"prompt_cache_hit_tokens": 40, "prompt_cache_miss_tokens": 60},
        {"cache_read_input_tokens": 40},
        {"cached_tokens": 40},
    ],
    ids=lambda raw: next(iter(raw)),
)
def test_cached_tokens_are_found_under_every_name(raw: dict[str, Any]) -> None:
    assert usage(**raw).cached_tokens == 40


def test_cached_tokens_are_never_more_than_the_input() -> None:
    assert usage(cached_tokens=400).cached_tokens == 100


def test_cache_writes_are_split_by_how_long_they_live() -> None:
    split = {"ephemeral_5m_input_tokens": 10, "ephemeral_1h_input_tokens": 20}
    made = usage(cache_creation=split, cache_creation_input_tokens=30)

    assert (made.cache_write_5m_tokens, made.cache_write_1h_tokens) == (10, 20)


def test_cache_writes_without_a_split_count_as_minutes() -> None:
    assert usage(prompt_tokens_details={"cache_write_tokens": 7}).cache_write_5m_tokens == 7


@pytest.mark.parametrize(
    ("reasoning", "total", "output"), [(30, 150, 50), (30, 180, 80), (60, 150, 110)]
)
def test_reasoning_is_in_the_output_wherever_it_was_counted(
    reasoning: int, total: int, output: int
) -> None:
    made = usage(total_tokens=total, completion_tokens_details={"reasoning_tokens": reasoning})

    assert (made.output_tokens, made.reasoning_tokens) == (output, reasoning)


@pytest.mark.parametrize(
    ("raw", "cost"),
    [
        ({"cost": 0.0000816}, "0.0000816"),
        ({"cost": 0}, "0"),
        ({"cost": {"total_cost": 0.005}}, "0.005"),
        ({"cost": 0.1, "is_byok": True, "cost_details": {"upstream_inference_cost": 0.2}}, "0.3"),
        ({"cost_in_usd_ticks": 4389400}, "0.00043894"),
    ],
    ids=str,
)
def test_a_cost_that_the_provider_states_is_exact(raw: dict[str, Any], cost: str) -> None:
    assert usage(**raw).cost == Decimal(cost)


@pytest.mark.parametrize("raw", [{}, {"cost": "a lot"}, {"cost_in_usd_ticks": 0}], ids=str)
def test_a_cost_that_nobody_states_is_unknown(raw: dict[str, Any]) -> None:
    assert usage(**raw).cost is None


@pytest.mark.parametrize("raw", [None, {}, [], {"prompt_tokens": None}, {"prompt_tokens": -1}])
def test_no_counts_are_of_unknown_provenance(raw: Any) -> None:
    assert usage_from(raw) == ModelUsage()


def test_counts_that_are_no_numbers_are_none() -> None:
    assert (
        usage(prompt_tokens=True, completion_tokens=float("inf"), cached_tokens="9") == ModelUsage()
    )
