"""With the extra `prices` a call costs what genai-prices lists, to the same cent."""

import sys
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from agentkit.core.contracts.types import ModelUsage, Price
from agentkit.models.providers import _listed_prices
from agentkit.models.providers.pricing import PRICES, cost, prices

genai_prices: Any = pytest.importorskip("genai_prices")


@pytest.fixture(autouse=True)
def listed() -> None:
    """Have what is installed."""


MODELS = ["claude-sonnet-4-6", "gpt-4o", "gemini-2.5-pro", "deepseek-chat", "grok-4"]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("size", [10, 1_000_000])
def test_a_cost_is_what_the_library_says(model: str, size: int) -> None:
    usage = ModelUsage(size, size // 4, size // 8, size // 8, size // 2)
    theirs = genai_prices.Usage(
        input_tokens=size,
        cache_read_tokens=size // 4,
        cache_write_tokens=size // 8 * 2,
        cache_write_5m_tokens=size // 8,
        cache_write_1h_tokens=size // 8,
        output_tokens=size // 2,
    )

    assert cost(model, usage) == genai_prices.calc_price(theirs, model).total_price


def test_each_kind_of_cache_write_has_its_listed_price() -> None:
    price = prices("claude-sonnet-4-6")

    assert price is not None
    assert (price.cache_write_5m, price.cache_write_1h) == (Decimal("3.75"), Decimal(6))


def test_of_a_price_in_tiers_the_highest_bounds_a_cost() -> None:
    usage = ModelUsage(300_000, output_tokens=1000)
    price = prices("gemini-2.5-pro")

    assert price is not None
    assert price.cost_of(ModelUsage(10)) > (cost("gemini-2.5-pro", ModelUsage(10)) or 0)
    assert price.cost_of(usage) == cost("gemini-2.5-pro", usage)


@pytest.mark.parametrize(
    "name", ["gpt-4o", "GPT-4o", "openai/gpt-4o", "gpt-4o-2024-08-06", "openai/gpt-4o-2024-08-06"]
)
def test_a_model_is_known_by_all_its_names(name: str) -> None:
    assert prices(name) == Price(*map(Decimal, ("2.5", "10", "1.25", "2.5", "2.5")))


def test_a_gateways_name_is_not_priced_as_somebody_elses_model() -> None:
    gateway = genai_prices.calc_price(
        genai_prices.Usage(input_tokens=1_000_000),
        "meta-llama/llama-3.3-70b-instruct",
        provider_id="openrouter",
    )

    assert cost("meta-llama/llama-3.3-70b-instruct", ModelUsage(1_000_000)) == gateway.total_price
    assert cost("nobody/claude-sonnet-4-6", ModelUsage(1)) == PRICES["claude-sonnet-4-6"].cost_of(
        ModelUsage(1)
    )


def test_what_is_not_listed_is_priced_by_the_table_or_not_at_all() -> None:
    assert prices("acme-llm-v3") is None
    assert cost("acme-llm-v3", ModelUsage(1)) is None


class Listing:
    """A list of one model, in the form of the library's."""

    Usage = SimpleNamespace

    def __init__(self, **fields: Decimal) -> None:
        self._listed = SimpleNamespace(model_price=SimpleNamespace(**fields))

    def calc_price(self, *_: Any, **__: Any) -> SimpleNamespace:
        return self._listed


@pytest.mark.parametrize(
    ("fields", "price"),
    [
        ({"input_mtok": Decimal(2)}, Price(*map(Decimal, (2, 0, 2, 2, 2)))),
        ({"output_mtok": Decimal(2)}, None),
    ],
)
def test_a_model_that_takes_no_input_or_gives_no_output(
    monkeypatch: pytest.MonkeyPatch, fields: dict[str, Decimal], price: Price | None
) -> None:
    monkeypatch.setitem(sys.modules, "genai_prices", Listing(**fields))
    _listed_prices.library.cache_clear()

    assert prices(f"a-model-of-{list(fields)}") == price
    _listed_prices.library.cache_clear()


def test_a_broken_installation_is_no_missing_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "genai_prices.py").write_text("import nothing_of_this_name")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.delitem(sys.modules, "genai_prices")
    _listed_prices.library.cache_clear()

    with pytest.raises(ModuleNotFoundError, match="nothing_of_this_name"):
        prices("gpt-4o")
