"""Trying until a failure comes back."""

import asyncio
from typing import Any

import pytest

from agentkit.core.contracts.errors import Cancelled, ErrorClass, Failure, Stuck
from agentkit.core.execution import CancellationToken, attempt_until_stuck


class _Runs:
    """Gives one outcome after the other."""

    def __init__(self, *outcomes: Any) -> None:
        self.outcomes = list(outcomes)
        self.count = 0

    async def __call__(self) -> Any:
        self.count += 1
        return self.outcomes[self.count - 1]


def _itself(outcome: Any) -> Any:
    return outcome


def _unless_fine(outcome: Any) -> Any:
    return None if outcome == "fine" else outcome


def _try(runs: _Runs, **options: Any) -> Any:
    options = {"fingerprint": _itself, "max_attempts": 9, **options}
    return asyncio.run(attempt_until_stuck(runs, **options))


def test_an_outcome_without_a_fingerprint_is_the_answer() -> None:
    runs = _Runs("A", "B", "fine")

    assert _try(runs, fingerprint=_unless_fine) == "fine"
    assert runs.count == 3


def test_a_cycle_is_found_whichever_attempt_it_repeats() -> None:
    runs = _Runs("A", "B", "A", "B")

    with pytest.raises(Stuck, match="attempt 3 failed as attempt 1 did") as caught:
        _try(runs)
    assert (runs.count, caught.value.failure.partial_output) == (3, "A")


def test_a_repeat_may_be_given_back_instead() -> None:
    failure = _try(_Runs("A", "A"), on_repeat="stop")

    assert isinstance(failure, Failure)
    assert (failure.category, failure.retriable) == (ErrorClass.PERMANENT, False)


def test_a_repeat_says_which_attempt_it_repeats_and_after_how_many_failures() -> None:
    failure = _try(_Runs("A", "B", "C", "B"), on_repeat="stop")

    assert failure.message == "attempt 4 failed as attempt 2 did, after 3 different failures"


def test_there_are_four_attempts_unless_told() -> None:
    failure = asyncio.run(attempt_until_stuck(_Runs(*"ABCDE"), fingerprint=_itself))

    assert isinstance(failure, Failure)
    assert failure.message == "4 attempts failed, each in a way of its own"


@pytest.mark.parametrize("on_repeat", ["escalate", "stop"])
def test_different_failures_end_at_the_backstop_as_retriable(on_repeat: str) -> None:
    failure = _try(_Runs("A", "B", "C"), on_repeat=on_repeat, max_attempts=3)

    assert (failure.category, failure.retriable) == (ErrorClass.UNKNOWN, True)
    assert failure.partial_output == "C"


@pytest.mark.parametrize(
    "signature", [{"a": [1]}, ["x", {"y": 2}], ("t", 1), 3.5], ids=["dict", "list", "tuple", "num"]
)
def test_an_unhashable_signature_is_compared(signature: Any) -> None:
    runs = _Runs(signature, "other", _copy_of(signature))

    with pytest.raises(Stuck):
        _try(runs)
    assert runs.count == 3


def _copy_of(value: Any) -> Any:
    return type(value)(value)


class _Slotted:
    __slots__ = ("code",)

    def __init__(self, code: int) -> None:
        self.code = code

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Slotted) and self.code == other.code

    __hash__ = None  # type: ignore[assignment]


def test_opaque_signatures_that_differ_are_progress() -> None:
    failure = _try(_Runs(_Slotted(1), _Slotted(2), _Slotted(3)), max_attempts=3, on_repeat="stop")

    assert failure.retriable


def test_opaque_signatures_that_are_equal_are_a_repeat() -> None:
    with pytest.raises(Stuck, match="attempt 3 failed as attempt 1 did"):
        _try(_Runs(_Slotted(1), "text", _Slotted(1)))


class _EqualToText:
    def __eq__(self, other: object) -> bool:
        return other == "A"

    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize("text_comes", ["first", "last"])
def test_an_opaque_signature_is_compared_with_those_that_have_a_hash(text_comes: str) -> None:
    outcomes = ["A", _EqualToText()]

    with pytest.raises(Stuck):
        _try(_Runs(*(outcomes if text_comes == "first" else reversed(outcomes))))


class _Incomparable:
    def __eq__(self, other: object) -> bool:
        raise ValueError("cannot say")

    __hash__ = None  # type: ignore[assignment]


def test_signatures_that_cannot_be_compared_count_as_different() -> None:
    assert _try(_Runs(_Incomparable(), _Incomparable()), max_attempts=2).retriable


class _Vague:
    def __eq__(self, other: object) -> Any:
        return "maybe"

    __hash__ = None  # type: ignore[assignment]


def test_a_comparison_that_gives_no_bool_counts_as_different() -> None:
    assert _try(_Runs(_Vague(), _Vague()), max_attempts=2).retriable


def test_the_same_object_is_a_repeat_of_itself() -> None:
    one = _Incomparable()

    with pytest.raises(Stuck):
        _try(_Runs(one, one))


def test_true_is_not_one() -> None:
    assert _try(_Runs(1, True, 1.0), max_attempts=3).retriable


def test_a_fingerprint_may_be_async() -> None:
    async def fingerprint(outcome: str) -> str | None:
        await asyncio.sleep(0)
        return None if outcome == "fine" else outcome

    assert _try(_Runs("A", "fine"), fingerprint=fingerprint) == "fine"


def test_what_the_attempt_raises_leaves_as_it_is() -> None:
    async def fail() -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        asyncio.run(attempt_until_stuck(fail, fingerprint=_itself))


class _Ctx:
    def __init__(self) -> None:
        self.token = CancellationToken()

    def check_cancelled(self) -> None:
        self.token.check()


def test_a_cancelled_run_makes_no_attempt() -> None:
    ctx, runs = _Ctx(), _Runs("A")
    ctx.token.cancel("stop")

    with pytest.raises(Cancelled, match="stop"):
        _try(runs, ctx=ctx)
    assert runs.count == 0


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"max_attempts": 0}, ValueError, "max_attempts is 1 or more; got 0"),
        ({"max_attempts": True}, TypeError, "max_attempts is a whole number; got True"),
        ({"on_repeat": "shrug"}, ValueError, "on_repeat is escalate or stop; got 'shrug'"),
    ],
    ids=["zero", "bool", "on_repeat"],
)
def test_bad_options_are_refused_before_the_first_attempt(
    options: dict[str, Any], error: type[Exception], match: str
) -> None:
    runs = _Runs("A")

    with pytest.raises(error, match=match):
        _try(runs, **options)
    assert runs.count == 0
