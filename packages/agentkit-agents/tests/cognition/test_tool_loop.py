"""The tool loop: what the model is sent, what it is told, how a run ends."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any, TypeVar

import pytest

from agentkit.agents import Agent, AgentResult, ReActCognition, WorkingContext, tool
from agentkit.agents.termination import FunctionCall, MaxTurns, TextMention
from agentkit.core.contracts.errors import Blocked, Cancelled, MeterExceeded, ProviderError
from agentkit.core.contracts.middleware import Call, Handler
from agentkit.core.contracts.types import Delta, Message, StreamEvent, ToolCall
from agentkit.core.execution.cancellation import CancellationToken
from agentkit.core.policies import memoize, meter, output_coerce
from agentkit.core.runtime import ActorBudget, Budget, RunContext
from agentkit.core.testing import (
    FakeLLM,
    FakeTool,
    JsonStore,
    MemoryCheckpoints,
    RecordingObserver,
    RecordingTracer,
    Turn,
    make_test_ctx,
)

T = TypeVar("T")
LOOK = ToolCall("c1", "look", {"at": "log"})


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)


async def events_of(agent: Agent, ctx: RunContext, task: str = "go") -> list[StreamEvent]:
    return [event async for event in agent.stream(task, ctx)]


def reacting(*tools: Any, **settings: Any) -> Agent:
    return Agent("sre", model="fake", cognition=ReActCognition(list(tools), **settings))


def asks(*calls: ToolCall, text: str = "") -> Turn:
    return Turn(text, tool_calls=calls)


def told(llm: FakeLLM, request: int = -1) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in llm.requests[request].messages]


def test_a_tool_is_run_and_its_result_is_what_the_model_reads_next() -> None:
    look = FakeTool("look", responder={"lines": 3})
    llm = FakeLLM.script([asks(LOOK, text="let me see"), Turn("three lines")])

    result = run(reacting(look).run("how long?", make_test_ctx(llm=llm)))

    assert (result.output, result.stop_reason) == ("three lines", "complete")
    assert look.calls == [{"at": "log"}]
    assert told(llm)[-2:] == [("assistant", "let me see"), ("tool", '{"lines": 3}')]


def test_the_prompt_comes_first_and_the_tools_are_offered() -> None:
    llm = FakeLLM("done")
    agent = Agent("a", model="m", prompt="Be brief.", cognition=ReActCognition([FakeTool("look")]))

    run(agent.run("go", make_test_ctx(llm=llm)))

    assert told(llm) == [("system", "Be brief."), ("user", "go")]
    assert [schema.name for schema in llm.requests[0].tools or []] == ["look"]


def test_usage_is_the_sum_of_all_calls() -> None:
    llm = FakeLLM.script([asks(LOOK), Turn("done")])

    result = run(reacting(FakeTool("look")).run("go", make_test_ctx(llm=llm)))

    assert (result.usage.input_tokens, result.usage.output_tokens) == (20, 10)


def test_the_events_tell_the_run_in_order() -> None:
    llm = FakeLLM.script([asks(LOOK), Turn("done")])
    ctx = make_test_ctx(llm=llm)

    events = run(events_of(reacting(FakeTool("look", responder="ok")), ctx))

    kinds = [event.type for event in events]
    assert kinds == ["tool_call", "tool_result", "step", "message_delta", "final"]
    assert (events[1].text, events[1].tool_result.kind) == ("ok", "ok")
    assert events[2].text == "iteration:1"


def test_partial_objects_are_streamed_through_the_agent() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    ctx = make_test_ctx(llm=FakeLLM('{"n": 12, "m": 3}'), chat_middleware=[output_coerce()])
    agent = Agent("a", model="m", output=schema)

    events = run(events_of(agent, ctx))

    assert {"n": 12} in [event.partial_output for event in events]
    assert events[-1].result.parsed == {"n": 12, "m": 3}


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (ToolCall("c", "nope"), "ERROR: unknown tool 'nope'. Available tools: ['add']"),
        (ToolCall("c", "add", {"_raw": "{x"}), "ERROR: the arguments of 'add' are not a JSON"),
        (ToolCall("c", "add", {"a": "x"}), "ERROR: tool 'add' call rejected: invalid argument"),
        (ToolCall("c", "add", {"a": -1}), "ERROR: ZeroDivisionError: no"),
    ],
    ids=["unknown", "no-json", "wrong-type", "raises"],
)
def test_a_call_that_fails_is_told_to_the_model(call: ToolCall, text: str) -> None:
    @tool(side_effecting=False)
    def add(a: int) -> int:
        """Add one to a number that is not negative."""
        if a < 0:
            raise ZeroDivisionError("no")
        return a + 1

    llm = FakeLLM.script([asks(call), Turn("sorry")])
    result = run(reacting(add).run("go", make_test_ctx(llm=llm)))
    assert result.output == "sorry"
    assert told(llm)[-1][1].startswith(text)


def failing(error: BaseException) -> FakeTool:
    def responder(args: Any) -> Any:
        raise error

    return FakeTool("look", responder=responder)


@pytest.mark.parametrize(
    "secret",
    [
        "postgres://app:hunter2@db/x refused",
        "header Authorization: Bearer hunter2hunter2",
        'bad config {"db_password": "hunter2"}',
        "api_key=hunter2 is wrong",
        "no such key sk-hunter2hunter2hunter2",
    ],
)
def test_a_credential_in_an_error_is_not_told_to_the_model(secret: str) -> None:
    llm = FakeLLM.script([asks(LOOK), Turn("sorry")])

    run(reacting(failing(OSError(secret))).run("go", make_test_ctx(llm=llm)))

    assert "hunter2" not in told(llm)[-1][1]
    assert "[secret]" in told(llm)[-1][1]


def test_a_refusal_of_a_middleware_is_told_to_the_model() -> None:
    llm = FakeLLM.script([asks(LOOK), Turn("sorry")])

    run(reacting(failing(Blocked("not allowed here"))).run("go", make_test_ctx(llm=llm)))

    assert told(llm)[-1][1] == "ERROR: refused: not allowed here"


@pytest.mark.parametrize(
    "error", [Cancelled("stop"), MeterExceeded("calls 3 > 2")], ids=["cancelled", "ceiling"]
)
def test_what_stops_the_run_is_never_a_tool_result(error: Exception) -> None:
    llm = FakeLLM.script([asks(LOOK)])

    with pytest.raises(type(error), match=str(error)):
        run(reacting(failing(error)).run("go", make_test_ctx(llm=llm)))


def cancelling(token: CancellationToken) -> Callable[[Any], None]:
    def cancel(args: Any) -> None:
        token.cancel("enough")

    return cancel


def test_a_cancelled_token_ends_the_run() -> None:
    token = CancellationToken()
    look = FakeTool("look", responder=cancelling(token))
    llm = FakeLLM.script([asks(LOOK), Turn("never")])

    with pytest.raises(Cancelled, match="enough"):
        run(reacting(look).run("go", make_test_ctx(llm=llm, cancel=token)))
    assert llm.calls == 1


def test_calls_of_one_turn_run_side_by_side() -> None:
    async def both(_: Any) -> str:
        await barrier.wait()
        return "met"

    async def meet() -> AgentResult:
        return await reacting(FakeTool("look", responder=both)).run("go", make_test_ctx(llm=llm))

    barrier = asyncio.Barrier(2)
    llm = FakeLLM.script([asks(LOOK, ToolCall("c2", "look")), Turn("done")])
    assert run(meet()).output == "done"


def test_the_ceiling_of_iterations_gives_a_partial_answer() -> None:
    llm = FakeLLM.script([asks(LOOK, text="still looking")], repeat_last=True)

    result = run(reacting(FakeTool("look"), max_iterations=2).run("go", make_test_ctx(llm=llm)))

    assert (result.stop_reason, result.partial) == ("max_iterations", True)
    assert (result.output, llm.calls) == ("still looking", 2)


def test_a_condition_that_stops_with_calls_pending_leaves_none_unanswered() -> None:
    look, context = FakeTool("look"), WorkingContext()
    llm = FakeLLM.script([asks(LOOK)])
    agent = reacting(look, termination=FunctionCall("look"))

    result = run(agent.run("go", make_test_ctx(llm=llm), context=context))

    assert (result.stop_reason, result.evals["stop_reason"]) == ("terminated", "function_call")
    assert look.calls == []
    assert [m.tool_call_id for m in context.messages if m.role == "tool"] == ["c1"]


def test_a_condition_serves_many_runs() -> None:
    agent = reacting(FakeTool("look"), termination=MaxTurns(2) | TextMention("never"))
    llm = FakeLLM.script([asks(LOOK), asks(LOOK), asks(LOOK), asks(LOOK)])

    for run_id in ("one", "two"):
        result = run(agent.run("go", make_test_ctx(llm=llm, correlation_id=run_id)))
        assert result.evals["stop_reason"] == "max_turns"
    assert llm.calls == 4


def test_a_guardrail_frames_what_tools_give() -> None:
    class Guard:
        def wrap_tool_output(self, text: str, *, source: str) -> str:
            return f"UNTRUSTED from {source}: {text}"

    llm = FakeLLM.script([asks(LOOK), Turn("done")])
    agent = reacting(FakeTool("look", responder="x"), guardrail=Guard())
    run(agent.run("go", make_test_ctx(llm=llm)))
    assert told(llm)[-1][1] == "UNTRUSTED from look: x"


def test_a_given_context_is_gone_on_with() -> None:
    context = WorkingContext(messages=[Message("user", "hi"), Message("assistant", "hello")])
    llm = FakeLLM("done")

    run(Agent("a", model="m").run("go", make_test_ctx(llm=llm), context=context))

    assert [role for role, _ in told(llm)] == ["user", "assistant", "user"]
    assert context.messages[-1] == Message("assistant", "done")


def test_a_memoized_tool_is_called_once_for_two_runs() -> None:
    look = FakeTool("look", responder={"expiry": "2026"})
    llm = FakeLLM.script([asks(LOOK), Turn("a"), asks(LOOK), Turn("b")])
    ctx = make_test_ctx(llm=llm, store=JsonStore(), tool_middleware=[memoize()])

    for _ in range(2):
        run(reacting(look).run("go", ctx))
    assert len(look.calls) == 1


def test_a_ceiling_that_raises_leaves_the_run() -> None:
    llm = FakeLLM.script([asks(LOOK), Turn("never")])
    ctx = make_test_ctx(llm=llm, budget=Budget(max_calls=1), chat_middleware=[meter()])

    with pytest.raises(MeterExceeded):
        run(reacting(FakeTool("look")).run("go", ctx))


def test_a_ceiling_that_stops_ends_the_run_before_the_tools_and_can_be_lifted() -> None:
    llm, look = FakeLLM.script([asks(LOOK), Turn("done")]), FakeTool("look")
    ctx = make_test_ctx(
        llm=llm,
        budget=Budget(max_calls=1, on_exceeded="stop"),
        chat_middleware=[meter()],
        checkpointer=MemoryCheckpoints(),
    )
    agent = reacting(look)
    stopped = run(agent.run("go", ctx))
    assert (stopped.stop_reason, stopped.is_resumable, look.calls) == ("budget_exhausted", True, [])
    ctx.budget.max_calls = None
    assert run(agent.resume("test-run", ctx)).output == "done"


def test_a_call_refused_at_a_ceiling_that_stops_ends_the_run_too() -> None:
    async def refuse(call: Call, nxt: Handler) -> AsyncIterator[Delta]:
        raise MeterExceeded("cost $2 > $1")
        yield Delta()

    budget = Budget(on_exceeded="stop")
    ctx = make_test_ctx(llm=FakeLLM(), budget=budget, chat_middleware=[refuse])
    result = run(Agent("a", model="m").run("go", ctx))
    assert (result.stop_reason, result.evals["budget"]) == ("budget_exhausted", "cost $2 > $1")


def test_a_run_without_budget_does_not_begin() -> None:
    ctx = make_test_ctx(llm=FakeLLM("x"), budget=Budget(max_calls=0, on_exceeded="stop"))

    assert run(Agent("a", model="m").run("go", ctx)).stop_reason == "budget_exhausted"


def test_an_actors_empty_envelope_ends_the_run() -> None:
    ctx = make_test_ctx(llm=FakeLLM("x"))
    ctx.actor_budget = ActorBudget(max_tokens=1, max_cost_usd=1, max_steps=1, max_wall_seconds=60)
    ctx.actor_budget.charge(steps=1)

    assert run(Agent("a", model="m").run("go", ctx)).stop_reason == "budget_exhausted"


def test_a_long_error_is_cut() -> None:
    llm = FakeLLM.script([asks(LOOK), Turn("sorry")])

    run(reacting(failing(OSError("x" * 9999))).run("go", make_test_ctx(llm=llm)))

    assert told(llm)[-1][1].endswith("[truncated]")
    assert len(told(llm)[-1][1]) < 600


def test_errors_of_ours_are_told_without_their_type() -> None:
    llm = FakeLLM.script([asks(LOOK), Turn("sorry")])

    run(reacting(failing(ProviderError("no such index"))).run("go", make_test_ctx(llm=llm)))

    assert told(llm)[-1][1] == "ERROR: no such index"


def test_an_error_without_a_text_is_told_by_its_type() -> None:
    llm = FakeLLM.script([asks(LOOK), Turn("sorry")])

    run(reacting(failing(KeyError())).run("go", make_test_ctx(llm=llm)))

    assert told(llm)[-1][1] == "ERROR: KeyError"


def test_an_answer_that_reaches_the_ceiling_is_kept() -> None:
    budget = Budget(max_calls=1, on_exceeded="stop")
    ctx = make_test_ctx(llm=FakeLLM("done"), budget=budget, chat_middleware=[meter()])

    assert run(Agent("a", model="m").run("go", ctx)).stop_reason == "complete"


def test_an_error_of_the_provider_leaves_as_it_is() -> None:
    llm = FakeLLM.script([Turn(error=ProviderError("overloaded", status=529))])

    with pytest.raises(ProviderError, match="overloaded"):
        run(reacting(FakeTool("look")).run("go", make_test_ctx(llm=llm)))


def test_the_run_is_one_span_with_what_it_came_to() -> None:
    tracer = RecordingTracer()

    run(Agent("a", model="m").run("go", make_test_ctx(llm=FakeLLM("x"), trace=tracer)))

    spans = {span.name: span for span in tracer.spans}
    assert spans["invoke_agent"].attrs["gen_ai.agent.name"] == "a"
    assert spans["invoke_agent"].attrs["gen_ai.usage.input_tokens_subtree"] == 10


def test_a_trace_that_raises_does_not_hurt_the_run() -> None:
    class Broken(RecordingTracer):
        def span(self, name: str, kind: str, **attrs: Any) -> Any:
            raise OSError(name)

    ctx = make_test_ctx(llm=FakeLLM("x"), trace=Broken(), observer=RecordingObserver())
    assert run(Agent("a", model="m").run("go", ctx)).output == "x"


def test_a_closed_stream_closes_the_model_call() -> None:
    closed: list[str] = []

    async def endless(call: Call, nxt: Handler) -> AsyncIterator[Delta]:
        try:
            while True:
                yield Delta("x")
        finally:
            closed.append(call.kind)

    async def take_one() -> None:
        ctx = make_test_ctx(llm=FakeLLM(), chat_middleware=[endless])
        stream = Agent("a", model="m").stream("go", ctx)
        await anext(stream)
        await stream.aclose()

    run(take_one())
    assert closed == ["chat"]


@pytest.mark.parametrize("bad", [0, -1])
def test_a_loop_runs_at_least_once(bad: int) -> None:
    with pytest.raises(ValueError, match="max_iterations is 1 or more"):
        ReActCognition([], max_iterations=bad)


def test_a_guardrail_that_cannot_frame_is_refused() -> None:
    with pytest.raises(TypeError, match="wrap_tool_output"):
        ReActCognition([], guardrail=object())
