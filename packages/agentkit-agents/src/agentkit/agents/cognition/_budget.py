"""Whether a run that stops at its ceiling may spend more."""

from typing import Any

__all__ = ["is_spent", "stops_quietly"]


def stops_quietly(ctx: Any) -> bool:
    """Say whether reaching the budget's ceiling ends the run without an error."""
    return getattr(getattr(ctx, "budget", None), "on_exceeded", None) == "stop"


def is_spent(ctx: Any) -> bool:
    """Say whether the run is to stop before spending more: its own envelope, or its budget."""
    envelope = getattr(ctx, "actor_budget", None)
    if envelope is not None and envelope.exhausted():
        return True
    return stops_quietly(ctx) and bool(ctx.budget.exhausted())
