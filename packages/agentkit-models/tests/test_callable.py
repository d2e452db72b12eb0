"""Any function as a model: how it is called, and what of its answer is understood."""

import asyncio
import functools
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from agentkit.core.contracts.content import ImageBlock
from agentkit.core.contracts.errors import UnsupportedOption
from agentkit.core.contracts.ports import LLMPort
from agentkit.core.contracts.types import (
    RAW_ARGUMENTS,
    Delta,
    LLMResult,
    Message,
    ToolSchema,
    assemble_deltas,
)
from agentkit.models import CallableLLM

HELLO = [Message("user", "hello")]


def chat(llm: CallableLLM, *messages: Message, **request: Any) -> LLMResult:
    return asyncio.run(llm.chat(messages=list(messages) or HELLO, model="m", **request))


def saying(raw: Any) -> Callable[..., Any]:
    def fn(**_: Any) -> Any:
        return raw

    return fn


def answered(raw: Any, **how: Any) -> LLMResult:
    return chat(CallableLLM(saying(raw), **how))


def show(**given: Any) -> str:
    return repr(given)


def test_it_is_a_port() -> None:
    assert isinstance(CallableLLM(print), LLMPort)


def test_a_function_gets_the_words_and_the_settings() -> None:
    assert chat(CallableLLM(show), temperature=0.5).content == (
        "{'system': '', 'user': 'hello', 'model': 'm', 'response_format': None, "
        "'temperature': 0.5, 'max_tokens': None}"
    )


def test_a_transcript_is_flattened() -> None:
    turns = [Message(role, role[0]) for role in ("system", "user", "system", "tool")]

    assert chat(CallableLLM(show), *turns).content.startswith(
        r"{'system': 's\n\ns', 'user': '[user] u\n\n[tool] t'"
    )


def test_one_message_beside_the_system_goes_as_it_is() -> None:
    assert "'user': '[x] y'" in chat(CallableLLM(show), Message("user", "[x] y")).content


async def coroutine_function(**_: Any) -> str:
    return "hi"


class AsyncCallable:
    async def __call__(self, **_: Any) -> str:
        return "hi"


def gives_a_coroutine(**_: Any) -> Any:
    return coroutine_function()


@pytest.mark.parametrize(
    "fn",
    [
        coroutine_function,
        AsyncCallable(),
        functools.partial(coroutine_function, extra=1),
        functools.partial(AsyncCallable()),
        gives_a_coroutine,
    ],
)
def test_an_awaitable_is_awaited_whatever_gives_it(fn: Callable[..., Any]) -> None:
    assert chat(CallableLLM(fn)).content == "hi"


def test_a_plain_function_runs_off_the_loop() -> None:
    def where(**_: Any) -> str:
        return str(threading.current_thread() is threading.main_thread())

    assert chat(CallableLLM(where)).content == "False"


@pytest.mark.parametrize("usage", ["input_tokens output_tokens", "prompt_tokens completion_tokens"])
@pytest.mark.parametrize("shape", [dict, SimpleNamespace])
def test_usage_is_read_by_every_name_from_dicts_and_objects(usage: str, shape: Any) -> None:
    counts = shape(**dict(zip(usage.split(), (11, 3), strict=True)))
    result = answered(shape(content="hi", usage=counts, model="served", finish_reason="stop"))

    assert (result.usage.input_tokens, result.usage.output_tokens) == (11, 3)
    assert (result.model, result.finish_reason) == ("served", "stop")


def test_without_usage_nothing_is_known_of_it() -> None:
    result = answered("hi")

    assert result.model_usage is not None
    assert (result.model_usage.provenance, result.model_usage.cost) == ("unknown", None)


def test_a_cost_function_prices_the_call() -> None:
    raw = {"content": "", "usage": {"input_tokens": 2, "output_tokens": 1}}

    def cost(model: str, input_tokens: int, output_tokens: int) -> float:
        return input_tokens + output_tokens * 0.1 if model == "m" else 0

    assert answered(raw, cost_fn=cost).usage.cost_usd == 2.1


