"""The frame in which values travel: contexts, services, invocation, money, checkpoints."""

from typing import TYPE_CHECKING

from agentkit.core import _on_demand

if TYPE_CHECKING:
    from agentkit.core.runtime._actor_budget import ActorBudget
    from agentkit.core.runtime._budget import Budget
    from agentkit.core.runtime._checkpointer import Checkpointer
    from agentkit.core.runtime._clock import SystemClock
    from agentkit.core.runtime._context import RunContext
    from agentkit.core.runtime._invoker import Invoker
    from agentkit.core.runtime._meters import (
        Charge,
        Held,
        Meter,
        Reservation,
        ReservingMeter,
        cost_of,
        reserve,
    )
    from agentkit.core.runtime._money import MONEY_SCALE, to_money
    from agentkit.core.runtime._null_ctx import NullCtx
    from agentkit.core.runtime._quota import Quota
    from agentkit.core.runtime._services import Services
else:
    __getattr__, __dir__ = _on_demand.names(
        __name__,
        _actor_budget="ActorBudget",
        _budget="Budget",
        _checkpointer="Checkpointer",
        _clock="SystemClock",
        _context="RunContext",
        _invoker="Invoker",
        _meters="Charge Held Meter Reservation ReservingMeter cost_of reserve",
        _money="MONEY_SCALE to_money",
        _null_ctx="NullCtx",
        _quota="Quota",
        _services="Services",
    )

__all__ = [
    "MONEY_SCALE",
    "ActorBudget",
    "Budget",
    "Charge",
    "Checkpointer",
    "Held",
    "Invoker",
    "Meter",
    "NullCtx",
    "Quota",
    "Reservation",
    "ReservingMeter",
    "RunContext",
    "Services",
    "SystemClock",
    "cost_of",
    "reserve",
    "to_money",
]
