"""Clauses: a model without a feature refuses it before it asks, or says that it ignores it."""

import warnings
from typing import Any

import pytest

from agentkit.core.contracts.types import ChatRequest, Message
from agentkit.core.testing import Turn
from agentkit.testing.suites._clause import Feature, clause
from agentkit.testing.suites._model_features import IMAGE, SCHEMA, TOOL, looking
from agentkit.testing.suites._model_steps import ModelSteps
from agentkit.testing.suites._steps import quietly

__all__ = ["IgnoredFeatureClauses", "LackedFeatureClauses"]

SENT = ("play", "requests")


class LackedFeatureClauses(ModelSteps):
    """What is refused is refused before anything is sent."""

    async def refuses(self, model: Any, request: ChatRequest) -> None:
        """Check that every way refuses *request*, sends nothing, and goes on working."""
        before = await self.requests()
        for way in self.ways(model, request):
            with pytest.raises(NotImplementedError):
                await way()
        assert await self.requests() == before
        assert (await self.told(model)).text == "hello"

    @clause("MODEL-LACK-01", since="1.0", lacks=Feature.TOOLS, hook=SENT)
    async def a_call_with_refused_tools_sends_nothing(self, model: Any) -> None:
        await self.play([Turn("hello")])

        await self.refuses(model, self.asking(tools=[TOOL]))

    @clause("MODEL-LACK-02", since="1.0", lacks=Feature.STRUCTURED_OUTPUT, hook=SENT)
    async def a_call_with_a_refused_schema_sends_nothing(self, model: Any) -> None:
        await self.play([Turn("hello")])

        await self.refuses(model, self.asking(response_format=SCHEMA))

    @clause("MODEL-LACK-03", since="1.0", lacks=Feature.VISION, hook=SENT)
    async def a_call_with_a_refused_image_sends_nothing(self, model: Any) -> None:
        await self.play([Turn("hello")])

        await self.refuses(model, self.asking(Message("user", "look"), looking(IMAGE)))

    @clause("MODEL-LACK-04", since="1.0", lacks=Feature.REASONING, hook="play")
    async def what_does_not_reason_tells_no_reasoning(self, model: Any) -> None:
        await self.play([Turn("hello")])

        assert (await self.told(model)).reasoning == ""


class IgnoredFeatureClauses(ModelSteps):
    """What is ignored is told once, and changes nothing."""

    async def tells_once(self, model: Any, request: ChatRequest) -> None:
        """Check that *request* is answered as without the feature, and warned of once."""
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            told = await self.told(model, request)
        assert len(heard) == 1
        with quietly():
            assert told == await self.told(model)

    @clause("MODEL-IGNORE-01", since="1.0", ignores=Feature.TOOLS, hook="play")
    async def ignored_tools_are_told_once(self, model: Any) -> None:
        await self.play([Turn("hello")])

        await self.tells_once(model, self.asking(tools=[TOOL]))

    @clause("MODEL-IGNORE-02", since="1.0", ignores=Feature.STRUCTURED_OUTPUT, hook="play")
    async def an_ignored_schema_is_told_once(self, model: Any) -> None:
        await self.play([Turn("hello")])

        await self.tells_once(model, self.asking(response_format=SCHEMA))

    @clause("MODEL-IGNORE-03", since="1.0", ignores=Feature.VISION, hook="play")
    async def an_ignored_image_is_told_once(self, model: Any) -> None:
        await self.play([Turn("hello")])

        await self.tells_once(model, self.asking(looking(IMAGE)))

    @clause("MODEL-IGNORE-04", since="1.0", ignores=Feature.REASONING, hook="play")
    async def ignored_reasoning_is_told_once(self, model: Any) -> None:
        await self.play([Turn("hello", reasoning="let me see")])

        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            told = await self.told(model)
        assert (told.text, told.reasoning, len(heard)) == ("hello", "", 1)
