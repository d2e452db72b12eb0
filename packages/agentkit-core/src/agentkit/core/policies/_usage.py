"""What a call has consumed, as far as is known when it ends."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Final

from agentkit.core.contracts.middleware import Call
from agentkit.core.contracts.types import ChatRequest, ModelUsage, Provenance, Usage
from agentkit.core.policies._tokens import estimate_message_tokens

__all__ = ["CHARGED", "estimated", "plain", "usage_seen"]

CHARGED: Final = "agentkit.charged"
"""The key of `call.meta` under which `meter()` leaves what it charged, for `tracing()` to tell."""

_CHARS_PER_TOKEN = 4


def usage_seen(
    items: Sequence[Any], failure: BaseException | None, *, ended: bool
) -> tuple[ModelUsage | Usage | None, Provenance]:
    """Give the last usage among *items* and how well it is known; exact usage is preferred.

    A *failure* that carries what had arrived (`ProviderError.partial`) is asked when no item knows.
    """
    arrived = getattr(failure, "partial", None)
    for item in chain(reversed(items), (arrived,)):
        exact = getattr(item, "model_usage", None)
        if isinstance(exact, ModelUsage):
            return exact, exact.provenance
        usage = getattr(item, "usage", None)
        # An `LLMResult` has a usage even when nobody reported one.
        if isinstance(usage, Usage) and (item is not arrived or usage != Usage()):
            return usage, "reported" if ended else "partial"
    return None, "unknown"


def plain(usage: ModelUsage | Usage) -> Usage:
    """Give *usage* in the convention of `Usage`: fresh input, float cost."""
    return usage.to_usage() if isinstance(usage, ModelUsage) else usage


def estimated(call: Call, request: ChatRequest, chars: int) -> ModelUsage:
    """Estimate what *call* cost, cut after *chars* characters of the answer to *request*.

    The provider has read the whole request and written what came; its cost is known where the
    model's price is, and its list does not fail: the call is charged then too.
    """
    usage = ModelUsage(
        input_tokens=estimate_message_tokens(request.messages),
        output_tokens=-(-chars // _CHARS_PER_TOKEN),
        provenance="estimated",
    )
    prices = getattr(call.ctx, "prices", None)
    try:
        price = None if prices is None else prices(request.model)
        return usage if price is None else replace(usage, cost=price.cost_of(usage))
    except Exception:  # noqa: BLE001 - a price list is not ours, and the tokens are consumed
        return usage
