"""Policies and hooks: what is handed on, who is called, and where failures end."""

import asyncio
import logging
from functools import partial
from typing import Any

import pytest

from agentkit.core.contracts.errors import Cancelled
from agentkit.core.contracts.observation import Observation, ObserverPort
from agentkit.core.testing import RecordingObserver, make_test_ctx
from agentkit.integrations.observers import CollectingObserver, Hooks, PolicyObserver

from .sinks import ALWAYS, Failing, Never, run, seen

KINDS = ("step", "summary", "progress", "error", "interrupt", "result")


class Refusing(RecordingObserver):
    def __init__(self, refusal: BaseException) -> None:
        super().__init__()
        self.refusal = refusal

    async def emit(self, obs: Observation) -> None:
        raise self.refusal


async def emit_all(observer: ObserverPort, kinds: tuple[str, ...] = KINDS) -> None:
    for kind in kinds:
        await observer.emit(Observation(kind))


def test_collecting_keeps_all_in_order() -> None:
    sink = CollectingObserver()
    run(emit_all(sink))

    assert tuple(obs.kind for obs in sink.items) == KINDS


@pytest.mark.parametrize(
    ("wrap", "kinds"),
    [
        (PolicyObserver, KINDS),
        (PolicyObserver.everything, KINDS),
        (PolicyObserver.summaries, KINDS[1:]),
        (PolicyObserver.result_only, KINDS[3:]),
        (partial(PolicyObserver, allow={"step"}), ("step", *KINDS[3:])),
    ],
    ids=["default", "everything", "summaries", "result_only", "allow"],
)
def test_a_policy_hands_on_what_is_allowed(wrap: Any, kinds: tuple[str, ...]) -> None:
    sink = RecordingObserver()
    run(emit_all(wrap(sink)))

    assert tuple(obs.kind for obs in sink.items) == kinds


def test_one_str_is_no_collection_of_kinds() -> None:
    with pytest.raises(TypeError, match=r"\{'step'\}"):
        PolicyObserver(RecordingObserver(), allow="step")


def test_hooks_hear_of_all_and_hand_all_on() -> None:
    sink, heard = RecordingObserver(), list[str]()
    run(emit_all(Hooks(sink).on("*", lambda obs: heard.append(obs.kind))))

    assert tuple(heard) == KINDS
    assert tuple(seen(sink)) == KINDS


def test_handlers_of_the_kind_come_before_those_of_any() -> None:
    async def later(obs: Observation) -> None:
        await asyncio.sleep(0)
        heard.append(f"{obs.kind} 1")

    heard: list[str] = []
    hooks = Hooks().on("*", lambda _: heard.append("any")).on("step", later)
    hooks.on("step", lambda _: heard.append("step 2")).on("result", lambda _: heard.append("no"))
    run(emit_all(hooks, ("step",)))

    assert heard == ["step 1", "step 2", "any"]


def test_a_handler_of_any_is_called_once_for_a_kind_of_that_name() -> None:
    heard: list[Observation] = []
    run(emit_all(Hooks().on("*", heard.append), ("*",)))

    assert len(heard) == 1


def test_a_failing_handler_is_counted_and_the_next_is_called() -> None:
    def fail(obs: Observation) -> None:
        raise LookupError(obs.kind)

    heard: list[Observation] = []
    hooks = Hooks().on("*", fail).on("*", heard.append)
    run(emit_all(hooks))

    assert (hooks.failures, len(heard)) == (len(KINDS), len(KINDS))


@pytest.mark.parametrize("wrap", [Hooks, PolicyObserver])
def test_a_failing_sink_is_counted_and_logged_once(
    wrap: type[Hooks] | type[PolicyObserver], caplog: pytest.LogCaptureFixture
) -> None:
    observer = wrap(Failing())
    with caplog.at_level(logging.WARNING):
        run(emit_all(observer))

    assert observer.failures == len(KINDS)
    assert [record.name for record in caplog.records] == ["agentkit.integrations.observers"]


@pytest.mark.parametrize("wrap", [Hooks, PolicyObserver])
@pytest.mark.parametrize("refusal", [Cancelled("stop"), asyncio.CancelledError("stop")], ids=repr)
def test_cancelling_passes(wrap: Any, refusal: BaseException) -> None:
    with pytest.raises(type(refusal), match="stop"):
        run(emit_all(wrap(Refusing(refusal))))


def test_cancelling_in_a_handler_passes() -> None:
    def cancel(obs: Observation) -> None:
        raise Cancelled(obs.kind)

    with pytest.raises(Cancelled, match="step"):
        run(emit_all(Hooks().on("step", cancel)))


def test_hooks_without_an_inner_observer_close() -> None:
    run(Hooks().close())


def test_a_handler_may_emit_on_the_run_it_watches() -> None:
    sink = RecordingObserver()
    hooks = Hooks(sink)
    ctx = make_test_ctx(observer=hooks)
    hooks.on("error", lambda obs: ctx.emit("result", f"after {obs.render}"))
    run(ctx.emit("error", "one"))

    assert seen(sink) == ["error one", "result after one"]


@pytest.mark.parametrize("kind", ALWAYS)
def test_a_slow_handler_holds_no_result_back(kind: str) -> None:
    async def wait(obs: Observation) -> None:
        await Never()

    sink = RecordingObserver()
    emitting = Hooks(sink).on("*", wait).emit(Observation(kind))
    emitting.send(None)
    emitting.close()

    assert seen(sink) == [kind]
