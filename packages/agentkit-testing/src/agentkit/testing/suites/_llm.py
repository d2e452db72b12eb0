"""The suite of LLMPort."""

import inspect
from collections.abc import AsyncIterator
from typing import Any, ClassVar

from agentkit.core.contracts.ports import LLMPort
from agentkit.core.contracts.types import ChatRequest, Delta, LLMResult, Message, assemble_deltas
from agentkit.core.testing import Turn
from agentkit.testing.suites._clause import Feature, clause
from agentkit.testing.suites._model_answers import AnswerClauses, OnceClauses
from agentkit.testing.suites._model_cancel import ModelCancelClauses
from agentkit.testing.suites._model_errors import ErrorClauses, ModelFaultClauses
from agentkit.testing.suites._model_features import FeatureClauses, ToolCallClauses
from agentkit.testing.suites._model_gaps import IgnoredFeatureClauses, LackedFeatureClauses
from agentkit.testing.suites._model_steps import Told, Way

__all__ = ["LLMSuite", "ModelClauses"]

VERBS = ("stream", "chat", "complete")


class ModelClauses(
    IgnoredFeatureClauses,
    LackedFeatureClauses,
    FeatureClauses,
    ToolCallClauses,
    ModelCancelClauses,
    ModelFaultClauses,
    ErrorClauses,
    OnceClauses,
    AnswerClauses,
):
    """What a model promises under either contract."""

    version: ClassVar[str] = "1.0"
    features: ClassVar[frozenset[Feature]] = frozenset(
        {Feature.TOOLS, Feature.STRUCTURED_OUTPUT, Feature.VISION, Feature.REASONING}
    )


class LLMSuite(ModelClauses):
    """What a model's port promises; subclass it and define the `adapter` fixture.

    Features: `TOOLS`, `STRUCTURED_OUTPUT`, `VISION`, `REASONING`. Hooks: `play`, `requests`,
    `unfinished`, `secret`, `break_connection` with `restore`, `backend_version`. Set `model` to a
    name that the backend takes.
    """

    port: ClassVar[str] = "LLMPort"
    verbs: ClassVar[frozenset[str]] = frozenset(VERBS)

    def ways(self, model: LLMPort, request: ChatRequest) -> list[Way]:
        """Give streaming and chatting."""

        async def stream() -> Told:
            return _told(assemble_deltas([delta async for delta in self.stream(model, request)]))

        async def chat() -> Told:
            return _told(await model.chat(**_fields(request)))

        return [stream, chat]

    def stream(self, model: LLMPort, request: ChatRequest) -> AsyncIterator[Delta]:
        """Begin a stream."""
        return model.stream(**_fields(request))

    def text_of(self, increment: Delta) -> str:
        """Give the text of a delta."""
        return increment.text

    def thought_of(self, increment: Delta) -> str:
        """Give the reasoning of a delta."""
        return increment.reasoning

    @clause("LLM-PORT-01", since="1.0")
    async def an_adapter_has_the_verbs_of_its_port(self, port: LLMPort) -> None:
        verbs = [verb for verb in VERBS if verb not in self.partial]

        assert [verb for verb in verbs if not callable(getattr(port, verb, None))] == []

    @clause("LLM-STREAM-01", since="1.0", hook="play")
    async def a_stream_is_iterated_without_being_awaited(self, port: LLMPort) -> None:
        await self.play([Turn("hello")])
        stream = port.stream(**_fields(self.asking()))

        assert not inspect.isawaitable(stream)
        assert [delta async for delta in stream if delta.text]

    @clause("LLM-STREAM-02", since="1.0", hook="play")
    async def the_last_delta_tells_what_the_answer_was(self, port: LLMPort) -> None:
        await self.play([Turn("hello, and more than one delta")])
        *deltas, last = [delta async for delta in self.stream(port, self.asking())]

        assert last.usage is not None
        assert last.finish_reason
        assert last.model
        assert [d for d in deltas if d.usage or d.finish_reason] == []

    @clause("LLM-STREAM-03", since="1.0", hook="play")
    async def every_delta_but_the_last_says_something(self, port: LLMPort) -> None:
        await self.play([Turn("hello, and more than one delta")])
        *deltas, _ = [delta async for delta in self.stream(port, self.asking())]

        assert all(d.text or d.reasoning or d.tool_calls or d.blocks for d in deltas)

    @clause("LLM-COMPLETE-01", since="1.0", hook="play")
    async def completing_is_chatting_with_two_messages(self, port: LLMPort) -> None:
        await self.play([Turn("hello, world")])
        both = [Message("system", "be brief"), Message("user", "hi")]
        completed = await port.complete(system="be brief", user="hi", model=self.model)

        assert _told(completed) == await self.told(port, self.asking(*both))

    @clause("LLM-COMPLETE-02", since="1.0", hook="play")
    async def completing_takes_settings_and_no_system_text(self, port: LLMPort) -> None:
        await self.play([Turn("hello, world")])
        settings: dict[str, Any] = {"temperature": 0.0, "max_tokens": 9}
        completed = await port.complete(system="", user="hi", model=self.model, **settings)

        assert completed.content == "hello, world"


def _fields(request: ChatRequest) -> dict[str, Any]:
    return {
        "messages": request.messages,
        "model": request.model,
        "tools": request.tools,
        "response_format": request.response_format,
        "temperature": request.temperature,
        "max_tokens": request.max_tokens,
    }


def _told(result: LLMResult) -> Told:
    usage = result.usage
    fresh = usage.input_tokens + usage.cache_write_tokens
    return Told(
        text=result.content,
        reasoning=result.reasoning,
        calls=result.tool_calls,
        finish_reason=result.finish_reason,
        tokens=(fresh + usage.cache_read_tokens, usage.cache_read_tokens, usage.output_tokens),
    )
