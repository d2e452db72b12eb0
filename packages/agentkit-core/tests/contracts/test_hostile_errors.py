"""An exception whose attributes, words or repr fail is still classified, told and handed on."""

import asyncio
from asyncio import Semaphore
from typing import Any

import pytest

from agentkit.core.contracts.errors import ErrorClass, Failure, ProviderError, classify
from agentkit.core.contracts.types import Message
from agentkit.core.execution import gather_best_effort, run_with_resilience


class Speechless(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


class Unset(Exception):
    @property
    def response(self) -> Any:
        raise RuntimeError("no response was set")


class Faceless:
    def __repr__(self) -> str:
        raise RuntimeError("no repr")


@pytest.mark.parametrize("failure", [Speechless(), Unset()], ids=["str", "property"])
def test_what_cannot_be_read_is_unknown(failure: Exception) -> None:
    assert classify(failure) is ErrorClass.UNKNOWN


def test_a_failure_without_words_is_told_by_its_type() -> None:
    assert Failure.of(Speechless(), source="tool").message == "Speechless"


def test_a_batch_keeps_the_results_beside_a_failure_without_words() -> None:
    async def fine() -> str:
        return "paid for"

    async def fails() -> str:
        raise Speechless

    async def both() -> list[Any]:
        return await gather_best_effort([fine(), fails()], sem=Semaphore(2))

    paid, failed = asyncio.run(both())
    assert (paid, failed.message) == ("paid for", "Speechless")


@pytest.mark.parametrize("asked", [10**400, float("inf"), float("nan"), "soon", True, -1])
def test_a_wait_that_is_none_does_not_keep_a_call_from_its_next_attempt(asked: Any) -> None:
    slept: list[float] = []

    async def busy() -> None:
        error = ProviderError("busy", status=429)
        error.retry_after = asked
        raise error

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    with pytest.raises(ProviderError, match="busy"):
        asyncio.run(run_with_resilience(busy, max_attempts=2, sleep=sleep))
    assert len(slept) == 1


def test_what_has_no_repr_is_refused_by_its_type() -> None:
    with pytest.raises(TypeError, match="got a Faceless without a repr"):
        Message(Faceless())  # type: ignore[arg-type]
