"""What a model call may cost at most, told before it is made, and what it did cost."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import is_dataclass
from decimal import Decimal
from typing import Any, cast

from agentkit.core.contracts.content import ContentBlock, ToolResultBlock, UnknownBlock
from agentkit.core.contracts.types import ChatRequest, ModelUsage, Price, Usage
from agentkit.core.runtime._meters import all_tokens, cost_of
from agentkit.core.runtime._money import exact, not_negative, priced, total

__all__ = ["known_cost", "price_of", "request_bytes", "worst_case"]

_PUNCTUATION = 6  # quotes, colon, comma and a space: what JSON puts around a name or a value
_SCALAR_BYTES = 24
_POINTERS = ("url", "file_id", "storage_key")
_ADDRESSES = ("url", "uri", "fileid", "storagekey")  # the ends of names, without underscores


def price_of(call: Any) -> Price | None:
    """Give the price of the model that *call* asks for, or None where it is unknown.

    A price list that fails knows none: it is not ours, and must not decide whether calls are made.
    """
    services = getattr(getattr(call, "ctx", None), "services", None)
    prices: Callable[[str], Price | None] | None = getattr(services, "prices", None)
    model = getattr(getattr(call, "request", None), "model", None)
    if prices is None or not isinstance(model, str):
        return None
    try:
        return prices(model)
    except Exception:  # noqa: BLE001 - as the docstring says
        return None


def known_cost(call: Any, usage: Usage, model_usage: ModelUsage | None) -> Decimal | None:
    """Give what *call* cost by its own account, else by its model's price, or None with neither.

    It never raises: the call was made and has to be booked, so a cost that no amount of money is,
    or a price list that fails, is an unknown cost.
    """
    try:
        cost = _cost(call, usage, model_usage)
        return None if cost is None else not_negative("a cost", exact(cost))
    except Exception:  # noqa: BLE001 - of a provider's numbers or a price list that is not ours
        return None


def worst_case(request: ChatRequest, price: Price) -> Decimal | None:
    """Give the most that *request* can cost, or None where nothing bounds it.

    A token is at least one byte, so the bytes of the request are a ceiling on its input tokens; and
    each of them may turn out to be of the dearest kind. There is no ceiling without `max_tokens`,
    nor on media that the request only points to.
    """
    pointing = (_points_elsewhere(message.blocks) for message in request.messages)
    if request.max_tokens is None or any(pointing):
        return None
    dearest = max(price.input, price.cache_read, price.cache_write_5m, price.cache_write_1h)
    return total(priced(request_bytes(request), dearest), priced(request.max_tokens, price.output))


def request_bytes(request: ChatRequest) -> int:
    """Give about as many bytes as *request* has as UTF-8 JSON, and never fewer than its texts.

    The text of a message is looked at, not encoded, where it is ASCII: the cost of counting goes
    with the number of values, not with their length.
    """
    asked = (request.messages, request.tools, request.response_format)
    return sum(_bytes_of(part) for part in asked)


def _cost(call: Any, usage: Usage, model_usage: ModelUsage | None) -> Decimal | None:
    cost = cost_of(usage, model_usage)
    if cost is not None:
        return cost
    if not all_tokens(usage, model_usage):
        return Decimal(0)
    price = price_of(call)
    return None if price is None else price.cost_of(model_usage or ModelUsage.from_usage(usage))


def _points_elsewhere(blocks: Sequence[ContentBlock]) -> bool:
    """Tell whether one of *blocks*, or of what a tool gave, is only pointed to."""
    for block in blocks:
        if isinstance(block, ToolResultBlock):
            if _points_elsewhere(block.content):
                return True
        elif isinstance(block, UnknownBlock):
            if _has_address(block.raw):
                return True
        elif any(getattr(block, name, None) is not None for name in _POINTERS):
            return True
    return False


def _has_address(raw: Any) -> bool:
    """Tell whether *raw*, a block that only its provider knows, may name something elsewhere."""
    if isinstance(raw, Mapping):
        parts = cast("Mapping[str, Any]", raw)  # of what, isinstance() cannot tell
        names = [name.lower().replace("_", "") for name in parts]
        return any(name.endswith(_ADDRESSES) for name in names) or _has_address([*parts.values()])
    if isinstance(raw, (list, tuple)):
        return any(map(_has_address, cast("Sequence[Any]", raw)))  # the same
    return False


def _bytes_of(value: Any) -> int:
    if isinstance(value, str):
        size = len(value) if value.isascii() else len(value.encode("utf-8", "surrogatepass"))
        return size + _PUNCTUATION
    if isinstance(value, (bytes, bytearray)):
        return len(value) * 4 // 3 + _PUNCTUATION  # as base64
    if isinstance(value, Mapping):
        names = cast("Collection[Any]", value.keys())  # of what, isinstance() cannot tell
        parts = cast("Collection[Any]", value.values())
        return _PUNCTUATION + sum(map(_bytes_of, names)) + sum(map(_bytes_of, parts))
    if isinstance(value, (list, tuple, set, frozenset)):
        parts = cast("Collection[Any]", value)  # the same
        return _PUNCTUATION + sum(map(_bytes_of, parts))
    if is_dataclass(value):
        return sum(_bytes_of(getattr(value, name)) + len(name) for name in _told_fields(value))
    return 0 if value is None else _SCALAR_BYTES


def _told_fields(value: Any) -> Collection[str]:
    # Not fields(), which makes a new tuple each time; the type of a block is among these too.
    names: dict[str, Any] = value.__dataclass_fields__
    if not getattr(value, "blocks", ()):
        return names
    # The text of a message with blocks is in its blocks; it is sent once.
    return [name for name in names if name != "content"]
