"""The loop behind both cognitions: ask the model, run its tools, until it answers.

State is saved when the run begins, after every answer of the model, and after every tool call that
ends, so that what is finished is never done again.
"""

import copy
from collections.abc import AsyncGenerator, Mapping
from typing import TYPE_CHECKING, Any, Final

from agentkit.agents.cognition import _outcomes as outcomes
from agentkit.agents.cognition._answer import ModelAnswer
from agentkit.agents.cognition._budget import is_spent, stops_quietly
from agentkit.agents.cognition._dispatch import Dispatch
from agentkit.agents.cognition._finish import Ending, recorded, restored, result_of
from agentkit.agents.cognition._plan import LoopPlan
from agentkit.agents.cognition._record import RunRecord
from agentkit.agents.cognition._resume import take_decisions
from agentkit.agents.cognition._state import LoopState, PendingTurn
from agentkit.agents.context import WorkingContext
from agentkit.agents.gates import DecisionLike
from agentkit.agents.results import AgentResult, Suspended
from agentkit.core.contracts.errors import Cancelled, MeterExceeded
from agentkit.core.contracts.middleware import closing
from agentkit.core.contracts.ports import CheckpointStatus
from agentkit.core.contracts.types import Message, StreamEvent

if TYPE_CHECKING:
    from agentkit.agents._agent import Agent

__all__ = ["AgentLoop"]

Events = AsyncGenerator[StreamEvent, None]

_BUDGET: Final = "budget_exhausted"


