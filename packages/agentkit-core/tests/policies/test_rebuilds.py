"""Whatever makes a value out of another carries every field of it, those of tomorrow too.

Each test is driven by the fields themselves: one that is added and forgotten somewhere fails here.
What a rebuild means to leave out stands in its test.
"""

import asyncio
import inspect
from collections.abc import AsyncIterator, Iterable
from dataclasses import fields, replace
from typing import Any

import pytest

from agentkit.core.contracts.errors import Failure, UnsupportedOption
from agentkit.core.contracts.llm import GenerationOptions
from agentkit.core.contracts.middleware import (
    BaseMiddleware,
    Call,
    MiddlewareContext,
    restream,
)
from agentkit.core.contracts.observation import Observation
from agentkit.core.contracts.ports import Checkpoint, LLMPort
from agentkit.core.contracts.replay import ReplayRecord
from agentkit.core.contracts.types import (
    ChatRequest,
    Delta,
    LLMResult,
    Message,
    ModelUsage,
    ToolRequest,
    Usage,
    assemble_deltas,
)
from agentkit.core.contracts.types._results import beyond_text
from agentkit.core.execution import CancellationToken
from agentkit.core.execution._conversions import chat_message, messages_of
from agentkit.core.execution.bridges import as_llm_client, as_llm_port
from agentkit.core.policies import audit, fallback, idempotent, memoize, output_coerce, tracing
from agentkit.core.policies._memo_keys import default_key
from agentkit.core.policies._question import Question
from agentkit.core.runtime import ActorBudget, Budget, Checkpointer, RunContext, Services
from agentkit.core.start import run_context
from agentkit.core.testing import (
    FakeClock,
    FakeLLM,
    FakeTool,
    JsonStore,
    MemoryCheckpoints,
    RecordingObserver,
    RecordingTracer,
    Turn,
    filled,
    make_test_ctx,
)

from .drive import Terminal, chat, run

RESULT = filled(LLMResult)
DELTA = filled(Delta)
REQUEST = filled(ChatRequest)


def names(value: Any, *, but: Iterable[str] = ()) -> list[str]:
    found = {field.name for field in fields(value)}
    left_out = set(but)
    assert left_out <= found, "what is left out is a field"
    return sorted(found - left_out)


def each_field_of(value: Any, *, but: Iterable[str] = ()) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("name", names(value, but=but))


def changed(value: Any, name: str) -> Any:
    """Give *value* with the field *name* changed: another text or number, else nothing."""
    now = getattr(value, name)
    if isinstance(now, str | int | float):
        return replace(value, **{name: f"another {now}" if isinstance(now, str) else now + 1})
    return replace(value, **{name: now[:0] if isinstance(now, list | tuple) else _NOTHING[name]})


_NOTHING: dict[str, Any] = {"tools": None, "response_format": None, "arguments": {}}


def asked(request: Any, kind: str = "chat") -> Call:
    return Call(kind, request, make_test_ctx(clock=FakeClock()))


def context_of(request: ChatRequest) -> str:
    """Give what `semantic_memoize` asks for besides the last text."""
    index: Any = None
    context: str = Question(asked(request), index, "").__dict__["_context"]
    return context


def test_a_result_that_is_streamed_again_adds_up_to_itself() -> None:
    assert assemble_deltas([restream(RESULT)]) == RESULT


@each_field_of(Delta, but=["text", "partial"])
def test_what_a_delta_brings_is_in_the_result(name: str) -> None:
    assert getattr(assemble_deltas([DELTA]), name) == getattr(DELTA, name)


@each_field_of(Delta, but=["text"])
def test_a_delta_with_another_field_is_more_than_text(name: str) -> None:
    more: dict[str, Any] = {name: getattr(DELTA, name)}

    assert beyond_text([Delta("text", **more)])


@each_field_of(Delta, but=["text", "partial", "tool_calls", "blocks"])
def test_a_delta_that_gets_a_partial_keeps_the_rest(name: str) -> None:
    class Shape:
        def partial_parse(self, raw: str) -> Any:
            return raw

        def parse(self, raw: str) -> Any:
            return raw

    delta = replace(DELTA, text="{}", tool_calls=(), blocks=())
    passed, _ = run(output_coerce(), Terminal([delta]), chat(meta={"output_adapter": Shape()}))
    assert passed.partial == "{}"
    assert getattr(passed, name) == getattr(delta, name)


def test_a_memoized_result_comes_back_whole() -> None:
    remembering, store = memoize(), JsonStore()
    first = chat(ctx=make_test_ctx(store=store))
    hit = chat(ctx=make_test_ctx(store=store))

    run(remembering, Terminal([restream(RESULT)]), first)
    assert assemble_deltas(run(remembering, Terminal(), hit)) == RESULT


