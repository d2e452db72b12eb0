"""A wrong argument is one clear error as the thing is made, never a later or an unrelated one."""

import asyncio
import re
from functools import partial
from typing import Any

import pytest

from agentkit.core.contracts._checks import shown
from agentkit.core.execution import CircuitBreaker, gather_best_effort, gather_bounded
from agentkit.core.execution.resilience import backoff_delay
from agentkit.core.policies import Guardrail, estimate_message_tokens, fallback, memoize, retry
from agentkit.core.runtime import ActorBudget, Budget, Quota
from agentkit.core.serialization.canonical import stable_hash

WRONG_TYPE: list[tuple[Any, str, Any]] = [
    (Budget, "usage", 0.5),
    (Quota, "store", True),
    (Quota, "name", 3),
    (Quota, "clock", []),
    (ActorBudget, "clock", None),
    (retry, "classify_fn", None),
    (partial(fallback, ["m"]), "classify_fn", None),
    (memoize, "key", None),
    (Guardrail, "resolve", None),
    (CircuitBreaker, "name", float("nan")),
    (CircuitBreaker, "cooldown", True),
    (CircuitBreaker, "cooldown", "1"),
    (CircuitBreaker, "clock", 3),
    (partial(backoff_delay, 1), "base", "1"),
    (partial(stable_hash, 1), "length", True),
    (partial(stable_hash, 1), "length", 1.5),
]
NO_MESSAGES: list[tuple[Any, str]] = [("x", "'x'"), ([{}], "{}")]
TOO_LARGE: list[tuple[Any, str]] = [
    (CircuitBreaker, "cooldown"),
    (partial(backoff_delay, 1), "cap"),
    (Quota, "window"),
    (ActorBudget, "max_wall_seconds"),
    (retry, "deadline_s"),
]


@pytest.mark.parametrize(
    ("make", "name", "wrong"),
    WRONG_TYPE,
    ids=[f"{n}-{w}-{at}" for at, (_, n, w) in enumerate(WRONG_TYPE)],
)
def test_an_argument_of_another_type_is_named(make: Any, name: str, wrong: Any) -> None:
    with pytest.raises(TypeError, match=rf"\b{name}\b.* got {re.escape(shown(wrong))}"):
        make(**{name: wrong})


@pytest.mark.parametrize(("wrong", "told"), NO_MESSAGES, ids=["text", "dicts"])
def test_what_is_no_list_of_messages_has_no_estimate(wrong: Any, told: str) -> None:
    with pytest.raises(
        TypeError, match=rf"^messages is a list of Message; got one that is {told}$"
    ):
        estimate_message_tokens(wrong)


@pytest.mark.parametrize(("make", "name"), TOO_LARGE, ids=[name for _, name in TOO_LARGE])
def test_a_number_that_no_float_holds_is_out_of_bounds(make: Any, name: str) -> None:
    with pytest.raises(ValueError, match=rf"{name} is .*got an integer of 1329 bits"):
        make(**{name: 10**400})


@pytest.mark.parametrize("gather", [gather_bounded, gather_best_effort])
@pytest.mark.parametrize("sem", [None, 3])
def test_without_a_semaphore_nothing_is_run(gather: Any, sem: Any) -> None:
    async def one() -> int:
        raise AssertionError

    with pytest.raises(TypeError, match=f"sem is a Semaphore; got {sem}"):
        asyncio.run(gather([one()], sem=sem))