class AgentLoop:
    """One run of *agent* by *plan*."""

    def __init__(self, agent: "Agent", ctx: Any, plan: LoopPlan) -> None:
        self._agent = agent
        self._ctx = ctx
        self._plan = plan
        self._record = RunRecord(ctx, plan.checkpointer)
        self._termination = copy.deepcopy(plan.termination)
        self._result: AgentResult | None = None

    async def run(self, task: str, context: WorkingContext | None) -> Events:
        """Give the events of a new run.

        Raises:
            CheckpointConflict: Somebody else begins the run just now; nothing was done here.
            RunUnfinished: The slot holds a run that is not over.

        """
        await self._record.refuse_unfinished()
        context = WorkingContext() if context is None else context
        built = await self._agent.builder().build(
            task, context, self._ctx, output_adapter=self._agent.shown_adapter
        )
        state = LoopState(
            agent=self._agent.name,
            task=task,
            context=context,
            prompt_version=built.prompt_version,
        )
        await self._record.save(state)
        if self._termination is not None:
            await self._termination.reset()
        async with closing(self._events(state)) as events:
            async for event in events:
                yield event

    async def resume(self, decisions: Mapping[str, DecisionLike] | None) -> Events:
        """Give the events from where the run stopped; those of a run that is over are its result.

        Raises:
            CheckpointConflict: Somebody else goes on with the run just now; nothing was done here.
            CheckpointerError: No checkpointer is wired, or what it saved cannot be read.
            ValueError: Nothing is saved, or a decision is for no waiting call.

        """
        state, status = await self._record.load(self._agent.name)
        if status.is_terminal():
            yield StreamEvent("final", result=restored(state, self._agent))
            return
        take_decisions(state, decisions, dispatch=self._dispatch, now=self._now())
        is_waiting = state.turn is not None and state.turn.waits
        await self._record.save(state, status if is_waiting else CheckpointStatus.RUNNING)
        if self._termination is not None:
            await self._termination.reset()
            await self._termination.replay(_answers_in(state))
        async with closing(self._events(state)) as events:
            async for event in events:
                yield event

    async def _events(self, state: LoopState) -> Events:
        while self._result is None:
            phase = self._think(state) if state.turn is None else self._act(state, state.turn)
            async with closing(phase) as events:
                async for event in events:
                    yield event
        yield StreamEvent("final", result=self._result, usage=self._result.usage)

    async def _think(self, state: LoopState) -> Events:
        self._ctx.check_cancelled()
        most = self._plan.max_iterations
        if most is not None and state.iteration >= most:
            await self._end(state, Ending("max_iterations", partial=True))
            return
        if is_spent(self._ctx):
            await self._pause(state)
            return
        answer = ModelAnswer(self._agent, self._ctx)
        registry = self._plan.registry
        tools = (registry.schemas() or None) if registry else None
        try:
            async with closing(answer.events(state.context, tools)) as events:
                async for event in events:
                    yield event
        except MeterExceeded as exc:
            if not stops_quietly(self._ctx):
                raise
            await self._pause(state, str(exc))
            return
        state.usage += answer.result.usage
        state.iteration += 1
        repaired = await self._receive(state, answer)
        if repaired:
            yield self._step(state)

    async def _receive(self, state: LoopState, answer: ModelAnswer) -> bool:
        """Take the model's answer into *state*; say whether it is to be repaired."""
        message = answer.message(state.context)
        turn = PendingTurn.of(message)
        stop = await self._termination([message], self._ctx) if self._termination else None
        if stop is not None:
            detail = {"stop": dict(stop.detail)}
            await self._break_off(state, turn, answer, reason=stop.reason, detail=detail)
        elif not turn.calls or self._plan.registry is None:
            blocks = () if message.tool_calls else message.blocks
            state.context.append(Message("assistant", message.content, blocks=blocks))
            return await self._conclude(state, answer)
        elif answer.stopped is not None:
            await self._break_off(state, turn, answer, reason=answer.stopped)
        else:
            state.turn = turn
            await self._record.save(state)
        return False

    async def _break_off(
        self,
        state: LoopState,
        turn: PendingTurn,
        answer: ModelAnswer,
        *,
        reason: str,
        detail: Mapping[str, Any] | None = None,
    ) -> None:
        """End with *answer*, none of its calls run; one that is not whole says so itself."""
        reason = answer.stopped or reason
        for record in turn.calls:
            record.outcome = outcomes.not_run(reason)
        state.context.extend(turn.as_messages())
        unrun = {"not_run": [record.call.name for record in turn.calls]} if turn.calls else {}
        facts = {**answer.facts, **(detail or {}), **unrun}
        await self._end(state, Ending(reason, partial=answer.stopped is not None, facts=facts))

    async def _conclude(self, state: LoopState, answer: ModelAnswer) -> bool:
        """End with *answer*, or say that it is to be repaired."""
        stopped = answer.stopped
        if stopped in {"content_filter", "refusal"}:  # to ask again would be withheld again
            await self._end(state, Ending(stopped, partial=True, facts=answer.facts))
            return False
        try:
            parsed = answer.parsed()
        except Cancelled:
            raise
        except Exception as exc:  # noqa: BLE001 - the agent's own parse may raise anything
            return await self._repair(state, exc, answer)
        if stopped is not None and not self._agent.tells_whole:
            await self._end(state, Ending(stopped, partial=True, facts=answer.facts))
        else:
            await self._end(state, Ending(None, parsed=parsed, facts=answer.facts))
        return False

    async def _repair(self, state: LoopState, fault: Exception, answer: ModelAnswer) -> bool:
        told = f"{answer.why_broken}{str(fault) or type(fault).__name__}"
        if state.repairs >= self._agent.max_repairs:
            facts = {**answer.facts, "error": told}
            await self._end(state, Ending("invalid_output", partial=True, facts=facts))
            return False
        state.repairs += 1
        shorter = "shorter, " if answer.stopped == "length" else ""
        state.context.append(
            Message(
                "user",
                f"That answer does not fit: {told}\n"
                f"Answer again, {shorter}with only the required format and nothing else.",
            )
        )
        await self._record.save(state)
        return True

    async def _act(self, state: LoopState, turn: PendingTurn) -> Events:
        self._ctx.check_cancelled()
        if is_spent(self._ctx):
            await self._pause(state)
            return
        dispatch = self._dispatch(state, turn)
        async with closing(dispatch.events(is_durable=self._record.is_durable)) as events:
            async for event in events:
                yield event
        if dispatch.waiting:
            await self._suspend(state, turn, dispatch)
            return
        if state.turn is not None:  # no call ended here: all of them were answered without running
            await self._saved_call(state)
        yield self._step(state)

    def _dispatch(self, state: LoopState, turn: PendingTurn) -> Dispatch:
        return Dispatch(
            self._plan,
            self._ctx,
            turn,
            agent=self._agent.name,
            run=state.run,
            save=lambda: self._saved_call(state),
        )

    async def _saved_call(self, state: LoopState) -> None:
        """Save *state* after a call; the turn joins the messages once its last call has ended."""
        if state.turn is not None and not state.turn.open_calls:
            state.context.extend(state.turn.as_messages())
            state.turn = None
        await self._record.save(state)

    async def _suspend(self, state: LoopState, turn: PendingTurn, dispatch: Dispatch) -> None:
        turn.waits = True
        limit = self._plan.approval_deadline_s
        if turn.deadline_at is None and limit is not None:
            turn.deadline_at = self._now() + limit
        waits_for = Suspended(
            run_id=self._ctx.correlation_id,
            pending=tuple(record.to_run for record in dispatch.waiting),
            elicitations=tuple(dispatch.elicitation(record) for record in dispatch.waiting),
            deadline_at=turn.deadline_at,
        )
        await self._record.save(state, CheckpointStatus.SUSPENDED)
        ending = Ending(waits_for.reason, partial=True, facts={"suspended": waits_for})
        self._result = result_of(state, ending)

    async def _pause(self, state: LoopState, reason: str = "") -> None:
        """End here for want of budget, to be resumed when there is some."""
        await self._record.save(state, CheckpointStatus.SUSPENDED)
        told = reason or self._ctx.budget.verdict().reason or "nothing is left of the budget"
        await self._ctx.emit("budget.exhausted", told, agent=self._agent.name)
        self._result = result_of(state, Ending(_BUDGET, partial=True, facts={"budget": told}))

    async def _end(self, state: LoopState, ending: Ending) -> None:
        self._result = result_of(state, ending)
        state.result = recorded(self._result)
        await self._record.save(state, ending.status)

    def _step(self, state: LoopState) -> StreamEvent:
        return StreamEvent("step", f"iteration:{state.iteration}", usage=state.usage)

    def _now(self) -> float:
        return float(self._ctx.clock.now())


def _answers_in(state: LoopState) -> list[Message]:
    """Give the model's answers since the run's task was set, which its conditions have seen."""
    messages = state.context.messages
    starts = [i for i, m in enumerate(messages) if m.role == "user" and m.content == state.task]
    new = messages[starts[-1] :] if starts else messages
    pending = [] if state.turn is None else [state.turn.message]
    return [message for message in [*new, *pending] if message.role == "assistant"]
