"""Models without a wire keep LLMPort, and LLMClient behind a bridge."""

import asyncio
import threading
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import pytest

from agentkit.core.contracts.errors import ErrorClass, Failure, ProviderError
from agentkit.core.contracts.types import LLMResult
from agentkit.core.execution.bridges import as_llm_client
from agentkit.core.testing import FakeClock, FakeLLM, Turn
from agentkit.models import CallableLLM
from agentkit.testing import Cut, Feature, LLMClientSuite, LLMSuite, Opener, Played


class StandingClock(FakeClock):
    """A clock on which sleeping never ends."""

    async def sleep(self, seconds: float) -> None:  # noqa: ARG002 - the port's
        await asyncio.Event().wait()


def error_of(played: Failure | Cut) -> ProviderError:
    """Give what a model without a wire raises where a backend would answer *played*."""
    if isinstance(played, Failure) and isinstance(played.cause, ProviderError):
        return played.cause
    return ProviderError("the answer broke off", error_class=ErrorClass.TRANSIENT)


class FakeSteps:
    """The hooks of a `FakeLLM`."""

    llm: FakeLLM

    async def play(self, script: Sequence[Played]) -> None:
        """Tell the same fake anew what to answer."""
        turns = [each if isinstance(each, Turn) else Turn(error=error_of(each)) for each in script]
        is_hanging = any(isinstance(each, Cut) and each.then == "hang" for each in script)
        FakeLLM.__init__(
            self.llm,
            turns=turns,
            repeat_last=True,
            delay=float(is_hanging),
            clock=StandingClock(),
        )

    async def requests(self) -> int:
        return self.llm.calls


class TestFakeLLM(FakeSteps, LLMSuite):
    @pytest.fixture
    def adapter(self) -> Opener:
        self.llm = FakeLLM()
        return lambda: nullcontext(self.llm)


class TestFakeLLMAsClient(FakeSteps, LLMClientSuite):
    @pytest.fixture
    def adapter(self) -> Opener:
        self.llm = FakeLLM()
        return lambda: nullcontext(as_llm_client(self.llm, model="scripted"))


class FunctionSteps:
    """The hooks of a function that somebody already has."""

    calls = 0
    under_way = 0
    script: Sequence[Played] = (Turn("hello"),)

    async def play(self, script: Sequence[Played]) -> None:
        self.script = list(script)

    async def requests(self) -> int:
        return self.calls

    async def unfinished(self) -> int:
        return self.under_way

    def next(self) -> Played:
        self.calls += 1
        played, *rest = self.script
        self.script = rest or self.script
        return played

    def answer(self, played: Played, model: str) -> LLMResult:
        if not isinstance(played, Turn):
            raise error_of(played)
        result = LLMResult(
            played.content,
            model,
            finish_reason=played.finish_reason or "stop",
            tool_calls=played.tool_calls,
            reasoning=played.reasoning,
        )
        return result if played.usage is None else replace(result, usage=played.usage)

    async def function(self, *, model: str, **_: Any) -> LLMResult:
        played = self.next()
        self.under_way += 1
        try:
            if isinstance(played, Cut) and played.then == "hang":
                await asyncio.Event().wait()
            await asyncio.sleep(0)
            return self.answer(played, model)
        finally:
            self.under_way -= 1

    def sync_function(self, *, model: str, **_: Any) -> LLMResult:
        played = self.next()
        self.under_way += 1
        try:
            if isinstance(played, Cut) and played.then == "hang":
                threading.Event().wait(0.3)
            return self.answer(played, model)
        finally:
            self.under_way -= 1


class TestCallableLLM(FunctionSteps, LLMSuite):
    @pytest.fixture
    def adapter(self) -> Opener:
        return lambda: nullcontext(CallableLLM(self.function, chat_fn=self.function))


class TestCallableLLMOfASyncFunction(
    FunctionSteps,
    LLMSuite,
    deviates={
        "MODEL-CANCEL-01": "a function in a thread cannot be interrupted",
        "MODEL-CANCEL-02": "a function in a thread cannot be interrupted",
    },
):
    @pytest.fixture
    def adapter(self) -> Opener:
        return lambda: nullcontext(CallableLLM(self.sync_function, chat_fn=self.sync_function))


class TestCallableLLMWithoutChat(FunctionSteps, LLMSuite, lacks={Feature.TOOLS, Feature.VISION}):
    @pytest.fixture
    def adapter(self) -> Opener:
        return lambda: nullcontext(CallableLLM(self.function))


class TestCallableLLMAsClient(FunctionSteps, LLMClientSuite):
    @pytest.fixture
    def adapter(self) -> Opener:
        llm = CallableLLM(self.function, chat_fn=self.function)
        return lambda: nullcontext(as_llm_client(llm, model="scripted"))
