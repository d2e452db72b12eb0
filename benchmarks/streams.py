"""What a layer adds to each delta of a long stream."""

import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from time import process_time
from typing import Any

from chats import ASKED
from measuring import Row, Sample, seconds_of_await

from agentkit.core.contracts.middleware import BaseMiddleware, Call, Handler, Middleware, chain
from agentkit.core.contracts.types import Delta, Usage
from agentkit.core.execution import CancellationToken
from agentkit.core.policies import (
    SlidingWindowCompactor,
    compaction,
    fallback,
    memoize,
    meter,
    output_coerce,
    retry,
    semantic_memoize,
    tracing,
)
from agentkit.core.runtime import Invoker
from agentkit.core.testing import FakeLLM, RecordingTracer, make_test_ctx

__all__ = ["interruption", "middlewares"]

DELTAS = 2000  # so many that what a call costs once is little beside them


class Nothing(BaseMiddleware):
    """A middleware in phases that does nothing in each."""


@dataclass
class Shape:
    """The least that an output adapter can do, to leave what `output_coerce` itself costs."""

    name: str = "shape"
    python_type: type = dict

    def parse(self, raw: str | dict[str, Any]) -> Any:
        """Give the JSON of *raw*."""
        return json.loads(raw) if isinstance(raw, str) else raw

    def partial_parse(self, raw: str) -> Any:
        """Give nothing."""

    def partial_from(self, data: Any) -> Any:
        """Give *data*."""
        return data


def middlewares() -> list[Row]:
    """What each middleware adds to a delta, against what a bare wrapper adds.

    A partial travels in a delta that is made anew, which costs as much as twenty bare wrappers
    add: what has one every few deltas is held against a wrapper that makes as many.
    """
    plain = [Delta("a word ") for _ in range(DELTAS)]
    answer = json.dumps({"items": [{"id": n, "name": f"item {n}"} for n in range(DELTAS // 4)]})
    cut = [Delta(answer[at : at + 8]) for at in range(0, len(answer), 8)]
    prose = json.dumps({"title": "A title", "body": "some more words " * (DELTAS // 2)})
    spoken = [Delta(prose[at : at + 8]) for at in range(0, len(prose), 8)]
    window = compaction(SlidingWindowCompactor())
    typed = {"output_adapter": Shape()}
    return [
        _added("tracing, no-op", tracing(), plain),
        _added("tracing, recording", tracing(), plain, trace=RecordingTracer()),
        _added("meter", meter(), plain),
        _added("retry", retry(), plain),
        _added("fallback", fallback(["a", "b"]), plain),
        _added("compaction", window, plain),
        _added("memoize, no store", memoize(when=lambda _: False), plain),
        _added("semantic_memoize, off", semantic_memoize(when=lambda _: False), plain),
        _added("a BaseMiddleware", Nothing(), plain),
        _added("output_coerce, no adapter", output_coerce(), plain),
        _added(
            "output_coerce, no partial due", output_coerce(partial_every=10**6), spoken, meta=typed
        ),
        _added("output_coerce, a partial in 8", output_coerce(), spoken, meta=typed, anew=1 / 8),
        _added("output_coerce, a partial in 2", output_coerce(), cut, meta=typed, anew=1 / 2),
    ]


def _added(
    what: str,
    middleware: Any,
    deltas: list[Delta],
    *,
    meta: Any = None,
    anew: float = 0.0,
    **wired: Any,
) -> Row:
    ctx = make_test_ctx(llm=FakeLLM(), **wired)
    end = Delta(model="m", usage=Usage(10, 5), provider="p", finish_reason="stop")

    async def terminal(_: Call) -> AsyncIterator[Delta]:
        for delta in deltas:
            yield delta
        yield end

    def through(*middlewares: Any) -> Sample:
        handler = chain(middlewares, terminal)

        async def drain() -> None:
            async for _ in handler(Call("chat", ASKED, ctx, dict(meta or {}))):
                pass

        return seconds_of_await(drain, times=5, parts=len(deltas), clock=process_time)

    return Row(
        what=f"per delta: {what}",
        ours=through(middleware),
        floor=through(_remaking(anew) if anew else _wrapper),
        base=through(),
        against="one that makes as many anew" if anew else "a wrapper",
        at_most=None if anew else 3,
    )


def _remaking(share: float) -> Middleware:
    """Give a wrapper that makes a *share* of the deltas anew, with something in `partial`."""
    every = round(1 / share)

    async def wrapper(call: Call, nxt: Handler) -> AsyncIterator[Any]:
        left = every
        async for item in nxt(call):
            left -= 1
            if left:
                yield item
            else:
                left = every
                yield Delta(item.text, partial=item)

    return wrapper


async def _wrapper(call: Call, nxt: Handler) -> AsyncIterator[Any]:
    async for item in nxt(call):
        yield item


class Speaker:
    """A model that says many words."""

    async def stream(self, **_: Any) -> AsyncIterator[Delta]:
        """Give them."""
        for delta in [Delta("a word ")] * DELTAS:
            yield delta


def interruption() -> list[Row]:
    """What the invoker adds to a delta, without a token and with one."""
    llm: Any = Speaker()
    invoker = Invoker(llm=llm)

    def draining(stream: Callable[[], AsyncIterator[Any]]) -> Sample:
        async def drain() -> None:
            async for _ in stream():
                pass

        return seconds_of_await(drain, times=5, parts=DELTAS, clock=process_time)

    def row(name: str, token: CancellationToken | None) -> Row:
        ctx = make_test_ctx(invoker=invoker, cancel=token)
        return Row(
            what=f"per delta: the invoker, {name}",
            ours=draining(lambda: invoker.stream(ASKED, ctx)),
            floor=draining(lambda: _wrapper(Call("chat", ASKED, ctx), lambda _: llm.stream())),
            base=draining(llm.stream),
            against="a wrapper",
        )

    return [row("no token", None), row("a token", CancellationToken())]
