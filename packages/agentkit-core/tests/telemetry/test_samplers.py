"""Which runs a ratio keeps."""

from typing import Any

import pytest

from agentkit.core.telemetry import AlwaysOnSampler, TraceIdRatioSampler


def _kept(ratio: float, ids: list[str]) -> int:
    sampler = TraceIdRatioSampler(ratio)
    return sum(sampler.should_sample(operation="chat", correlation_id=i) for i in ids)


@pytest.mark.parametrize("ratio", [0.1, 0.25, 0.5])
def test_ids_that_differ_in_their_last_digits_fall_out_evenly(ratio: float) -> None:
    ids = [f"run-{n}" for n in range(10_000)]

    assert abs(_kept(ratio, ids) / len(ids) - ratio) < 0.02


def test_the_decision_is_one_for_the_whole_run() -> None:
    sampler = TraceIdRatioSampler(0.5)
    decisions = {
        sampler.should_sample(operation=operation, correlation_id="run-1", attrs={"n": n})
        for n, operation in enumerate(["chat", "execute_tool", "invoke_agent"])
    }

    assert len(decisions) == 1


def test_zero_keeps_none_and_one_keeps_all() -> None:
    ids = [f"run-{n}" for n in range(100)]

    assert (_kept(0, ids), _kept(1.0, ids)) == (0, 100)


def test_an_id_with_a_lone_surrogate_is_decided_too() -> None:
    assert _kept(1.0, ["run-\ud800"]) == 1


@pytest.mark.parametrize("ratio", [-0.1, 1.1, float("nan"), True, "1", None], ids=repr)
def test_a_ratio_is_from_zero_to_one(ratio: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="a sampling ratio is"):
        TraceIdRatioSampler(ratio)


def test_always_on_keeps_everything() -> None:
    assert AlwaysOnSampler().should_sample(operation="chat", correlation_id="r")
