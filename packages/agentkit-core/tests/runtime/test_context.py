"""What a run's context tells, shares and keeps from hurting the run."""

import asyncio
from itertools import combinations
from typing import Any

import pytest

from agentkit.core.contracts.errors import Cancelled, MeterExceeded
from agentkit.core.contracts.observation import Observation
from agentkit.core.contracts.types import Scope
from agentkit.core.execution import CancellationToken
from agentkit.core.runtime import (
    ActorBudget,
    Budget,
    Checkpointer,
    NullCtx,
    RunContext,
    Services,
    SystemClock,
)
from agentkit.core.testing import (
    FakeClock,
    MemoryCheckpoints,
    RecordingObserver,
    RecordingTracer,
    make_test_ctx,
)


class Broken:
    """Whatever it stands for, it raises."""

    def fail(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("broken")

    emit = close = now = sleep = fail
    span = current_span_id = add_event_to_current_span = fail
    add_counter = record_histogram = fail


class Counting:
    """A MetricsPort that keeps the counters."""

    def __init__(self) -> None:
        self.counted: list[tuple[str, Any]] = []

    def add_counter(
        self, name: str, value: float = 1, *, tags: dict[str, str] | None = None
    ) -> None:
        self.counted.append((name, tags))

    def record_histogram(self, *_: Any, **__: Any) -> None:
        raise AssertionError


def test_observations_are_numbered_and_timed_through_the_whole_tree() -> None:
    observer = RecordingObserver()
    ctx = make_test_ctx(observer=observer, clock=FakeClock(5.0))

    asyncio.run(ctx.emit("step", "one"))
    asyncio.run(ctx.child().emit("step", "two"))

    assert [(o.seq, o.ts, o.run_id) for o in observer.items] == [
        (1, 5.0, "test-run"),
        (2, 5.0, "test-run"),
    ]


@pytest.mark.parametrize("seam", ["observer", "trace", "metrics", "clock"])
def test_whatever_watches_a_run_cannot_hurt_it(seam: str) -> None:
    seams: dict[str, Any] = {"observer": Broken(), seam: Broken()}
    ctx = make_test_ctx(**seams)

    asyncio.run(ctx.emit("result", "done"))


def test_a_broken_observer_is_counted() -> None:
    broken: Any = Broken()
    metrics = Counting()

    asyncio.run(make_test_ctx(observer=broken, metrics=metrics).emit("step"))

    assert metrics.counted == [("agentkit.observer.error.count", {"error.type": "RuntimeError"})]


def test_a_broken_trace_is_counted() -> None:
    broken: Any = Broken()
    metrics = Counting()

    asyncio.run(make_test_ctx(trace=broken, metrics=metrics).emit("result"))

    assert metrics.counted == [("agentkit.trace.error.count", {"error.type": "RuntimeError"})] * 2


def test_a_broken_trace_is_counted_when_a_run_is_saved() -> None:
    broken: Any = Broken()
    metrics = Counting()
    ctx = make_test_ctx(trace=broken, metrics=metrics)

    asyncio.run(Checkpointer(MemoryCheckpoints()).snapshot("r", {}, ctx=ctx))

    assert {name for name, _ in metrics.counted} == {"agentkit.trace.error.count"}


def test_what_no_observation_can_be_made_of_is_counted_and_hurts_nobody() -> None:
    endless: list[Any] = []
    endless.append(endless)
    metrics = Counting()

    asyncio.run(make_test_ctx(metrics=metrics).emit("step", payload=endless))

    assert metrics.counted == [("agentkit.observer.error.count", {"error.type": "ValueError"})]


def test_a_cancelled_observer_is_no_broken_observer() -> None:
    class Leaving(RecordingObserver):
        async def emit(self, obs: Observation) -> None:
            raise asyncio.CancelledError

    async def emit() -> None:
        await make_test_ctx(observer=Leaving()).emit("step")

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(emit())


def test_a_critical_observation_is_told_to_the_span_it_happened_in() -> None:
    tracer, observer = RecordingTracer(), RecordingObserver()
    with tracer.span("work", "internal") as span:
        asyncio.run(make_test_ctx(trace=tracer, observer=observer).emit("error", "no"))

    assert span.events == [("observation.emitted", {"kind": "error"})]
    assert observer.items[0].trace_context == span.context


def test_children_share_the_run_and_are_one_level_deeper() -> None:
    ctx = make_test_ctx()
    child = ctx.child()

    assert (child.depth, child.budget, child.services) == (1, ctx.budget, ctx.services)
    assert child.correlation_id == ctx.correlation_id


def test_a_run_may_not_go_deeper_than_its_budget_says() -> None:
    ctx = make_test_ctx(budget=Budget(max_depth=1))

    with pytest.raises(MeterExceeded, match="depth 2 > 1"):
        ctx.child().child()


def test_the_outermost_slot_is_the_run_itself() -> None:
    assert make_test_ctx().slot == "test-run"


def test_every_child_has_a_slot_of_its_own() -> None:
    ctx = make_test_ctx()
    names = ["", "", "a", "a", "a/b", "a~1", "~0", "%7E0"]
    children = [ctx.child(part=name) for name in names]
    slots = [c.slot for c in [*children, children[2].child(part="b"), children[0].child()]]

    assert all(one != other for one, other in combinations(slots, 2))


def test_children_are_named_by_their_part_and_numbered_where_it_is_taken() -> None:
    ctx = make_test_ctx()
    paths = [ctx.child(part=name).path for name in ("", "", "a", "a", "a", "x/y%z~")]

    assert paths == ["~0", "~1", "a", "a~1", "a~2", "x%2Fy%25z%7E"]


def test_a_grandchild_is_numbered_among_its_own_siblings() -> None:
    ctx = make_test_ctx()
    first, second = ctx.child(), ctx.child(part="b")

    assert (first.child().path, second.child().path) == ("~0/~0", "b/~0")
    assert second.child().slot == "test-run/b/~1"


def test_a_child_may_be_given_an_envelope_of_its_own() -> None:
    ctx, envelope = make_test_ctx(), ActorBudget(max_steps=1)
    ctx.actor_budget = ActorBudget()

    assert ctx.child(actor_budget=envelope).actor_budget is envelope
    assert ctx.child(actor_budget=None).actor_budget is None


def test_an_observation_may_be_told_by_its_kind_alone() -> None:
    observer, broken = RecordingObserver(), Broken()
    wired: dict[str, Any] = {"observer": observer, "trace": broken}
    asyncio.run(make_test_ctx(**wired, clock=FakeClock(5.0)).emit("step"))

    assert observer.items == [Observation("step", 1, 5.0, run_id="test-run")]


def test_the_same_children_have_the_same_slots_in_a_second_run() -> None:
    def slots() -> list[str]:
        ctx = make_test_ctx()
        return [ctx.child().slot, ctx.child(part="x").child().slot]

    assert slots() == slots()


def test_an_actor_budget_can_be_taken_from_a_child() -> None:
    ctx = make_test_ctx()
    ctx.signal_channel = "channel"

    assert ctx.child().signal_channel == "channel"
    assert ctx.child(signal_channel=None).signal_channel is None


@pytest.mark.parametrize("run_id", ["", "a/b", None, 1], ids=repr)
def test_a_run_id_is_text_without_a_slash(run_id: Any) -> None:
    with pytest.raises(ValueError, match="a run's id"):
        RunContext(run_id)


def test_a_cancelled_run_says_so() -> None:
    token = CancellationToken()
    ctx = make_test_ctx(cancel=token)
    ctx.check_cancelled()
    token.cancel("enough")

    with pytest.raises(Cancelled, match="enough"):
        ctx.child().check_cancelled()


def test_each_depth_has_a_pool_of_its_own() -> None:
    ctx = make_test_ctx()

    async def pools() -> bool:
        return ctx.semaphore() is ctx.semaphore() and ctx.semaphore() is not ctx.child().semaphore()

    assert asyncio.run(pools())


def test_services_without_arguments_are_usable() -> None:
    asyncio.run(RunContext("r", services=Services()).emit("step"))


@pytest.mark.parametrize("name", ["trace", "observer", "replay", "metrics", "sampler", "clock"])
def test_a_seam_with_a_default_is_never_none(name: str) -> None:
    with pytest.raises(TypeError, match=f"Services.{name} is never None"):
        Services(**{name: None})  # type: ignore[arg-type]


@pytest.mark.parametrize("verb", ["stream", "chat", "invoke_tool"])
def test_a_null_context_runs_nothing(verb: str) -> None:
    async def ask() -> None:
        await getattr(NullCtx().invoker, verb)("request", None)

    with pytest.raises(RuntimeError, match=r"^there is no run here: make one with run_context"):
        asyncio.run(ask())


def test_a_null_context_is_a_tenants_and_tells_nobody() -> None:
    ctx = NullCtx(Scope("acme"))
    asyncio.run(ctx.emit("step"))

    assert (ctx.scope, NullCtx().scope) == (Scope("acme"), Scope())
    assert ctx.child() is ctx
    assert ctx.trace.current_span_id() is None


def test_a_null_context_runs_one_child_at_a_time() -> None:
    async def second_waits() -> bool:
        ctx = NullCtx()
        async with ctx.semaphore():
            return ctx.semaphore().locked()

    assert asyncio.run(second_waits())


@pytest.mark.parametrize("seconds", [0, 0.0, -5])
def test_a_clock_that_has_nothing_to_wait_for_returns(seconds: float) -> None:
    async def sleep() -> None:
        await asyncio.wait_for(SystemClock().sleep(seconds), 0.5)

    asyncio.run(sleep())
