"""The chat-completions client over real HTTP: both contracts, one request, connections."""

import asyncio
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import httpx
import pytest

from agentkit.core.contracts.content import ChatMessage, TextBlock
from agentkit.core.contracts.errors import UnsupportedOption
from agentkit.core.contracts.llm import (
    CompletionEvent,
    GenerationOptions,
    LLMClient,
    LLMResponse,
    ModelUsage,
    TextDelta,
)
from agentkit.core.contracts.ports import LLMPort
from agentkit.core.contracts.types import Delta, Message, assemble_deltas
from agentkit.models.providers import OpenAICompatibleLLM, deepseek, openai, openrouter

Ask = Callable[..., Any]
HELLO = [ChatMessage("user", [TextBlock("hello")])]
WHOLE = (
    b'{"model": "served", "choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}],'
    b' "usage": {"prompt_tokens": 3, "completion_tokens": 2}}'
)


def test_it_is_both_a_client_and_a_port() -> None:
    llm = OpenAICompatibleLLM(api_key=None, base_url="http://x/v1", default_model="m")

    assert isinstance(llm, LLMClient)
    assert isinstance(llm, LLMPort)


def test_generate_gives_the_whole_response(ask: Ask) -> None:
    response: LLMResponse = ask().value

    assert (response.content, response.stop_kind) == ([TextBlock("hi")], "stop")
    assert (response.usage.input_tokens, response.usage.output_tokens) == (3, 2)


def test_the_stream_ends_in_what_generate_gives(ask: Ask) -> None:
    async def use(llm: OpenAICompatibleLLM, _: Any) -> Any:
        return [event async for event in llm.generate_stream(HELLO)]

    first, last = ask(use=use).value

    assert first == TextDelta("hi")
    assert isinstance(last, CompletionEvent)
    assert last.content == ask().value.content


def test_the_port_streams_deltas_the_last_with_all_facts(ask: Ask) -> None:
    async def use(llm: OpenAICompatibleLLM, _: Any) -> Any:
        return [d async for d in llm.stream(messages=[Message("user", "hello")], model="m")]

    first, last = ask(use=use).value

    assert first == Delta("hi")
    assert (last.text, last.model, last.provider) == ("", "served", "openai_compatible")
    assert (last.finish_reason, last.usage.input_tokens) == ("stop", 3)


def test_chat_is_the_collected_stream(ask: Ask) -> None:
    async def use(llm: OpenAICompatibleLLM, _: Any) -> Any:
        request: dict[str, Any] = {"messages": [Message("user", "hello")], "model": "m"}
        return [d async for d in llm.stream(**request)], await llm.chat(**request)

    deltas, result = ask(use=use).value

    assert assemble_deltas(deltas) == result


def test_complete_asks_with_a_system_and_a_user_message(ask: Ask) -> None:
    async def use(llm: OpenAICompatibleLLM, _: Any) -> Any:
        return await llm.complete(system="be kind", user="hello", model="other")

    [body] = ask(use=use).provider.bodies

    assert [turn["role"] for turn in body["messages"]] == ["system", "user"]
    assert body["model"] == "other"


def test_a_whole_answer_and_a_streamed_one_give_the_same(ask: Ask) -> None:
    streamed, whole = ask(), ask(chunks=(WHOLE,), streaming=False)

    assert whole.value == streamed.value
    assert "stream" not in whole.provider.bodies[0]


def test_a_server_that_does_not_stream_is_understood(ask: Ask) -> None:
    assert ask(chunks=(WHOLE,)).value == ask().value


def test_a_request_goes_to_the_path_below_the_base_with_key_and_headers(ask: Ask) -> None:
    [head] = ask(extra_headers={"X-Title": "mine"}).provider.heads

    assert head.startswith("post /v1/chat/completions http/1.1")
    assert "authorization: bearer sk-canary" in head
    assert "x-title: mine" in head


def test_a_base_url_may_have_a_slash_and_a_query(ask: Ask) -> None:
    async def use(_: Any, provider: Any) -> Any:
        url = f"{provider.url}/?api-version=2"
        async with OpenAICompatibleLLM(api_key=None, base_url=url, default_model="m") as llm:
            await llm.generate(HELLO)

    [head] = ask(use=use).provider.heads

    assert head.startswith("post /v1/chat/completions?api-version=2 ")
    assert "authorization" not in head


def test_an_option_that_cannot_be_honoured_is_refused_before_anything_is_sent(ask: Ask) -> None:
    async def use(llm: OpenAICompatibleLLM, _: Any) -> Any:
        await llm.generate(HELLO, options=GenerationOptions(tool_choice="required"))

    asked = ask(use=use)

    assert isinstance(asked.error, UnsupportedOption)
    assert asked.provider.connections == 0


