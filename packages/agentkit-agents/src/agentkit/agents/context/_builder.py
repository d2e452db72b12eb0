"""Building what is asked of a model from a task and a context."""

import inspect
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any

from agentkit.agents.context._prefix import PrefixContext
from agentkit.agents.context._working import WorkingContext
from agentkit.agents.prompts import Prompt
from agentkit.core.contracts.protocols import Compactor, Ctx, SchemaAdapter
from agentkit.core.contracts.types import Message
from agentkit.core.serialization import FrozenList, deep_freeze
from agentkit.core.telemetry import run_span

__all__ = ["BuiltRequest", "Grounder", "RequestBuilder"]

Grounder = Callable[[Ctx, str], Awaitable[str]]
"""Gives context relevant to a task, or an empty string."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltRequest:
    """The messages to send, the version of the prompt in them, and their approximate tokens."""

    messages: list[Message] = field(default_factory=FrozenList[Message])
    prompt_version: str = ""
    approx_tokens: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "messages", deep_freeze(list(self.messages)))

    def __hash__(self) -> int:
        return hash((self.prompt_version, self.approx_tokens))


@dataclass(slots=True)
class RequestBuilder:
    """Writes the prefix once, then only appends, so that a provider's cache keeps matching.

    *budget_check* gets the approximate tokens, sync or async, and may raise. A *compactor* sees the
    tail alone. *reground_every_turn* asks the *grounder* again for each task.
    """

    prompt: Prompt | None = None
    grounder: Grounder | None = None
    compactor: Compactor | None = None
    reground_every_turn: bool = field(default=False, kw_only=True)
    budget_check: Callable[[int], Any] | None = field(default=None, kw_only=True)

    async def build(
        self,
        task: str,
        wc: WorkingContext,
        ctx: Ctx,
        *,
        output_adapter: SchemaAdapter | None = None,
    ) -> BuiltRequest:
        """Put *task* into *wc* and give what to send; *output_adapter* says how to answer.

        Raises:
            ValueError: An input of the prompt has no value.

        """
        version = self.prompt.version if self.prompt else ""
        told = {"agentkit.prompt.version": version}
        async with run_span(ctx, "compose", "compose", **told):
            await self._write_prefix(task, wc, ctx)
            if output_adapter is not None and wc.prefix.schema_block is None:
                wc.prefix = replace(wc.prefix, schema_block=_instruction(output_adapter))
            wc.append(Message("user", task))
            if self.compactor is not None:
                wc.messages[:] = await self.compactor.compact(list(wc.messages), ctx)
            tokens = await wc.tokens()
            await self._check_budget(tokens)
        return BuiltRequest(messages=wc.assembled(), prompt_version=version, approx_tokens=tokens)

    async def _write_prefix(self, task: str, wc: WorkingContext, ctx: Ctx) -> None:
        if wc.prefix.is_empty:
            prompt = self.prompt.render() if self.prompt else ""
            wc.prefix = PrefixContext(prompt, await self._grounding(task, ctx))
        elif self.reground_every_turn:
            wc.prefix = replace(wc.prefix, grounding=await self._grounding(task, ctx))

    async def _grounding(self, task: str, ctx: Ctx) -> tuple[str, ...]:
        found = await self.grounder(ctx, task) if self.grounder else ""
        return (found,) if found else ()

    async def _check_budget(self, tokens: int) -> None:
        if self.budget_check is None:
            return
        verdict = self.budget_check(tokens)
        if inspect.isawaitable(verdict):
            await verdict


def _instruction(adapter: SchemaAdapter) -> str:
    schema = json.dumps(adapter.json_schema(), ensure_ascii=False)
    return (
        f"Answer with one JSON object and nothing else. It must match this JSON Schema:\n{schema}"
    )
