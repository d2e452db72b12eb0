"""The one way in which anything cross-cutting wraps a call."""

import asyncio
import dataclasses
import weakref
from collections.abc import AsyncIterator, Awaitable
from functools import partial
from typing import Any, TypeVar

import pytest

from agentkit.core.contracts.errors import Blocked, Cancelled
from agentkit.core.contracts.middleware import (
    BaseMiddleware,
    Call,
    Handler,
    MiddlewareContext,
    chain,
    collect,
    collect_one,
    restream,
)
from agentkit.core.contracts.observation import Observation
from agentkit.core.contracts.types import (
    ChatRequest,
    Delta,
    LLMResult,
    Message,
    Operation,
    ToolRequest,
    assemble_deltas,
)
from agentkit.core.testing import RecordingObserver, make_test_ctx

from .examples import EXAMPLES

T = TypeVar("T")


def run(awaitable: Awaitable[T]) -> T:
    async def main() -> T:
        return await awaitable

    return asyncio.run(main())


def chat(**ctx: Any) -> Call:
    return Call("chat", ChatRequest([Message("user", "hi")], "m"), make_test_ctx(**ctx))


def tool() -> Call:
    return Call("tool", ToolRequest("t", {"a": 1}, None), make_test_ctx())


class Model:
    """A terminal handler that says *texts*, fails with *failure* after them, and sees its end."""

    def __init__(self, *texts: str, failure: BaseException | None = None) -> None:
        self.texts = texts
        self.failure = failure
        self.closed = 0

    async def __call__(self, call: Call) -> AsyncIterator[Any]:
        try:
            for text in self.texts:
                yield Delta(text)
            if self.failure is not None:
                raise self.failure
        finally:
            self.closed += 1


class Phases(BaseMiddleware):
    """Writes down which phases ran."""

    def __init__(self) -> None:
        self.ran: list[str] = []

    async def on_request(self, ctx: MiddlewareContext) -> Any:
        self.ran.append("request")

    async def on_response(self, ctx: MiddlewareContext, result: Any) -> Any:
        self.ran.append(f"response {result.content}")
        return result

    async def on_error(self, ctx: MiddlewareContext, exc: Exception) -> Any:
        self.ran.append(f"error {exc}")
        raise exc

    async def on_close(self, ctx: MiddlewareContext) -> Any:
        self.ran.append("close")


class Recovering(BaseMiddleware):
    """Answers a failure with a result."""

    async def on_error(self, ctx: MiddlewareContext, exc: Exception) -> Any:
        return LLMResult("instead")


class Replacing(BaseMiddleware):
    """Replaces whatever came by *value*."""

    buffers = True

    def __init__(self, value: Any) -> None:
        self.value = value

    async def on_response(self, ctx: MiddlewareContext, result: Any) -> Any:
        return self.value


class Telling(BaseMiddleware):
    """Yields an observation on the way."""

    async def on_request(self, ctx: MiddlewareContext) -> Any:
        yield Observation("progress", render="on its way")


def tagging(tag: str) -> Any:
    async def middleware(call: Call, nxt: Handler) -> AsyncIterator[Any]:
        async for item in nxt(call):
            yield Delta(tag + item.text)

    return middleware


def test_the_first_middleware_is_outermost() -> None:
    handler = chain([tagging("a"), tagging("b")], Model("x"))

    assert run(collect(handler(chat()))).content == "abx"


def test_an_empty_chain_is_its_terminal() -> None:
    terminal = Model("x")

    assert chain([], terminal) is terminal


def test_what_is_no_middleware_is_refused_where_it_is_wired() -> None:
    with pytest.raises(TypeError, match="a middleware is an async generator"):
        chain(["retry"], Model())  # type: ignore[list-item]


def test_a_one_item_stream_is_its_item() -> None:
    async def one() -> AsyncIterator[Any]:
        yield {"a": 1}

    assert run(collect_one(one())) == {"a": 1}