def test_an_answer_of_the_core_contract_is_kept_as_it_is() -> None:
    result = LLMResult("hi", parsed={"a": 1})

    assert answered(result) is result


def test_to_result_maps_what_is_not_understood() -> None:
    def read(raw: bytes) -> LLMResult:
        return LLMResult(raw.decode())

    assert answered(b"hi", to_result=read).content == "hi"


@pytest.mark.parametrize("raw", [None, 7, {"text": "hi"}, {"content": ["hi"]}])
def test_what_is_no_answer_is_refused(raw: Any) -> None:
    with pytest.raises(TypeError, match="pass to_result="):
        answered(raw)


def test_an_error_of_the_function_leaves_as_it_is() -> None:
    def fail(**_: Any) -> None:
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        chat(CallableLLM(fail))


def test_tools_without_a_chat_function_are_refused_before_the_call() -> None:
    calls: list[Any] = []

    with pytest.raises(UnsupportedOption, match="chat_fn="):
        chat(CallableLLM(calls.append), tools=[ToolSchema("f")])
    assert calls == []


def test_media_without_a_chat_function_are_refused_before_the_call() -> None:
    calls: list[Any] = []
    looking = Message("user", blocks=(ImageBlock(url="https://x.test/a.png"),))

    with pytest.raises(UnsupportedOption, match="chat_fn="):
        chat(CallableLLM(calls.append), looking)
    assert calls == []


def test_an_empty_list_of_tools_asks_for_none() -> None:
    assert chat(CallableLLM(saying("hi")), tools=[]).content == "hi"


@pytest.mark.parametrize(("hint", "given"), [(None, "False"), ("5m", "True")])
def test_a_chat_function_gets_the_request_and_a_hint_that_is_there(hint: Any, given: str) -> None:
    def talk(**request: Any) -> str:
        return repr("cache_hint" in request)

    llm = CallableLLM(print, chat_fn=talk)

    assert chat(llm, tools=[ToolSchema("f")], cache_hint=hint).content == given


@pytest.mark.parametrize(
    "call",
    [
        {"id": "c", "function": {"name": "f", "arguments": '{"a": 1}'}},
        {"id": "c", "name": "f", "arguments": {"a": 1}},
        SimpleNamespace(id="c", function=SimpleNamespace(name="f", arguments='{"a": 1}')),
    ],
)
def test_tool_calls_are_read_in_every_shape(call: Any) -> None:
    [made] = answered({"tool_calls": [call]}).tool_calls

    assert (made.id, made.name, made.arguments) == ("c", "f", {"a": 1})


def test_arguments_that_are_no_object_are_kept_as_they_came() -> None:
    [call] = answered({"tool_calls": [{"id": "c", "name": "f", "arguments": "{half"}]}).tool_calls

    assert call.arguments == {RAW_ARGUMENTS: "{half"}
    assert call.raw_arguments == "{half"


def test_parallel_calls_never_share_an_id() -> None:
    call = {"name": "f", "arguments": "{}"}
    calls = answered(
        {"tool_calls": [call, call, {"id": "x"} | call, {"id": "x"} | call]}
    ).tool_calls

    assert len({call.id for call in calls}) == 4


def test_the_stream_is_one_terminal_delta() -> None:
    async def deltas() -> list[Delta]:
        llm = CallableLLM(saying({"content": "hi", "finish_reason": "stop"}))
        return [delta async for delta in llm.stream(messages=HELLO, model="m")]

    [delta] = asyncio.run(deltas())

    assert assemble_deltas([delta]) == answered({"content": "hi", "finish_reason": "stop"})


def test_a_function_that_raises_stop_iteration_fails_and_does_not_hang() -> None:
    def fn(**_: Any) -> str:
        return next(iter(()))

    with pytest.raises(RuntimeError, match="StopIteration"):
        asyncio.run(asyncio.wait_for(CallableLLM(fn).chat(messages=HELLO, model="m"), 5))
