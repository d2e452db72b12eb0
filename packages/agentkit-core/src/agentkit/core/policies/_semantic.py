"""Semantic memoize: a question asked in other words is answered from the vector index."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

from agentkit.core.contracts.middleware import Call, Handler, Middleware, closing, restream
from agentkit.core.contracts.ports import VectorPort
from agentkit.core.contracts.types import Delta, assemble_deltas
from agentkit.core.policies._calls import CHAT, Once, passed_on, stopping_with
from agentkit.core.policies._question import Question, last_text
from agentkit.core.runtime._checks import check_between, check_functions, check_has

__all__ = ["semantic_memoize"]


def semantic_memoize(
    *,
    vector: VectorPort | None = None,
    threshold: float = 0.85,
    text: Callable[[Call], str] | None = None,
    when: Callable[[Call], bool] | None = None,
) -> Middleware:
    """Give a middleware that answers a chat from one whose last message means the same.

    Similarity is that of *text* (the last message's content) in *vector*, or the run's index, and
    has to reach *threshold*; everything else about the request, the earlier turns and the model
    included, has to be equal. A hit costs nothing: its provider is `semantic-cache`. A miss streams
    through and is remembered when it has content and calls no tool. A typed `parsed` cannot be
    remembered; that call is not, says so once, and sets `call.meta["cache_stored"]` to False.
    Without an index, or in a tool chain, it warns once and does nothing.

    Raises:
        TypeError: An argument is of another type.
        ValueError: *threshold* is not from 0 to 1.
        StoreUnavailable: (from the call) The index cannot be reached.

    """
    check_between("threshold", threshold, low=0, high=1)
    check_functions(text=text, when=when)
    if vector is not None:
        check_has("vector", vector, "search", "upsert")
    return _SemanticMemoize(vector=vector, threshold=threshold, text=text or last_text, when=when)


@dataclass(frozen=True, slots=True, kw_only=True)
class _SemanticMemoize:
    """What `semantic_memoize()` was told, as a middleware."""

    vector: VectorPort | None
    threshold: float
    text: Callable[[Call], str]
    when: Callable[[Call], bool] | None
    once: Once = field(default_factory=Once)

    async def __call__(self, call: Call, nxt: Handler) -> AsyncIterator[Any]:
        question = self._question(call)
        if question is None:
            async with closing(passed_on(nxt(call))) as inner:
                async for item in inner:
                    yield item
            return
        with stopping_with(call):
            known = await question.known(self.threshold)
        if known is not None:
            yield restream(known)
            return
        items: list[Delta] = []
        async with closing(nxt(call)) as inner:
            async for item in inner:
                items.append(item)
                yield item
        await question.remember(assemble_deltas(items), self.once)

    def _question(self, call: Call) -> Question | None:
        if call.kind != CHAT:
            self.once.warn("tool", "semantic_memoize() answers chats: here it does nothing")
            return None
        if self.when is not None and not self.when(call):
            return None
        vector = call.ctx.vector if self.vector is None else self.vector
        if vector is None:
            self.once.warn("vector", "semantic_memoize() has no vector index: nothing is cached")
            return None
        try:
            return Question(call, vector, self.text(call))
        except (TypeError, ValueError) as exc:
            call.meta["cache_stored"] = False
            self.once.warn("key", f"semantic_memoize() cannot tell this call from others: {exc}")
            return None