@pytest.mark.parametrize(
    "result", [v for v in EXAMPLES if isinstance(v, LLMResult)], ids=["full example"]
)
def test_restreaming_a_result_loses_no_field(result: LLMResult) -> None:
    assert assemble_deltas([restream(result)]) == result
    assert {f.name for f in dataclasses.fields(LLMResult)} - {"content"} <= {
        f.name for f in dataclasses.fields(Delta)
    }


class Unclosable:
    """A stream with nothing to close."""

    def __init__(self, *items: Any) -> None:
        self.items = list(items)

    def __aiter__(self) -> "Unclosable":
        return self

    async def __anext__(self) -> Any:
        if not self.items:
            raise StopAsyncIteration
        return self.items.pop(0)


class Closable(Unclosable):
    """A stream that is told when nobody wants more, and that is no generator."""

    closed = False

    async def aclose(self) -> None:
        self.closed = True


def test_a_stream_is_closed_once_it_is_collected() -> None:
    stream = Closable(1, 2)

    assert (run(collect(stream, "tool")), stream.closed) == (2, True)


def test_a_stream_that_cannot_be_closed_is_collected_all_the_same() -> None:
    assert run(collect(Unclosable(1, 2), "tool")) == 2


def test_a_success_runs_request_response_and_close() -> None:
    phases = Phases()
    run(collect(chain([phases], Model("a", "b"))(chat())))

    assert phases.ran == ["request", "response ab", "close"]


def test_a_failure_runs_request_error_and_close() -> None:
    phases = Phases()
    with pytest.raises(ValueError, match="no"):
        run(collect(chain([phases], Model(failure=ValueError("no")))(chat())))

    assert phases.ran == ["request", "error no", "close"]


@pytest.mark.parametrize("stop", [Cancelled(), asyncio.CancelledError(), GeneratorExit()], ids=repr)
def test_a_cancelled_call_is_no_failure_and_is_closed(stop: BaseException) -> None:
    phases = Phases()
    with pytest.raises(type(stop)):
        run(collect(chain([phases], Model("a", failure=stop))(chat())))

    assert phases.ran == ["request", "close"]


def test_a_consumer_that_leaves_early_closes_everything() -> None:
    phases, model = Phases(), Model("a", "b")

    async def leave() -> None:
        stream: Any = chain([phases], model)(chat())
        await anext(stream)
        await stream.aclose()

    run(leave())
    assert (phases.ran, model.closed) == (["request", "close"], 1)


def test_a_failure_before_any_output_can_be_answered_instead() -> None:
    handler = chain([Recovering()], Model(failure=ValueError("no")))

    assert run(collect(handler(chat()))).content == "instead"


def test_a_call_that_fails_while_it_is_made_can_be_answered_instead() -> None:
    def refusing(call: Call) -> AsyncIterator[Any]:
        raise ValueError("no")

    assert run(collect(chain([Recovering()], refusing)(chat()))).content == "instead"


def test_a_request_that_is_refused_is_closed_and_never_sent() -> None:
    class Refusing(Phases):
        async def on_request(self, ctx: MiddlewareContext) -> Any:
            raise Blocked("not today")

    phases, model = Refusing(), Model("a")
    with pytest.raises(Blocked, match="not today"):
        run(collect(chain([phases], model)(chat())))
    assert (phases.ran, model.closed) == (["close"], 0)


def test_a_tools_result_is_what_its_phase_sees() -> None:
    class Seeing(BaseMiddleware):
        async def on_response(self, ctx: MiddlewareContext, result: Any) -> Any:
            seen.append(result)

    async def three(call: Call) -> AsyncIterator[Any]:
        yield 3

    seen: list[Any] = []
    assert run(collect(chain([Seeing()], three)(tool()), "tool")) == 3
    assert seen == [3]


class Deaf(BaseMiddleware):
    """Listens to nothing."""


class Item:
    """Something that a test can see go."""


