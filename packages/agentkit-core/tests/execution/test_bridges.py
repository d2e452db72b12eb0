"""A client as a port and a port as a client: nothing is lost on the way, in either direction."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from decimal import Decimal
from typing import Any

import pytest

from agentkit.core.contracts.content import (
    ChatMessage,
    ContentBlock,
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from agentkit.core.contracts.errors import Cancelled, UnsupportedOption
from agentkit.core.contracts.llm import (
    CompletionEvent,
    GenerationOptions,
    LLMClient,
    LLMResponse,
    LLMStreamEvent,
    ModelUsage,
    ReasoningDelta,
    RunMeta,
    TextDelta,
)
from agentkit.core.contracts.ports import LLMPort
from agentkit.core.contracts.types import (
    Delta,
    LLMResult,
    Message,
    ToolCall,
    ToolSchema,
    Usage,
    assemble_deltas,
)
from agentkit.core.execution.bridges import LLMPortAsClient, as_llm_client, as_llm_port
from agentkit.core.execution.cancellation import CancellationToken

USAGE = ModelUsage(10, 4, output_tokens=2, cost=Decimal("0.5"), provenance="reported")
THOUGHT = ThinkingBlock("hm", provider="them", opaque={"sealed": "x"})
CONTENT: list[ContentBlock] = [THOUGHT, TextBlock("hi"), ToolUseBlock("c", "f", {"a": 1})]
LAST = CompletionEvent(
    CONTENT, USAGE, {"model": "served", "provider": "them"}, finish_reason="stop"
)


class Client:
    """A client that streams what it is given and keeps what it is asked."""

    def __init__(self, *events: LLMStreamEvent, model: str = "m") -> None:
        self.model = model
        self.events = events or (ReasoningDelta("hm"), TextDelta("h"), TextDelta("i"), LAST)
        self.messages: list[ChatMessage] = []
        self.options = GenerationOptions()
        self.closed = False

    async def generate(self, *_: Any, **__: Any) -> LLMResponse:
        raise AssertionError("the port is made of the stream")

    async def generate_stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        options: GenerationOptions = GenerationOptions(),  # noqa: B008
        ctx: RunMeta | None = None,
    ) -> AsyncIterator[LLMStreamEvent]:
        self.messages, self.options = list(messages), options
        try:
            for event in self.events:
                yield event
        finally:
            self.closed = True

    async def count_tokens(self, messages: Sequence[ChatMessage]) -> int:
        return len(messages)


class ManyModels(Client):
    def with_model(self, model: str) -> "ManyModels":
        return ManyModels(*self.events, model=model)


class Port:
    """A port that streams what it is given and keeps what it is asked."""

    def __init__(self, *deltas: Delta) -> None:
        self.deltas = deltas
        self.asked: dict[str, Any] = {}
        self.closed = False

    async def stream(self, **asked: Any) -> AsyncIterator[Delta]:
        self.asked = asked
        try:
            for delta in self.deltas:
                yield delta
        finally:
            self.closed = True

    async def chat(self, **asked: Any) -> LLMResult:
        return assemble_deltas([delta async for delta in self.stream(**asked)])

    async def complete(self, **asked: Any) -> LLMResult:
        return await self.chat(**asked)


def chat(client: LLMClient, *messages: Message, model: str = "m", **request: Any) -> LLMResult:
    turns = list(messages) or [Message("user", "hello")]
    return asyncio.run(as_llm_port(client).chat(messages=turns, model=model, **request))


def sent(*messages: Message) -> list[ChatMessage]:
    client = Client()
    chat(client, *messages)
    return client.messages


def events(port: LLMPort, **how: Any) -> list[LLMStreamEvent]:
    async def collect() -> list[LLMStreamEvent]:
        stream = as_llm_client(port, model="m").generate_stream(
            [ChatMessage("user", [TextBlock("hello")])], **how
        )
        return [event async for event in stream]

    return asyncio.run(collect())


def asked(*messages: ChatMessage) -> list[Message]:
    port = Port()
    asyncio.run(as_llm_client(port, model="m").generate(list(messages)))
    turns: list[Message] = port.asked["messages"]
    return turns


def test_a_client_of_a_port_speaks_to_no_model_unless_told() -> None:
    assert (as_llm_client(Port()).model, LLMPortAsClient(Port()).model) == ("", "")


def test_what_is_both_already_comes_back_as_it_is() -> None:
    port, client = as_llm_port(Client()), as_llm_client(Port())

    assert as_llm_port(port) is port  # type: ignore[arg-type]
    assert as_llm_client(client) is client  # type: ignore[arg-type]


def test_the_bridges_are_what_they_stand_for() -> None:
    assert isinstance(as_llm_port(Client()), LLMPort)
    assert isinstance(as_llm_client(Port()), LLMClient)


def test_a_client_as_a_port_gives_everything_it_said() -> None:
    result = chat(Client())

    assert (result.content, result.reasoning, list(result.blocks)) == ("hi", "hm", CONTENT)
    assert result.tool_calls == (ToolCall("c", "f", {"a": 1}),)
    assert (result.model, result.provider, result.finish_reason) == ("served", "them", "stop")
    assert (result.model_usage, result.usage) == (USAGE, USAGE.to_usage())


def test_a_client_that_streams_nothing_still_says_it_all() -> None:
    assert chat(Client(LAST)) == chat(Client())


def test_a_request_becomes_options() -> None:
    client, tool = Client(), ToolSchema("f")
    chat(client, tools=[tool], temperature=0.0, max_tokens=5, response_format={}, cache_hint=True)

    assert client.options == GenerationOptions(
        tools=[tool], temperature=0.0, max_tokens=5, response_format={}, cache="5m"
    )


@pytest.mark.parametrize(
    ("hint", "cache"), [(None, None), ("1h", "1h"), ({"a": 1}, "5m"), ("", None)]
)
def test_a_cache_hint_becomes_advice(hint: Any, cache: str | None) -> None:
    client = Client()
    chat(client, cache_hint=hint)

    assert client.options.cache == cache


def test_complete_is_a_system_and_a_user_message() -> None:
    client = Client()
    port = as_llm_port(client)
    asyncio.run(port.complete(system="s", user="u", model="m", temperature=0.5))

    assert client.options.temperature == 0.5
    assert [(m.role, m.content) for m in client.messages] == [
        ("system", [TextBlock("s")]),
        ("user", [TextBlock("u")]),
    ]


def test_another_model_is_refused_by_a_client_of_one() -> None:
    with pytest.raises(UnsupportedOption, match="speaks to 'm'; got model 'other'") as caught:
        chat(Client(), model="other")
    assert caught.value.option == "model"


def test_no_model_at_all_is_the_clients_own() -> None:
    assert chat(Client(model="own"), model="").content == "hi"


def test_another_model_is_spoken_to_by_a_client_of_many() -> None:
    facts = CompletionEvent([], USAGE)

    assert chat(ManyModels(facts), model="other").model == "other"


def test_blocks_of_a_turn_are_kept() -> None:
    image = ImageBlock(url="http://x/i")

    assert sent(Message("user", blocks=(TextBlock("see"), image)))[0].content == [
        TextBlock("see"),
        image,
    ]


def test_calls_of_a_turn_are_blocks_with_the_arguments_that_are_valid() -> None:
    signed = ToolUseBlock("c", "f", {"a": 1}, signature="s", provider="them")
    calls = (ToolCall("c", "f", {"a": 2}), ToolCall("d", "g"))
    [turn] = sent(Message("assistant", tool_calls=calls, blocks=(signed,)))

    assert turn.content == [
        ToolUseBlock("c", "f", {"a": 2}, signature="s", provider="them"),
        ToolUseBlock("d", "g"),
    ]


def test_a_tool_turn_is_a_tool_result() -> None:
    [turn] = sent(Message("tool", "42", name="f", tool_call_id="c"))

    assert turn.content == [ToolResultBlock("c", "f", [TextBlock("42")])]


def test_leaving_the_port_closes_the_client() -> None:
    async def leave(client: Client) -> None:
        stream: Any = as_llm_port(client).stream(messages=[], model="m")
        await anext(stream)
        await stream.aclose()

    client = Client()
    asyncio.run(leave(client))

    assert client.closed


def test_a_port_as_a_client_gives_everything_it_said() -> None:
    calls = (ToolCall("c", "f", {"a": 1}),)
    terminal = Delta(model="served", tool_calls=calls, blocks=tuple(CONTENT), model_usage=USAGE)
    *deltas, last = events(Port(Delta(reasoning="hm"), Delta("hi"), terminal))

    assert deltas == [ReasoningDelta("hm"), TextDelta("hi")]
    assert last == CompletionEvent(CONTENT, USAGE, {"model": "served"}, stop_kind="tool_use")


def test_a_port_of_plain_text_becomes_blocks() -> None:
    call = ToolCall("c", "f", {"a": 1})
    *_, last = events(Port(Delta("hi", reasoning="hm", tool_calls=(call,), usage=Usage(3, 2))))

    assert isinstance(last, CompletionEvent)
    assert last.content == [ThinkingBlock("hm"), TextBlock("hi"), ToolUseBlock("c", "f", {"a": 1})]
    assert (last.usage.input_tokens, last.usage.provenance) == (3, "reported")
    assert last.stop_kind == "tool_use"


def test_a_port_that_reports_no_usage_leaves_it_unknown() -> None:
    *_, last = events(Port(Delta("hi", finish_reason="length")))

    assert isinstance(last, CompletionEvent)
    assert (last.usage.provenance, last.stop_kind) == ("unknown", "length")


def test_generate_gives_what_ends_the_stream() -> None:
    client = as_llm_client(Port(Delta("hi", finish_reason="stop")), model="m")
    response = asyncio.run(client.generate([]))

    assert (response.content, response.stop_kind) == ([TextBlock("hi")], "stop")
    assert response.finish_reason == "stop"


def test_generate_answers_in_a_live_run() -> None:
    client = as_llm_client(Port(Delta("hi"), Delta("!")), model="m")
    response = asyncio.run(client.generate([], ctx=RunMeta("r", CancellationToken())))

    assert response.content == [TextBlock("hi!")]


def test_generate_in_a_cancelled_run_calls_no_port() -> None:
    port, token = Port(Delta("hi")), CancellationToken()
    token.cancel("enough")

    with pytest.raises(Cancelled, match="enough"):
        asyncio.run(as_llm_client(port, model="m").generate([], ctx=RunMeta("r", token)))
    assert port.asked == {}


class Silent(Port):
    """A port that never says anything."""

    def __init__(self, token: CancellationToken) -> None:
        super().__init__()
        self.token = token

    async def stream(self, **asked: Any) -> AsyncIterator[Delta]:
        self.token.cancel("enough")
        await asyncio.Event().wait()
        yield Delta()


def test_a_run_that_is_cancelled_waits_for_no_delta() -> None:
    token = CancellationToken()

    with pytest.raises(Cancelled, match="enough"):
        events(Silent(token), ctx=RunMeta("r", token))


def test_options_become_a_request() -> None:
    port, tool = Port(), ToolSchema("f")
    events(port, options=GenerationOptions(tools=[tool], temperature=0.0, cache="1h"))

    assert (port.asked["model"], port.asked["tools"]) == ("m", [tool])
    assert (port.asked["temperature"], port.asked["cache_hint"]) == (0.0, "1h")


@pytest.mark.parametrize(
    "option",
    [
        {"tool_choice": "auto"},
        {"stop": []},
        {"seed": 0},
        {"reasoning_effort": ""},
        {"extra": {"a": 1}},
    ],
    ids=str,
)
def test_an_option_that_no_port_has_is_refused_before_the_call(option: dict[str, Any]) -> None:
    port = Port()

    with pytest.raises(UnsupportedOption, match=next(iter(option))):
        events(port, options=GenerationOptions(**option))
    assert port.asked == {}


def test_system_instructions_are_the_first_turn() -> None:
    port = Port()
    events(port, options=GenerationOptions(system_instructions="be kind"))

    assert port.asked["messages"] == [Message("system", "be kind"), Message("user", "hello")]


def test_several_results_in_a_turn_are_several_turns() -> None:
    results: list[ContentBlock] = [ToolResultBlock(n, "f", [TextBlock(n)]) for n in ("a", "b")]
    turns = asked(ChatMessage("tool", results))

    assert [(t.role, t.content, t.tool_call_id) for t in turns] == [
        ("tool", "a", "a"),
        ("tool", "b", "b"),
    ]


def test_a_turn_of_an_assistant_keeps_calls_and_blocks() -> None:
    [turn] = asked(ChatMessage("assistant", CONTENT))

    assert (turn.content, turn.tool_calls) == ("hi", (ToolCall("c", "f", {"a": 1}),))
    assert list(turn.blocks) == CONTENT


def test_a_cancelled_run_calls_no_port() -> None:
    port, token = Port(Delta("hi")), CancellationToken()
    token.cancel("enough")

    with pytest.raises(Cancelled, match="enough"):
        events(port, ctx=RunMeta("r", token))
    assert port.asked == {}


def test_a_run_that_is_cancelled_between_deltas_ends_and_closes_the_port() -> None:
    port, token = Port(Delta("a"), Delta("b")), CancellationToken()

    async def take() -> None:
        client = as_llm_client(port, model="m")
        async for _ in client.generate_stream([], ctx=RunMeta("r", token)):
            token.cancel("enough")

    with pytest.raises(Cancelled, match="enough"):
        asyncio.run(take())
    assert port.closed


def test_a_port_cannot_count_so_the_tokens_are_estimated() -> None:
    message = ChatMessage("user", [TextBlock("12345678"), ToolUseBlock("c", "f", {"a": 1})])

    assert asyncio.run(as_llm_client(Port()).count_tokens([message])) == 4 + (8 + 13 + 8) // 4
