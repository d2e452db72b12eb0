"""The suite of LLMClient."""

import asyncio
import inspect
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar

import pytest

from agentkit.core.contracts.content import (
    ChatMessage,
    ContentBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    blocks_text,
)
from agentkit.core.contracts.errors import Cancelled
from agentkit.core.contracts.llm import (
    CompletionEvent,
    GenerationOptions,
    LLMClient,
    LLMResponse,
    LLMStreamEvent,
    ReasoningDelta,
    RunMeta,
    TextDelta,
)
from agentkit.core.contracts.types import ChatRequest, Message, ToolCall
from agentkit.core.execution import CancellationToken
from agentkit.core.testing import Turn
from agentkit.testing.suites._clause import Feature, clause
from agentkit.testing.suites._llm import ModelClauses
from agentkit.testing.suites._model_cancel import HANGING
from agentkit.testing.suites._model_features import TOOL
from agentkit.testing.suites._model_steps import Told, Way
from agentkit.testing.suites._steps import quietly

__all__ = ["LLMClientSuite"]

VERBS = ("generate", "generate_stream", "count_tokens")
HELLO = [ChatMessage("user", [TextBlock("hello")])]

ODD_OPTIONS: list[dict[str, Any]] = [
    {"stop": ["\n"]}, {"stop": []}, {"seed": 0}, {"tool_choice": "none"}, {"tool_choice": "auto"},
    {"reasoning_effort": "low"}, {"cache": "5m"}, {"cache": "1h"}, {"system_instructions": "be"},
    {"extra": {"acme": 1}}, {"max_tokens": 1}, {"temperature": 0.0},
]  # fmt: skip
"""Options that some clients honour, others must refuse, and none may drop."""


class RunClauses(ModelClauses):
    """A call belongs to a run, and ends with it."""

    @clause("CLIENT-RUN-01", since="1.0", hook=("play", "requests"))
    async def a_cancelled_run_asks_nothing(self, client: LLMClient) -> None:
        await self.play([Turn("hello")])
        run = RunMeta("run", CancellationToken())
        run.cancellation.cancel("enough")
        with pytest.raises(Cancelled, match="enough"):
            await client.generate(HELLO, ctx=run)
        with pytest.raises(Cancelled, match="enough"):
            _ = [event async for event in client.generate_stream(HELLO, ctx=run)]
        assert await self.requests() == 0

    @clause("CLIENT-RUN-02", since="1.0", hook=("play", "requests"))
    async def a_run_past_its_deadline_asks_nothing(self, client: LLMClient) -> None:
        await self.play([Turn("hello")])
        run = RunMeta("run", CancellationToken(), datetime.now(UTC) - timedelta(seconds=1))

        with pytest.raises(Cancelled, match="deadline"):
            await client.generate(HELLO, ctx=run)
        assert await self.requests() == 0

    @clause("CLIENT-RUN-03", since="1.0", hook="play")
    async def a_run_cancelled_between_chunks_stops(self, client: LLMClient) -> None:
        await self.play([Turn("hello " * 400)])
        run = RunMeta("run", CancellationToken())
        events: Any = client.generate_stream(HELLO, ctx=run)
        await anext(events)
        run.cancellation.cancel("enough")

        with pytest.raises(Cancelled, match="enough"):
            await self.read(events, [])

    @clause("CLIENT-RUN-04", since="1.0", hook=("play", "requests", "unfinished"))
    async def a_run_cancelled_in_a_wait_is_interrupted(self, client: LLMClient) -> None:
        await self.play([HANGING])
        run = RunMeta("run", CancellationToken())
        waiting = asyncio.ensure_future(client.generate(HELLO, ctx=run))
        await self.asked()
        run.cancellation.cancel("enough")
        with pytest.raises(Cancelled, match="enough"):
            await waiting
        assert await self.unfinished() == 0

    @clause("CLIENT-RUN-05", since="1.0", hook="play")
    async def a_run_that_goes_on_changes_nothing(self, client: LLMClient) -> None:
        await self.play([Turn("hello")])
        later = datetime.now(UTC) + timedelta(hours=1)
        run = RunMeta("run", CancellationToken(), later)

        assert await client.generate(HELLO, ctx=run) == await client.generate(HELLO)


class OptionClauses(ModelClauses):
    """An option is honoured, or refused before anything is sent."""

    @clause("CLIENT-OPTION-01", since="1.0", hook=("play", "requests"))
    async def an_option_is_honoured_or_refused(self, client: LLMClient) -> None:
        await self.play([Turn("hello")])
        for option in ODD_OPTIONS:
            before, options = await self.requests(), GenerationOptions(**option)
            try:
                with quietly():
                    assert blocks_text((await client.generate(HELLO, options=options)).content)
            except NotImplementedError:
                assert await self.requests() == before

    @clause("CLIENT-OPTION-02", since="1.0", needs=Feature.TOOLS, hook="play")
    async def tools_may_be_an_empty_list(self, client: LLMClient) -> None:
        await self.play([Turn("hello")])
        for tools in ([], [TOOL]):
            response = await client.generate(HELLO, options=GenerationOptions(tools=tools))

            assert blocks_text(response.content) == "hello"

    @clause("CLIENT-COUNT-01", since="1.0")
    async def tokens_are_counted_as_whole_numbers(self, client: LLMClient) -> None:
        short = await client.count_tokens(HELLO)
        long = await client.count_tokens([ChatMessage("user", [TextBlock("hello " * 1000)])])

        assert type(short) is type(long) is int
        assert 0 < short < long