async def kept_by(*phases: Any) -> list[bool]:
    """Tell of each item that went through *phases* whether anything keeps it."""
    seen: list[weakref.ref[Item]] = []
    kept: list[bool] = []

    async def source(call: Call) -> AsyncIterator[Any]:
        for _ in range(3):
            yield (item := Item())
            seen.append(weakref.ref(item))
            del item
        kept.extend(ref() is not None for ref in seen[:-1])  # the last is still on its way

    stream = chain(phases, source)(tool())
    while await anext(stream, None) is not None:
        pass
    return kept


def test_a_middleware_that_does_not_listen_keeps_nothing_of_a_long_answer() -> None:
    assert run(kept_by(Deaf())) == [False, False]
    assert run(kept_by(Replacing(LLMResult("other")))) == [True, True]


class Foreign(BaseMiddleware):
    """Its response phase is an object of its own, and no method."""

    def __init__(self, phase: Any) -> None:
        setattr(self, "on_response", phase)  # noqa: B010 - a type checker knows it as a method


def test_a_phase_may_be_any_function() -> None:
    heard: list[str] = []

    async def hear(ctx: MiddlewareContext, result: Any) -> None:
        heard.append(result.content)

    run(collect(chain([Foreign(partial(hear))], Model("a", "b"))(chat())))
    assert heard == ["ab"]


def test_a_failure_after_output_leaves_whatever_the_phase_returns() -> None:
    with pytest.raises(ValueError, match="no"):
        run(collect(chain([Recovering()], Model("half", failure=ValueError("no")))(chat())))


def test_a_buffering_middleware_replaces_the_result() -> None:
    handler = chain([Replacing(LLMResult("other"))], Model("a"))

    assert run(collect(handler(chat()))).content == "other"


def test_a_buffering_middleware_that_forgets_a_chats_result_is_told() -> None:
    with pytest.raises(TypeError, match=r"Replacing\.on_response gave no result"):
        run(collect(chain([Replacing(None)], Model("a"))(chat())))


def test_a_buffering_middleware_may_replace_the_result_by_none() -> None:
    async def items() -> list[Any]:
        return [item async for item in chain([Replacing(None)], Model("a"))(tool())]

    assert run(items()) == [None]


class Whole(BaseMiddleware):
    """Collects the call first, and writes down what each phase sees."""

    buffers = True

    def __init__(self) -> None:
        self.seen: list[Any] = []

    async def on_request(self, ctx: MiddlewareContext) -> Any:
        self.seen.append(ctx.model)

    async def on_response(self, ctx: MiddlewareContext, result: Any) -> Any:
        self.seen.append((ctx.model, result.content))
        yield Observation("progress")
        yield LLMResult(f"{result.content}!")

    async def on_error(self, ctx: MiddlewareContext, exc: Exception) -> Any:
        self.seen.append((ctx.model, str(exc)))
        return LLMResult("instead")

    async def on_close(self, ctx: MiddlewareContext) -> Any:
        self.seen.append(f"{ctx.model} closed")


def test_a_phase_that_collects_the_call_sees_its_result() -> None:
    whole = Whole()
    result = run(collect(chain([whole], Model("a", "b"))(chat())))

    assert result.content == "ab!"
    assert whole.seen == ["m", ("m", "ab"), "m closed"]


def test_a_phase_that_collects_the_call_answers_a_failure_even_after_output() -> None:
    whole = Whole()
    result = run(collect(chain([whole], Model("a", failure=ValueError("no")))(chat())))

    assert result.content == "instead"
    assert whole.seen == ["m", ("m", "no"), "m closed"]


def test_a_phase_that_only_observes_leaves_the_result_as_it_is() -> None:
    class Observing(Whole):
        async def on_response(self, ctx: MiddlewareContext, result: Any) -> Any:
            yield Observation("progress")

        async def on_error(self, ctx: MiddlewareContext, exc: Exception) -> Any:
            yield Observation("progress")

    failing = Model(failure=ValueError("no"))
    assert run(collect(chain([Observing()], Model("a"))(chat()))).content == "a"
    with pytest.raises(ValueError, match="no"):
        run(collect(chain([Observing()], failing)(chat())))


