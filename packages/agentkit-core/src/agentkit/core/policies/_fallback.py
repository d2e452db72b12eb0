"""Fallback: ask the next model when one fails."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from agentkit.core.contracts._checks import shown
from agentkit.core.contracts.errors import CircuitOpen, ErrorClass, classify
from agentkit.core.contracts.errors._facts import had_output
from agentkit.core.contracts.middleware import Call, Handler, Middleware, closing
from agentkit.core.execution import CircuitBreaker
from agentkit.core.policies._calls import CHAT, READMIT, Once, passed_on
from agentkit.core.policies._passage import Passage
from agentkit.core.runtime._checks import check_function, check_has
from agentkit.core.serialization._kinds import is_a

__all__ = ["fallback"]


def fallback(
    models: Sequence[str],
    *,
    classify_fn: Callable[[BaseException], ErrorClass] = classify,
    breakers: Mapping[str, CircuitBreaker] | None = None,
) -> Middleware:
    """Give a middleware that asks *models* in order until one answers, the first one first.

    It goes on to the next model after any failure before the first item that is not permanent; what
    the caller has seen is never followed by another model's words. *breakers* are by model, and a
    model whose breaker is open is passed over. Afterwards the request names the model it named
    before. Put `retry()` inside: model A with its retries, then model B with its own.

    Raises:
        ValueError: *models* is empty, or is one text instead of a list of them.
        TypeError: A model is no text, a breaker none, or *classify_fn* no function.
        CircuitOpen: (from the call) Every model was passed over.
        MeterExceeded: (from the call) The run may not pay for the next model; it was not asked.

    """
    if isinstance(models, str) or not models:
        raise ValueError(f"fallback() takes a list of one or more models; got {models!r}")
    for model in models:
        if not is_a(model, str):
            raise TypeError(f"a model of fallback() is text; got {shown(model)}")
    if not is_a(breakers, Mapping | None):
        raise TypeError(f"the breakers of fallback() are a dict by model; got {shown(breakers)}")
    for model, breaker in (breakers or {}).items():
        check_has(f"the breaker of {model!r}", breaker, "allow", "record_failure")
    check_function("classify_fn", classify_fn)
    return _Fallback(tuple(models), classify_fn, dict(breakers or {}))


class _Fallback:
    def __init__(
        self,
        models: tuple[str, ...],
        classify_fn: Callable[[BaseException], ErrorClass],
        breakers: dict[str, CircuitBreaker],
    ) -> None:
        self._models = models
        self._classify = classify_fn
        self._breakers = breakers
        self._once = Once()

    def __call__(self, call: Call, nxt: Handler) -> AsyncIterator[Any]:
        if call.kind == CHAT:
            return self._answered(call, nxt)
        self._once.warn("tool", "fallback() swaps models: in a tool chain it does nothing")
        return passed_on(nxt(call))

    async def _answered(self, call: Call, nxt: Handler) -> AsyncIterator[Any]:
        request, readmit = call.request, call.meta.get(READMIT, _admitted)
        failure: Exception | None = None
        try:  # noqa: PLR1702 - models in turn, each a stream that is closed
            for model in self._models:
                turn = _Turn(self._breakers.get(model), self._classify)
                if not turn.passage.is_open():
                    continue
                call.request = replace(request, model=model)
                await readmit()
                async with closing(turn.answer(call, nxt)) as inner:
                    async for item in inner:
                        yield item
                if turn.failure is None:
                    return
                failure = turn.failure
        finally:
            call.request = request
        raise failure or CircuitOpen(f"circuit open: {', '.join(self._models)}")


async def _admitted() -> None:
    """Stand in for `meter()` where none is further out."""


class _Turn:
    """One model's turn to answer a call."""

    def __init__(
        self,
        breaker: CircuitBreaker | None,
        classify_fn: Callable[[BaseException], ErrorClass],
    ) -> None:
        self.passage = Passage(breaker)
        self._classify = classify_fn
        self.failure: Exception | None = None

    async def answer(self, call: Call, nxt: Handler) -> AsyncIterator[Any]:
        """Give the answer; nothing, and `failure`, where the next model is to be asked."""
        started = False
        try:
            async with closing(nxt(call)) as inner:
                async for item in inner:
                    started = True
                    yield item
        except BaseException as exc:
            verdict = self.passage.failed(exc, self._classify)
            over = started or had_output(exc)
            if over or verdict in {None, ErrorClass.PERMANENT} or not isinstance(exc, Exception):
                raise
            self.failure = exc
        else:
            self.passage.succeeded()
