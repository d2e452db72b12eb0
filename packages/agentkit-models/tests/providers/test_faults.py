"""What goes wrong on the way: one request, one typed error, nothing left open."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from agentkit.core.contracts.content import ChatMessage, TextBlock
from agentkit.core.contracts.errors import (
    Cancelled,
    ErrorClass,
    ProviderAuthError,
    ProviderError,
)
from agentkit.core.contracts.llm import RunMeta
from agentkit.core.execution.cancellation import CancellationToken
from agentkit.models.providers import OpenAICompatibleLLM, Timeouts

Ask = Callable[..., Any]
HELLO = [ChatMessage("user", [TextBlock("hello")])]
HALF = b'data: {"choices": [{"index": 0, "delta": {"content": "half"}}]}\n\n'


@pytest.mark.parametrize(
    ("status", "verdict"),
    [
        (401, (ProviderAuthError, ErrorClass.PERMANENT)),
        (429, (ProviderError, ErrorClass.TRANSIENT)),
        (500, (ProviderError, ErrorClass.TRANSIENT)),
        (400, (ProviderError, ErrorClass.PERMANENT)),
        (307, (ProviderError, ErrorClass.PERMANENT)),
    ],
)
def test_a_status_is_one_request_and_one_error(
    ask: Ask, status: int, verdict: tuple[type, ErrorClass]
) -> None:
    headers = {"retry-after": "7", "x-request-id": "r1", "location": "/elsewhere"}
    asked = ask(chunks=(b'{"error": {"message": "no"}}',), status=status, headers=headers)

    assert (type(asked.error), asked.error.error_class) == verdict
    assert (asked.error.status, asked.error.retry_after) == (status, 7)
    assert (asked.error.request_id, asked.error.provider) == ("r1", "openai_compatible")
    assert len(asked.provider.bodies) == 1


def test_a_refused_connection_is_transient() -> None:
    llm = OpenAICompatibleLLM(api_key=None, base_url="http://127.0.0.1:1/v1", default_model="m")

    with pytest.raises(ProviderError, match=r"cannot connect to http://127\.0\.0\.1:1") as caught:
        asyncio.run(llm.generate(HELLO))

    assert caught.value.error_class is ErrorClass.TRANSIENT


@pytest.mark.parametrize("then", ["break", "end"])
def test_a_stream_that_is_cut_is_an_error_with_what_had_come(ask: Ask, then: str) -> None:
    asked = ask(chunks=(HALF,), then=then)

    assert (asked.error.error_type, asked.error.output_started) == ("incomplete_stream", True)
    assert (asked.error.partial.content, asked.error.error_class) == ("half", "transient")
    assert len(asked.provider.bodies) == 1


def test_an_error_frame_in_a_success_is_an_error(ask: Ask) -> None:
    frame = b'data: {"error": {"message": "busy", "type": "overloaded_error"}}\n\n'
    asked = ask(chunks=(HALF, frame), headers={"x-request-id": "r1"}, then="silence")

    assert str(asked.error) == "provider stream error [overloaded_error]: busy"
    assert (asked.error.partial.provider, asked.error.request_id) == ("openai_compatible", "r1")


@pytest.mark.parametrize(
    ("timeouts", "error_type"),
    [(Timeouts(idle=0.2), "idle_timeout"), (Timeouts(total=0.2), "total_timeout")],
)
def test_silence_ends_in_a_timeout_with_what_had_come(
    ask: Ask, timeouts: Timeouts, error_type: str
) -> None:
    asked = ask(chunks=(HALF,), then="silence", timeout=timeouts)

    assert (asked.error.error_type, asked.error.error_class) == (error_type, ErrorClass.TRANSIENT)
    assert asked.error.partial.content == "half"


def test_silence_after_the_last_mark_costs_nothing_but_the_connection(ask: Ask) -> None:
    assert ask(then="silence").value == ask().value


def test_leaving_a_stream_closes_the_connection(ask: Ask) -> None:
    async def use(llm: OpenAICompatibleLLM, provider: Any) -> Any:
        stream = llm.generate_stream(HELLO)
        await anext(stream)
        await stream.aclose()
        await asyncio.wait_for(provider.hung_up.wait(), 5)

    assert ask(chunks=(HALF,), then="silence", use=use).error is None


def test_a_cancelled_task_closes_the_connection(ask: Ask) -> None:
    async def use(llm: OpenAICompatibleLLM, provider: Any) -> Any:
        task = asyncio.create_task(llm.generate(HELLO))
        await provider.received.wait()
        task.cancel()
        await asyncio.wait_for(provider.hung_up.wait(), 5)
        return task.cancelled()

    assert ask(chunks=(), then="silence", use=use).value is True


def test_cancelling_the_run_interrupts_the_call(ask: Ask) -> None:
    token = CancellationToken()

    async def use(llm: OpenAICompatibleLLM, provider: Any) -> Any:
        task = asyncio.create_task(llm.generate(HELLO, ctx=RunMeta("r", token)))
        await provider.received.wait()
        token.cancel("enough")
        await asyncio.wait_for(provider.hung_up.wait(), 5)
        await task

    assert repr(ask(chunks=(HALF,), then="silence", use=use).error) == repr(Cancelled("enough"))


def test_a_run_that_is_cancelled_already_sends_nothing(ask: Ask) -> None:
    token = CancellationToken()
    token.cancel()

    async def use(llm: OpenAICompatibleLLM, _: Any) -> Any:
        await llm.generate(HELLO, ctx=RunMeta("r", token))

    asked = ask(use=use)

    assert isinstance(asked.error, Cancelled)
    assert asked.provider.connections == 0


def test_the_deadline_of_the_run_ends_the_call(ask: Ask) -> None:
    async def use(llm: OpenAICompatibleLLM, _: Any) -> Any:
        soon = datetime.now(UTC) + timedelta(seconds=0.1)
        await llm.generate(HELLO, ctx=RunMeta("r", CancellationToken(), deadline=soon))

    error = ask(chunks=(HALF,), then="silence", use=use).error

    assert repr(error) == repr(Cancelled("deadline exceeded"))


def test_a_run_that_goes_on_changes_nothing(ask: Ask) -> None:
    async def use(llm: OpenAICompatibleLLM, _: Any) -> Any:
        return await llm.generate(HELLO, ctx=RunMeta("r", CancellationToken()))

    assert ask(use=use).value == ask().value


def test_a_corrupt_body_is_an_error(ask: Ask) -> None:
    asked = ask(chunks=(b"no gzip",), headers={"content-encoding": "gzip"})

    assert asked.error.error_type == "undecodable_body"


def test_an_endless_error_body_is_not_read_to_its_end(ask: Ask) -> None:
    asked = ask(chunks=(b"x" * 1024,) * 1100, status=500, then="silence")

    assert asked.error.status == 500
    assert len(str(asked.error)) < 5000


def test_html_in_a_success_is_an_error(ask: Ask) -> None:
    assert ask(chunks=(b"<html></html>",)).error.error_type == "malformed_response"


@pytest.mark.parametrize("said", ["text/event-stream", "text/html", "application/octet-stream"])
def test_what_the_content_is_said_to_be_is_ignored(ask: Ask, said: str) -> None:
    body = b'{"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}]}'
    refusal = b'{"error": {"code": "slow_down"}}'
    headers = {"content-type": said}

    assert ask(chunks=(body,), headers=headers).value.content == [TextBlock("hi")]
    assert ask(status=429, chunks=(refusal,), headers=headers).error.code == "slow_down"