def test_every_phase_of_a_stream_sees_the_call() -> None:
    class Streaming(Whole):
        buffers = False

    whole, failed = Streaming(), Streaming()
    run(collect(chain([whole], Model("a", "b"))(chat())))
    run(collect(chain([failed], Model(failure=ValueError("no")))(chat())))

    assert whole.seen == ["m", ("m", "ab"), "m closed"]
    assert failed.seen == ["m", ("m", "no"), "m closed"]


def test_a_phase_tells_the_runs_observer() -> None:
    class Telling(BaseMiddleware):
        async def on_request(self, ctx: MiddlewareContext) -> Any:
            await ctx.emit("step", "begins", turn=1)
            await ctx.emit("step")

    observer = RecordingObserver()
    run(collect(chain([Telling()], Model("a"))(chat(observer=observer))))

    told = [(o.kind, o.render, o.payload) for o in observer.items]
    assert told == [("step", "begins", {"turn": 1}), ("step", "", None)]


class Plain:
    """An iterator that is no generator, and says whether it was closed."""

    def __init__(self, *items: Any) -> None:
        self.items = list(items)
        self.closed = 0

    def __aiter__(self) -> Any:
        return self

    async def __anext__(self) -> Any:
        if not self.items:
            raise StopAsyncIteration
        return self.items.pop(0)

    async def aclose(self) -> None:
        self.closed += 1


class Idle(BaseMiddleware):
    pass


class IdleButWhole(BaseMiddleware):
    buffers = True


@pytest.mark.parametrize("idle", [Idle(), IdleButWhole()], ids=["stream", "whole"])
def test_what_is_no_generator_is_closed_as_well(idle: BaseMiddleware) -> None:
    plain = Plain(Delta("a"))
    run(collect(chain([idle], lambda _: plain)(chat())))

    assert plain.closed == 1


def test_what_cannot_be_closed_is_left_as_it_is() -> None:
    class Bare(Plain):
        aclose: Any = None

    assert run(collect(Bare(Delta("a")))).content == "a"


def test_a_tool_that_gives_nothing_gives_none() -> None:
    assert run(collect(Plain(), "tool")) is None
    assert run(collect_one(Plain())) is None


def test_a_tools_phase_may_see_nothing() -> None:
    class Seeing(BaseMiddleware):
        async def on_response(self, ctx: MiddlewareContext, result: Any) -> Any:
            seen.append(result)

    seen: list[Any] = []
    run(collect(chain([Seeing()], lambda _: Plain())(tool()), "tool"))
    assert seen == [None]


def test_an_observation_yielded_by_a_phase_goes_to_the_observer() -> None:
    observer = RecordingObserver()
    run(collect(chain([Telling()], Model("a"))(chat(observer=observer))))

    assert [(o.kind, o.render) for o in observer.items] == [("progress", "on its way")]


def test_a_broken_observer_does_not_hurt_the_call() -> None:
    class Broken(RecordingObserver):
        async def emit(self, obs: Observation) -> None:
            raise RuntimeError("observer")

    assert run(collect(chain([Telling()], Model("a"))(chat(observer=Broken())))).content == "a"


def test_the_messages_a_phase_sees_are_a_copy() -> None:
    ctx = MiddlewareContext(chat())
    ctx.messages.append(Message("user", "more"))

    assert (len(ctx.messages), ctx.prompt, ctx.operation) == (1, "hi", Operation.MODEL_CALL)


def test_assigning_the_request_rewrites_the_call() -> None:
    call = chat()
    MiddlewareContext(call).request = ChatRequest([], "other")

    assert call.request.model == "other"


def test_a_tool_call_has_arguments_and_no_messages() -> None:
    ctx = MiddlewareContext(tool())

    assert (ctx.data, ctx.messages, ctx.prompt, ctx.model) == ({"a": 1}, [], "", None)