@each_field_of(ChatRequest)
def test_every_field_of_a_request_is_in_its_memo_key(name: str) -> None:
    assert default_key(asked(changed(REQUEST, name))) != default_key(asked(REQUEST))


@each_field_of(ChatRequest, but=["messages"])
def test_every_field_but_the_messages_makes_another_question(name: str) -> None:
    assert context_of(changed(REQUEST, name)) != context_of(REQUEST)


@each_field_of(Message, but=["content", "blocks"])
def test_all_of_the_last_message_but_its_text_makes_another_question(name: str) -> None:
    message = filled(Message, blocks=())
    one, other = (replace(REQUEST, messages=[m]) for m in (message, changed(message, name)))

    assert context_of(one) != context_of(other)


@each_field_of(ToolRequest, but=["tool", "side_effecting", "url_arg"])
def test_an_effect_is_known_by_what_it_was_asked(name: str) -> None:
    request = filled(ToolRequest, tool=FakeTool(), side_effecting=True)
    store, policy, end = JsonStore(), idempotent(), Terminal([1])

    for each in (request, request, changed(request, name)):
        run(policy, end, Call("tool", each, make_test_ctx(store=store)))
    assert end.calls == 2


@each_field_of(ToolRequest, but=["tool", "side_effecting", "url_arg"])
def test_what_a_tool_was_asked_is_in_the_log(name: str) -> None:
    request = filled(ToolRequest, tool=FakeTool(), side_effecting=True)
    store = JsonStore()
    for each in (request, changed(request, name)):
        run(audit(), Terminal([1]), Call("tool", each, make_test_ctx(store=store)))

    one, other = asyncio.run(store.list("audit:log"))
    assert one != other


def test_a_request_reaches_the_model_whole() -> None:
    llm = FakeLLM()
    ctx = make_test_ctx(llm=llm, chat_middleware=[fallback([REQUEST.model, "other"])])

    asyncio.run(ctx.invoker.chat(REQUEST, ctx))
    assert llm.requests == [REQUEST]


@pytest.mark.parametrize("method", [LLMPort.stream, LLMPort.chat], ids=["stream", "chat"])
def test_a_port_is_told_every_field_of_a_request(method: Any) -> None:
    assert set(inspect.signature(method).parameters) - {"self"} == set(names(ChatRequest))


def test_a_request_passes_through_the_bridges_whole() -> None:
    llm, message = FakeLLM("hi"), Message("user", "hi")
    request = replace(REQUEST, messages=[message], cache_hint="1h")
    bridged = as_llm_port(as_llm_client(_Only(llm), model=request.model))
    told: dict[str, Any] = {name: getattr(request, name) for name in names(ChatRequest)}

    asyncio.run(bridged.chat(**told))
    assert llm.requests == [request]


@each_field_of(LLMResult, but=["parsed"])  # the neutral contract has no typed object
def test_a_result_passes_through_the_bridges_whole(name: str) -> None:
    turn = replace(RESULT, blocks=(), usage=RESULT.model_usage.to_usage())  # type: ignore[union-attr]  # it is filled
    bridged = as_llm_port(as_llm_client(_Saying(turn), model="model"))

    result = asyncio.run(bridged.chat(messages=[Message("user", "hi")], model="model"))
    given = getattr(turn, name)
    assert (getattr(result, name) == given) or (name == "blocks" and result.blocks)


UNPORTABLE = ["tool_choice", "stop", "seed", "reasoning_effort", "extra"]


def options_with(name: str) -> tuple[Any, GenerationOptions]:
    given: dict[str, Any] = {name: getattr(filled(GenerationOptions, cache="1h"), name)}
    return given[name], GenerationOptions(**given)


@each_field_of(GenerationOptions, but=["system_instructions", *UNPORTABLE])
def test_an_option_reaches_a_port(name: str) -> None:
    llm = FakeLLM()
    given, options = options_with(name)

    asyncio.run(as_llm_client(_Only(llm), model="m").generate([], options=options))
    assert given in [getattr(llm.requests[0], field) for field in names(ChatRequest)]


@pytest.mark.parametrize("name", UNPORTABLE)
def test_an_option_that_no_port_has_is_refused(name: str) -> None:
    _, options = options_with(name)

    with pytest.raises(UnsupportedOption, match=f"has no {name}"):
        asyncio.run(as_llm_client(_Only(FakeLLM()), model="m").generate([], options=options))


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_a_turn_passes_through_both_contracts_whole(role: str) -> None:
    turn = filled(Message, role=role, tool_call_id=None)
    (back,) = messages_of(chat_message(turn))

    assert replace(back, blocks=()) == replace(turn, blocks=())
    assert back.blocks[: len(turn.blocks)] == turn.blocks


def test_a_tools_turn_passes_through_both_contracts_whole() -> None:
    turn = filled(Message, role="tool", tool_calls=(), blocks=())
    (back,) = messages_of(chat_message(turn))

    assert replace(back, blocks=()) == turn


