"""Running the tool calls of one turn: gates, tools, and each outcome saved as it comes."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any

from agentkit.agents.cognition import _outcomes as outcomes
from agentkit.agents.cognition._plan import LoopPlan
from agentkit.agents.cognition._state import CallRecord, PendingTurn
from agentkit.agents.gates import Decision, Elicitation, as_decision, elicit, should_gate
from agentkit.agents.results import ToolOutcome
from agentkit.agents.tools import ToolRegistry, render_result
from agentkit.agents.tools._protocol import ChecksArguments
from agentkit.core.contracts.errors import ApprovalUnavailable
from agentkit.core.contracts.types import StreamEvent, ToolCall, ToolRequest
from agentkit.core.execution import gather_bounded

__all__ = ["Dispatch"]


class Dispatch:
    """The tool calls of one *turn* of *run*; *save* is awaited after each one that ends.

    When `events` are over, either every call has an outcome or `waiting` says which ones wait for a
    person.
    """

    def __init__(
        self,
        plan: LoopPlan,
        ctx: Any,
        turn: PendingTurn,
        *,
        agent: str,
        run: str,
        save: Callable[[], Awaitable[None]],
    ) -> None:
        self._plan = plan
        self._registry = plan.registry or ToolRegistry()
        self._ctx = ctx
        self._turn = turn
        self._agent = agent
        self._meta = {"run": run}
        self._save = save
        self._asker = getattr(ctx, "asker", None)
        self.waiting: list[CallRecord] = []

    async def events(self, *, is_durable: bool) -> AsyncGenerator[StreamEvent, None]:
        """Give a `tool_call` and a `tool_result` for each call, an `interrupt` where one waits.

        Raises:
            ApprovalUnavailable: A call needs a person, and there is nobody to ask and nowhere to
                wait; no call of the turn was run.

        """
        settled = self._settle_impossible()
        gated = [record for record in self._turn.open_calls if self._is_gated(record)]
        if gated and self._asker is None and not is_durable:
            raise _unavailable(gated)
        for record in settled:
            for event in (_called(record), _answered(record)):
                yield event
        async for event in self._run([r for r in self._turn.open_calls if r not in gated]):
            yield event
        async for event in self._decide(gated):
            yield event

    async def _decide(self, gated: list[CallRecord]) -> AsyncGenerator[StreamEvent, None]:
        for record in gated:
            await self._ctx.emit(
                "gate.check",
                f"{record.call.name} needs approval",
                payload={"tool": record.call.name, "call_id": record.call.id},
                agent=self._agent,
            )
            yield StreamEvent("interrupt", "awaiting_approval", tool_call=record.call)
            if self._asker is not None:
                self._apply_asked(record, await elicit(self._ctx, self.elicitation(record)))
        if self._asker is None:
            self.waiting = gated
            return
        if gated:
            await self._save()
        for record in gated:
            if record.outcome is not None:
                yield _answered(record)
        async for event in self._run([record for record in gated if record.outcome is None]):
            yield event

    def apply(self, record: CallRecord, decision: Decision) -> None:
        """Take a person's *decision* on one call."""
        if not decision.approved:
            record.outcome = outcomes.decided(decision)
            return
        record.approved = True
        if decision.kind == "modify":
            record.arguments = dict(decision.value)
            record.outcome = self._fault_of(record.to_run)

    def _apply_asked(self, record: CallRecord, decision: Decision) -> None:
        try:
            self.apply(record, as_decision(decision))
        except ValueError as exc:  # what a person gave as arguments is none
            record.outcome = outcomes.failed(exc)

    def elicitation(self, record: CallRecord) -> Elicitation:
        """Give the question that *record* puts to a person."""
        return Elicitation(
            record.call.id,
            f"May {self._agent} call {record.call.name}?",
            choices=("approve", "deny"),
            tool_call=record.call,
            deadline_s=self._plan.approval_deadline_s,
            run_id=self._ctx.correlation_id,
            agent=self._agent,
        )

    def _settle_impossible(self) -> list[CallRecord]:
        """Answer the calls that cannot be made, before anybody is asked about them."""
        settled: list[CallRecord] = []
        for record in self._turn.open_calls:
            record.outcome = self._fault_of(record.to_run)
            if record.outcome is not None:
                settled.append(record)
        return settled

    def _fault_of(self, call: ToolCall) -> ToolOutcome | None:
        if call.name not in self._registry.names():
            return outcomes.unknown_tool(call, self._registry)
        if call.raw_arguments is not None:
            return outcomes.malformed(call)
        tool = self._registry.get(call.name)
        if not isinstance(tool, ChecksArguments):
            return None
        try:
            tool.check_arguments(call.arguments)
        except outcomes.STOPS_THE_RUN:
            raise
        except Exception as exc:  # noqa: BLE001 - the tool is not ours; the model can react to it
            return outcomes.failed(exc)
        return None

    def _is_gated(self, record: CallRecord) -> bool:
        if record.approved:
            return False
        tool = self._registry.get(record.call.name)
        return should_gate(
            self._ctx.autonomy,
            requires_approval=self._registry.requires_approval(record.call.name),
            key_step=_has_side_effect(tool),
        )

    async def _run(self, records: list[CallRecord]) -> AsyncGenerator[StreamEvent, None]:
        for record in records:
            yield _called(record)
        runs = [self._run_one(record) for record in records]
        try:
            await gather_bounded(runs, sem=self._ctx.semaphore())
        except BaseExceptionGroup as group:
            raise next(iter(group.exceptions)) from None  # the run stops: one reason is enough
        for record in records:
            yield _answered(record)

    async def _run_one(self, record: CallRecord) -> None:
        record.outcome = await self._outcome_of(record)
        await self._save()

    async def _outcome_of(self, record: CallRecord) -> ToolOutcome:
        call = record.to_run
        tool: Any = self._registry.get(call.name)
        request = ToolRequest(
            call.name,
            call.arguments,
            tool,
            _has_side_effect(tool),
            getattr(tool, "url_arg", None),
            call_id=call.id,
        )
        try:
            result = await self._ctx.invoker.invoke_tool(request, self._ctx, meta=self._meta)
            text = render_result(result)
        except outcomes.STOPS_THE_RUN:
            raise
        except asyncio.CancelledError as exc:
            if _is_being_cancelled():
                raise
            return outcomes.failed(exc)
        except Exception as exc:  # noqa: BLE001 - the tool is not ours; the model can react to it
            return outcomes.failed(exc)
        return ToolOutcome(kind="ok", text=self._framed(text, record))

    def _framed(self, text: str, record: CallRecord) -> str:
        if self._plan.wrap_output is not None:
            text = self._plan.wrap_output(text, source=record.call.name)
        if record.arguments is None:
            return text
        return f"[run with the approver's arguments: {render_result(record.arguments)}]\n{text}"


def _is_being_cancelled() -> bool:
    """Say whether it is this task that somebody cancels, or only something that it waited for."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


def _has_side_effect(tool: Any) -> bool:
    """Say whether *tool* has a side effect; one that does not say counts as one that has."""
    return bool(getattr(tool, "side_effecting", True))


def _called(record: CallRecord) -> StreamEvent:
    return StreamEvent("tool_call", record.call.name, tool_call=record.to_run)


def _answered(record: CallRecord) -> StreamEvent:
    text = record.outcome.text if record.outcome else ""
    return StreamEvent("tool_result", text, tool_call=record.to_run, tool_result=record.outcome)


def _unavailable(gated: list[CallRecord]) -> ApprovalUnavailable:
    name = gated[0].call.name
    return ApprovalUnavailable(
        f"the tool {name!r} needs approval: wire an asker to be asked at once, "
        "or a checkpointer to suspend the run",
        tool_name=name,
    )
