"""What models cost: public list prices, to be replaced by your own where money matters.

With the extra `prices` they are those of genai-prices; without it, and for what it does not list,
those of a small table as of 2025. Both go stale. A model that is in neither has no price: its cost
is unknown, which is not the same as free. `pricing=` of a client, and `Services.prices`, take
another source.
"""

from decimal import Decimal
from typing import overload

from agentkit.core.contracts.types import ModelUsage, Price, Usage
from agentkit.models._names import normalize_model_name
from agentkit.models.providers._listed_prices import listed_cost, listed_price

__all__ = ["PRICES", "cost", "prices"]


def _price(fresh: str, output: str, cache_read: str, *, cache_write: str = "0") -> Price:
    """Give a row; one hour in the cache costs 1.6 times what five minutes cost."""
    minutes = Decimal(cache_write)
    return Price(
        Decimal(fresh), Decimal(output), Decimal(cache_read), minutes, minutes * Decimal("1.6")
    )


PRICES: dict[str, Price] = {
    "claude-sonnet-4-6": _price("3", "15", "0.30", cache_write="3.75"),
    "claude-haiku-4-5": _price("0.80", "4", "0.08", cache_write="1.00"),
    "claude-opus-4-1": _price("15", "75", "1.50", cache_write="18.75"),
    "gpt-4o": _price("2.5", "10", "1.25"),
    "gpt-4o-mini": _price("0.15", "0.6", "0.075"),
    "gpt-4.1": _price("2", "8", "0.5"),
    "gpt-4.1-mini": _price("0.4", "1.6", "0.1"),
    "deepseek-chat": _price("0.27", "1.10", "0.07"),
    "deepseek-reasoner": _price("0.55", "2.19", "0.14"),
}
"""The table, by lower-case name, in US dollars per million tokens."""


def prices(model: str) -> Price | None:
    """Give the price of *model*, also by its name without prefix and date, or None.

    Where a price depends on the length of the input it is the highest: it is to bound a cost.
    """
    return listed_price(model) or _tabled(model)


@overload
def cost(model: str, usage: ModelUsage) -> Decimal | None: ...
@overload
def cost(model: str, usage: Usage) -> float: ...
def cost(model: str, usage: ModelUsage | Usage) -> Decimal | float | None:
    """Give the cost of *usage* in US dollars.

    Of a `ModelUsage` it is exact, and None for an unknown model. Of a `Usage` it is a float of six
    places, and 0.0 for an unknown model, as that contract has it.
    """
    if isinstance(usage, ModelUsage):
        return _exact(model, usage)
    return round(float(_exact(model, ModelUsage.from_usage(usage)) or 0), 6)


def _exact(model: str, usage: ModelUsage) -> Decimal | None:
    amount = listed_cost(model, usage)
    if amount is not None:
        return amount
    price = _tabled(model)
    return None if price is None else price.cost_of(usage)


def _tabled(model: str) -> Price | None:
    for name in normalize_model_name(model):
        if name in PRICES:
            return PRICES[name]
    return None
