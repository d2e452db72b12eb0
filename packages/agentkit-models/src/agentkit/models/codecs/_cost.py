"""What a call cost, where the provider states it."""

from decimal import Decimal
from typing import Any

from agentkit.models.codecs._json import as_dict, count, is_dict

__all__ = ["stated_cost"]

_DOLLARS_PER_TICK = Decimal("1e-10")


def stated_cost(usage: dict[str, Any], body: dict[str, Any]) -> Decimal | None:
    """Give the cost in US dollars that *usage* states, or *body* around it, or None."""
    stated = usage.get("cost")
    if is_dict(stated):
        return _dollars(stated.get("total_cost"))
    if (cost := _dollars(stated)) is not None:
        details = as_dict(usage.get("cost_details"))
        upstream = _dollars(details.get("upstream_inference_cost"))
        return cost + (upstream or 0) if usage.get("is_byok") is True else cost
    if ticks := count(usage.get("cost_in_usd_ticks")):
        return ticks * _DOLLARS_PER_TICK
    return _dollars(as_dict(body.get("cost")).get("usd"))


def _dollars(value: Any) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    amount = Decimal(str(value))
    return amount if amount.is_finite() and amount >= 0 else None