def test_a_call_without_any_model_is_refused(ask: Ask) -> None:
    with pytest.raises(ValueError, match="no model"):
        raise ask(default_model=None).error


def test_calls_share_a_connection(ask: Ask) -> None:
    async def use(llm: OpenAICompatibleLLM, _: Any) -> Any:
        for model in "abc":
            await llm.with_model(model).generate(HELLO)

    provider = ask(use=use).provider

    assert [body["model"] for body in provider.bodies] == ["a", "b", "c"]
    assert provider.connections == 1


def test_a_given_client_is_used_and_left_open(ask: Ask) -> None:
    async def use(_: Any, provider: Any) -> Any:
        async with httpx.AsyncClient(headers={"x-mine": "1"}) as given:
            async with OpenAICompatibleLLM(
                api_key=None, base_url=provider.url, default_model="m", client=given
            ) as llm:
                await llm.generate(HELLO)
            return given.is_closed

    asked = ask(use=use)

    assert asked.value is False
    assert "x-mine: 1" in asked.provider.heads[0]


def test_one_adapter_serves_one_event_loop_after_the_other(ask: Ask) -> None:
    async def use(_: Any, provider: Any) -> Any:
        llm = OpenAICompatibleLLM(api_key=None, base_url=provider.url, default_model="m")
        for _ in range(2):
            await asyncio.to_thread(asyncio.run, llm.generate(HELLO))

    assert ask(use=use).provider.connections == 2


def test_closing_closes_what_another_loop_still_uses(ask: Ask) -> None:
    async def use(llm: OpenAICompatibleLLM, provider: Any) -> Any:
        async def elsewhere() -> None:
            await llm.generate(HELLO)
            await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(llm.aclose(), here))

        here = asyncio.get_running_loop()
        await asyncio.to_thread(asyncio.run, elsewhere())
        await provider.hung_up.wait()

    assert ask(use=use).error is None


def test_the_served_model_is_priced_where_the_provider_states_no_cost(ask: Ask) -> None:
    def price(model: str, _: ModelUsage) -> Decimal | None:
        return Decimal("0.5") if model == "served" else None

    assert ask(pricing=price).value.usage.cost == Decimal("0.5")


@pytest.mark.parametrize("amount", [OverflowError("too much"), Decimal("NaN"), -1, "dear"])
def test_an_answer_whose_price_list_fails_is_given_at_an_unknown_cost(
    ask: Ask, amount: Any
) -> None:
    def price(_: str, __: ModelUsage) -> Any:
        if isinstance(amount, Exception):
            raise amount
        return amount

    with pytest.warns(UserWarning, match="pricing= that fails"):
        answer = ask(pricing=price)
    assert (answer.error, answer.value.usage.cost) == (None, None)


def test_a_cost_that_nobody_knows_is_none(ask: Ask) -> None:
    assert ask().value.usage.cost is None


def test_the_presets_know_their_providers() -> None:
    made = [preset(api_key="k") for preset in (openai, deepseek, openrouter)]

    assert [llm.provider for llm in made] == ["openai", "deepseek", "openrouter"]
    assert [llm.model for llm in made] == ["", "deepseek-chat", ""]


def test_a_schema_without_a_mode_is_asked_for_in_words_and_told_once(ask: Ask) -> None:
    wanted = {"type": "json_schema", "json_schema": {"schema": {"type": "object"}}}
    options = GenerationOptions(response_format=wanted)

    async def use(_: Any, provider: Any) -> Any:
        async with deepseek(api_key=None, base_url=provider.url) as llm:
            await llm.generate(HELLO, options=options)
            await llm.generate(HELLO, options=options)

    with pytest.warns(UserWarning, match="no JSON Schema mode") as told:
        ask(use=use)

    assert len(told) == 1


def test_tokens_are_estimated() -> None:
    llm = OpenAICompatibleLLM(api_key=None, base_url="http://x/v1")

    assert asyncio.run(llm.count_tokens(HELLO)) == 5


def test_a_proxy_of_the_environment_is_used(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    async def use(_: Any, provider: Any) -> Any:
        monkeypatch.setenv("HTTP_PROXY", provider.url)
        monkeypatch.delenv("NO_PROXY", raising=False)
        url = "http://model.invalid/v1"
        async with OpenAICompatibleLLM(api_key=None, base_url=url, default_model="m") as llm:
            return await llm.generate([])

    asked = ask(use)

    assert (asked.error, asked.value.stop_kind) == (None, "stop")
    assert asked.provider.heads[0].startswith("post http://model.invalid/v1/chat/completions ")