def test_a_checkpoint_is_kept_whole() -> None:
    port, checkpoint = MemoryCheckpoints(), filled(Checkpoint)
    asyncio.run(port.save(checkpoint))

    assert asyncio.run(port.at_version(checkpoint.run_id, checkpoint.version)) == checkpoint


@each_field_of(Checkpoint, but=["version", "created_at"])  # which are counted and read
def test_a_snapshot_is_what_it_was_given(name: str) -> None:
    given = filled(Checkpoint)
    told: dict[str, Any] = {n: getattr(given, n) for n in ("state", "status", "metadata")}

    checkpointer = Checkpointer(MemoryCheckpoints())
    asyncio.run(checkpointer.snapshot(given.run_id, **told))
    saved = asyncio.run(checkpointer.at_version(given.run_id, 1))
    assert getattr(saved, name) == getattr(given, name)


@each_field_of(Observation, but=["seq", "ts", "run_id", "trace_context"])  # which the run stamps
def test_an_observation_that_a_phase_yields_is_told_whole(name: str) -> None:
    told, observer = filled(Observation), RecordingObserver()

    class Telling(BaseMiddleware):
        async def on_request(self, ctx: MiddlewareContext) -> Any:
            yield told

    run([Telling()], Terminal(), chat(ctx=make_test_ctx(observer=observer)))
    assert getattr(observer.items[0], name) == getattr(told, name)


def test_what_a_replay_store_gets_is_filled() -> None:
    class Replay:
        def __init__(self) -> None:
            self.kept: list[ReplayRecord] = []

        async def put(self, record: ReplayRecord) -> None:
            self.kept.append(record)

        async def get(self, span_id: str) -> ReplayRecord | None:
            return None

    replay = Replay()
    run(tracing(), Terminal(), chat(ctx=make_test_ctx(trace=RecordingTracer(), replay=replay)))
    assert all(getattr(replay.kept[0], name) for name in names(ReplayRecord))


@each_field_of(RunContext, but=["depth", "path", "_children"])
def test_a_child_shares_the_rest_with_its_run(name: str) -> None:
    ctx = RunContext(
        "run", budget=Budget(max_calls=1), meters=[Budget()], cancel=CancellationToken(),
        autonomy="gated", actor_budget=ActorBudget(), signal_channel="channel",
    )  # fmt: skip

    assert getattr(ctx.child(), name) is getattr(ctx, name)


@pytest.mark.parametrize("make", [run_context, make_test_ctx])
def test_every_service_can_be_wired_in_one_call(make: Any) -> None:
    wired = set(inspect.signature(make).parameters)

    assert set(names(Services)) - {"invoker"} <= wired  # which is made of llm=


@each_field_of(Usage)
def test_adding_usage_adds_every_field(name: str) -> None:
    usage = filled(Usage)

    assert getattr(usage + usage, name) == 2 * getattr(usage, name)


@each_field_of(ModelUsage, but=["provenance"])
def test_adding_model_usage_adds_every_field(name: str) -> None:
    usage = filled(ModelUsage)

    assert getattr(usage + usage, name) == 2 * getattr(usage, name)


@each_field_of(Usage)
def test_a_model_usage_says_something_about_every_field_of_usage(name: str) -> None:
    usage = filled(ModelUsage, input_tokens=100).to_usage()

    assert getattr(usage, name)


@each_field_of(ModelUsage, but=["cache_write_1h_tokens", "reasoning_tokens"])  # unknown to usage
def test_a_usage_says_something_about_the_rest_of_model_usage(name: str) -> None:
    assert getattr(ModelUsage.from_usage(filled(Usage)), name)


@each_field_of(Turn, but=["error"])
def test_a_scripted_turn_is_said_whole(name: str) -> None:
    turn = filled(Turn, error=None)
    result = asyncio.run(FakeLLM.script([turn]).chat(messages=[], model="m"))

    assert getattr(result, name) == getattr(turn, name)


@each_field_of(Failure, but=["children"])
def test_a_failure_made_of_an_error_says_everything(name: str) -> None:
    failure = Failure.of(TimeoutError("late"), source="child", partial_output="half")

    assert getattr(failure, name)


class _Only:
    """The port of a model, and no client."""

    def __init__(self, llm: FakeLLM) -> None:
        self._llm = llm

    def stream(self, **request: Any) -> AsyncIterator[Delta]:
        return self._llm.stream(**request)

    async def chat(self, **request: Any) -> LLMResult:
        return await self._llm.chat(**request)

    async def complete(self, **request: Any) -> LLMResult:
        return await self._llm.complete(**request)


class _Saying(_Only):
    """A port that answers *result*."""

    def __init__(self, result: LLMResult) -> None:
        super().__init__(FakeLLM())
        self._result = result

    async def stream(self, **_: Any) -> AsyncIterator[Delta]:
        yield restream(self._result)