class LLMClientSuite(OptionClauses, RunClauses):
    """What a model's client promises; subclass it and define the `adapter` fixture.

    Features: `TOOLS`, `STRUCTURED_OUTPUT`, `VISION`, `REASONING`. Hooks: `play`, `requests`,
    `unfinished`, `secret`, `break_connection` with `restore`, `backend_version`.
    """

    port: ClassVar[str] = "LLMClient"
    verbs: ClassVar[frozenset[str]] = frozenset(VERBS)

    def ways(self, model: LLMClient, request: ChatRequest) -> list[Way]:
        """Give streaming and generating."""

        async def stream() -> Told:
            last = [event async for event in self.stream(model, request)][-1]
            assert isinstance(last, CompletionEvent)
            return _told(last)

        async def generate() -> Told:
            return _told(await model.generate(_messages(request), options=_options(request)))

        return [stream, generate]

    def stream(self, model: LLMClient, request: ChatRequest) -> AsyncIterator[LLMStreamEvent]:
        """Begin a stream."""
        return model.generate_stream(_messages(request), options=_options(request))

    def text_of(self, increment: LLMStreamEvent) -> str:
        """Give the text of a delta."""
        return increment.text if isinstance(increment, TextDelta) else ""

    def thought_of(self, increment: LLMStreamEvent) -> str:
        """Give the reasoning of a delta."""
        return increment.text if isinstance(increment, ReasoningDelta) else ""

    @clause("CLIENT-PORT-01", since="1.0")
    async def an_adapter_has_the_verbs_of_its_contract(self, client: LLMClient) -> None:
        verbs = [verb for verb in VERBS if verb not in self.partial]

        assert [verb for verb in verbs if not callable(getattr(client, verb, None))] == []
        assert isinstance(client.model, str)

    @clause("CLIENT-STREAM-01", since="1.0", hook="play")
    async def a_stream_is_iterated_without_being_awaited(self, client: LLMClient) -> None:
        await self.play([Turn("hello")])
        stream = client.generate_stream(HELLO)

        assert not inspect.isawaitable(stream)
        assert [event async for event in stream]

    @clause("CLIENT-STREAM-02", since="1.0", hook="play")
    async def one_completion_ends_the_stream(self, client: LLMClient) -> None:
        await self.play([Turn("hello, and more than one delta")])
        *deltas, last = [event async for event in client.generate_stream(HELLO)]

        assert isinstance(last, CompletionEvent)
        assert {type(delta) for delta in deltas} == {TextDelta}

    @clause("CLIENT-STREAM-03", since="1.0", hook="play")
    async def the_completion_is_what_generating_gives(self, client: LLMClient) -> None:
        await self.play([Turn("hello, world")])
        last: Any = [event async for event in client.generate_stream(HELLO)][-1]
        whole = await client.generate(HELLO)

        assert (last.content, last.usage) == (whole.content, whole.usage)
        assert (last.finish_reason, last.stop_kind) == (whole.finish_reason, whole.stop_kind)

    @clause("CLIENT-STOP-01", since="1.0", hook="play")
    async def why_it_stopped_is_told_in_our_words(self, client: LLMClient) -> None:
        for finish, kind in ((None, "stop"), ("length", "length")):
            await self.play([Turn("hello", finish_reason=finish)])
            response = await client.generate(HELLO)

            assert response.stop_kind == kind

    @clause("CLIENT-STOP-02", since="1.0", needs=Feature.TOOLS, hook="play")
    async def a_call_is_why_it_stopped(self, client: LLMClient) -> None:
        await self.play([Turn(tool_calls=(ToolCall("call_1", "look_up", {"word": "a"}),))])
        response = await client.generate(HELLO, options=GenerationOptions(tools=[TOOL]))

        assert response.stop_kind == "tool_use"

    @clause("CLIENT-USAGE-01", since="1.0", hook="play")
    async def usage_says_where_it_comes_from(self, client: LLMClient) -> None:
        await self.play([Turn("hello")])
        usage = (await client.generate(HELLO)).usage

        assert usage.provenance in {"reported", "estimated"}
        assert usage.cost is None or usage.cost.is_finite()

    @clause("CLIENT-BLOCK-01", since="1.0", needs=Feature.REASONING, hook="play")
    async def what_was_answered_may_be_sent_back(self, client: LLMClient) -> None:
        await self.play([Turn("It is 4.", reasoning="Two and two.")])
        first = await client.generate(HELLO)
        turns = [*HELLO, ChatMessage("assistant", first.content), *HELLO]

        assert (await client.generate(turns)).content == first.content


def _messages(request: ChatRequest) -> list[ChatMessage]:
    return [ChatMessage(turn.role, list(_blocks(turn)), turn.name) for turn in request.messages]


def _blocks(turn: Message) -> Iterator[ContentBlock]:
    if turn.tool_call_id is not None:
        yield ToolResultBlock(turn.tool_call_id, turn.name or "", [TextBlock(turn.content)])
        return
    if turn.content and not turn.blocks:
        yield TextBlock(turn.content)
    yield from turn.blocks
    for call in turn.tool_calls:
        yield ToolUseBlock(call.id, call.name, call.arguments)


def _options(request: ChatRequest) -> GenerationOptions:
    return GenerationOptions(
        tools=request.tools,
        response_format=request.response_format,
        temperature=request.temperature,
        max_tokens=request.max_tokens,
    )


def _told(answer: CompletionEvent | LLMResponse) -> Told:
    blocks, usage = answer.content, answer.usage
    uses = [block for block in blocks if isinstance(block, ToolUseBlock)]
    return Told(
        text=blocks_text(blocks),
        reasoning="".join(block.text for block in blocks if isinstance(block, ThinkingBlock)),
        calls=tuple(ToolCall(use.call_id, use.tool_name, use.arguments) for use in uses),
        finish_reason=answer.finish_reason,
        tokens=(usage.input_tokens, usage.cached_tokens, usage.output_tokens),
    )
