"""The prices that genai-prices lists, where the extra `prices` is installed."""

import time
from collections.abc import Iterator
from decimal import Decimal
from functools import cache, lru_cache
from importlib import import_module
from typing import Any

from agentkit.core.contracts.types import ModelUsage, Price
from agentkit.models._names import normalize_model_name

__all__ = ["library", "listed_cost", "listed_price"]

_SECONDS_KNOWN = 60
_FIELDS = (
    ("input_mtok",),
    ("output_mtok",),
    ("cache_read_mtok", "input_mtok"),
    ("cache_write_5m_mtok", "cache_write_mtok", "input_mtok"),
    ("cache_write_1h_mtok", "cache_write_mtok", "input_mtok"),
)
"""Where each field of a `Price` is listed; what has no price of its own costs what input costs."""

Tiers = tuple[tuple[int, Price], ...]
"""Prices, each from the number of input tokens on that it is for; from 0 on in the first place."""


def listed_price(model: str) -> Price | None:
    """Give the listed price of *model*, of several the highest, or None where there is none."""
    tiers = _tiers(model)
    if not tiers:
        return None
    columns = zip(*[_amounts(price) for _, price in tiers], strict=True)
    return Price(*[max(column) for column in columns])


def listed_cost(model: str, usage: ModelUsage) -> Decimal | None:
    """Give the cost of *usage* by the list, or None where there is no price."""
    reached = [price for start, price in _tiers(model) if usage.input_tokens > start or not start]
    return reached[-1].cost_of(usage) if reached else None


def _amounts(price: Price) -> tuple[Decimal, ...]:
    return (
        price.input,
        price.output,
        price.cache_read,
        price.cache_write_5m,
        price.cache_write_1h,
    )


def _tiers(model: str) -> Tiers:
    """Give the prices of *model* now, looked up once a minute: some depend on the time of day."""
    return () if library() is None else _looked_up(model, int(time.time() // _SECONDS_KNOWN))


@cache
def library() -> Any:
    """Give the library, or None where it is not installed; it takes long to import."""
    try:
        return import_module("genai_prices")
    except ModuleNotFoundError as exc:
        if exc.name != "genai_prices":
            raise
        return None


@lru_cache(maxsize=256)
def _looked_up(model: str, _: int) -> Tiers:
    for name, provider in _references(model):
        try:
            found = library().calc_price(library().Usage(), name, provider_id=provider)
        except LookupError:
            continue
        return tuple(_rows(found.model_price))
    return ()


def _references(model: str) -> Iterator[tuple[str, str | None]]:
    """Give what *model* may be listed as: a name, and the provider where the name tells it."""
    for name in normalize_model_name(model):
        provider, slash, bare = name.rpartition("/")
        if slash:
            yield bare, provider
            yield name, "openrouter"
        elif "/" not in model:
            yield name, None


def _rows(listed: Any) -> Iterator[tuple[int, Price]]:
    values = [_first(listed, names) for names in _FIELDS]
    if values[0] is None:
        return
    starts = {tier.start for value in values for tier in getattr(value, "tiers", ())}
    for start in [0, *sorted(starts)]:
        yield start, Price(*[_at(value, start) for value in values])


def _first(listed: Any, names: tuple[str, ...]) -> Any:
    return next((v for name in names if (v := getattr(listed, name, None)) is not None), None)


def _at(value: Any, start: int) -> Decimal:
    """Give a price for more input tokens than *start*."""
    if value is None:
        return Decimal(0)
    if not hasattr(value, "tiers"):
        return Decimal(value)
    reached = [tier.price for tier in value.tiers if start and tier.start <= start]
    return Decimal(reached[-1] if reached else value.base)
