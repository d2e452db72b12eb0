"""Prices by the table: known models exactly, unknown ones not at all."""

from decimal import Decimal

import pytest

from agentkit.core.contracts.types import ModelUsage, Usage
from agentkit.models.providers.pricing import PRICES, cost, prices


@pytest.mark.parametrize(
    "name",
    ["gpt-4o-mini", "GPT-4o-mini", "openai/gpt-4o-mini", "gpt-4o-mini-2024-07-18"],
)
def test_a_model_is_known_by_all_its_names(name: str) -> None:
    assert prices(name) == PRICES["gpt-4o-mini"]


def test_an_unknown_model_has_no_price() -> None:
    assert prices("acme-llm-v3") is None


def test_the_cost_of_a_model_usage_is_exact() -> None:
    usage = ModelUsage(input_tokens=1_000_003, cached_tokens=1, output_tokens=7)

    assert cost("gpt-4o", usage) == Decimal("2.500076250")


def test_each_kind_of_cache_write_has_its_price() -> None:
    usage = ModelUsage(2_000_000, 0, 1_000_000, 1_000_000)

    assert cost("claude-sonnet-4-6", usage) == Decimal("9.75")


def test_the_cost_of_a_usage_is_a_float_of_six_places() -> None:
    assert cost("gpt-4o", Usage(1000, 100, cache_read_tokens=1000)) == 0.00475


def test_an_unknown_model_has_no_known_cost() -> None:
    assert cost("acme-llm-v3", ModelUsage(1)) is None
    assert cost("acme-llm-v3", Usage(1)) == 0.0
