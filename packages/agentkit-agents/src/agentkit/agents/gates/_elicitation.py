"""Asking a person while the run waits."""

import asyncio
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

from agentkit.agents.gates._decisions import Decision
from agentkit.core.contracts.types import ToolCall

__all__ = ["Asker", "Elicitation", "ElicitationKind", "elicit"]

ElicitationKind = Literal["approval", "value"]


@dataclass(frozen=True, slots=True)
class Elicitation:
    """One question to a person; unanswered for *deadline_s* seconds it expires.

    `secret` keeps what is entered out of observations.
    """

    id: str
    prompt: str
    kind: ElicitationKind = "approval"
    choices: tuple[str, ...] = ()
    tool_call: ToolCall | None = None
    secret: bool = field(default=False, kw_only=True)
    deadline_s: float | None = field(default=None, kw_only=True)
    run_id: str = field(default="", kw_only=True)
    agent: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "choices", tuple(self.choices))


@runtime_checkable
class Asker(Protocol):
    """Whoever can get a decision from a person."""

    async def ask(self, request: Elicitation) -> Decision:
        """Give the decision; do not block the event loop, or no deadline can pass."""
        ...


async def elicit(ctx: Any, request: Elicitation, *, asker: Asker | None = None) -> Decision:
    """Give a person's decision on *request*, asked of *asker* or of the run's own.

    Nobody to ask denies; a deadline that passes gives `expired`. The decision is told to the
    observer as `gate.check`, without what was entered where that is secret.
    """
    whom = asker if asker is not None else getattr(ctx, "asker", None)
    decision = Decision("deny", note="nobody to ask") if whom is None else await _ask(whom, request)
    shown = decision.redacted() if request.secret else decision
    payload = {"id": request.id, "kind": shown.kind, "actor": shown.actor, "value": shown.value}
    await ctx.emit("gate.check", f"{request.id}: {shown.kind}", payload=payload)
    return decision


async def _ask(asker: Asker, request: Elicitation) -> Decision:
    waiting = asyncio.timeout(request.deadline_s)
    try:
        async with waiting:
            return await asker.ask(request)
    except TimeoutError:
        if not waiting.expired():  # the asker's own: not an answer
            raise
        return Decision("expired")
