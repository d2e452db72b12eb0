"""Semantic memoize: a question asked in other words is answered from the vector index."""

from collections.abc import AsyncIterator, Callable
from dataclasses import fields, replace
from typing import Any

from agentkit.core.contracts.content import ContentBlock, TextBlock
from agentkit.core.contracts.middleware import Call, Handler, Middleware, closing, restream
from agentkit.core.contracts.ports import VectorPort
from agentkit.core.contracts.types import (
    ChatRequest,
    Chunk,
    Delta,
    LLMResult,
    Message,
    assemble_deltas,
)
from agentkit.core.policies._calls import CHAT, Once, note, passed_on
from agentkit.core.serialization._plain import plain_copy
from agentkit.core.serialization.canonical import stable_hash

__all__ = ["semantic_memoize"]

_LENGTH = 24


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
        ValueError: *threshold* is not from 0 to 1.
        StoreUnavailable: (from the call) The index cannot be reached.

    """
    if isinstance(threshold, bool) or not 0 <= threshold <= 1:
        raise ValueError(f"threshold is from 0 to 1; got {threshold!r}")
    return _SemanticMemoize(vector=vector, threshold=threshold, text=text or _last_text, when=when)


class _SemanticMemoize:
    def __init__(
        self,
        *,
        vector: VectorPort | None,
        threshold: float,
        text: Callable[[Call], str],
        when: Callable[[Call], bool] | None,
    ) -> None:
        self._vector = vector
        self._threshold = threshold
        self._text = text
        self._when = when
        self._once = Once()

    async def __call__(self, call: Call, nxt: Handler) -> AsyncIterator[Any]:
        question = self._question(call)
        if question is None:
            async with closing(passed_on(nxt(call))) as inner:
                async for item in inner:
                    yield item
            return
        known = await question.known(self._threshold)
        if known is not None:
            yield restream(known)
            return
        items: list[Delta] = []
        async with closing(nxt(call)) as inner:
            async for item in inner:
                items.append(item)
                yield item
        await question.remember(assemble_deltas(items), self._once)

    def _question(self, call: Call) -> "_Question | None":
        if call.kind != CHAT:
            self._once.warn("tool", "semantic_memoize() answers chats: here it does nothing")
            return None
        if self._when is not None and not self._when(call):
            return None
        vector = call.ctx.vector if self._vector is None else self._vector
        if vector is None:
            self._once.warn("vector", "semantic_memoize() has no vector index: nothing is cached")
            return None
        try:
            return _Question(call, vector, self._text(call))
        except (TypeError, ValueError) as exc:
            call.meta["cache_stored"] = False
            self._once.warn("key", f"semantic_memoize() cannot tell this call from others: {exc}")
            return None


class _Question:
    """One call's question, and the circumstances under which an answer to it holds."""

    def __init__(self, call: Call, vector: VectorPort, text: str) -> None:
        self._call = call
        self._vector = vector
        self._text = text
        self._context = _context(call.request)

    async def known(self, threshold: float) -> LLMResult | None:
        """Give the answer to a question at least as similar as *threshold*, or None."""
        scope = self._call.ctx.scope
        found = await self._vector.search(scope, self._text, 1, {"context": self._context})
        if not found or found[0][0] < threshold:
            return None
        chunk = found[0][1]
        content = chunk.metadata.get("content")
        if not isinstance(content, str):
            return None
        self._call.meta["cache_hit"] = True
        note(self._call, "cache.hit", cache_key=chunk.id)
        return LLMResult(
            content,
            chunk.metadata.get("model"),
            provider="semantic-cache",
            finish_reason="cached",
            parsed=chunk.metadata.get("parsed"),
        )

    async def remember(self, result: LLMResult, once: Once) -> None:
        """Put *result* into the index, if it is an answer."""
        if not result.content or result.tool_calls:
            return
        metadata: dict[str, Any] = {
            "context": self._context,
            "content": result.content,
            "model": result.model,
        }
        try:
            if result.parsed is not None:
                metadata["parsed"] = plain_copy(result.parsed)
            chunk = Chunk(stable_hash((self._context, self._text)), self._text, metadata)
            await self._vector.upsert(self._call.ctx.scope, [chunk])
        except (TypeError, ValueError) as exc:
            self._call.meta["cache_stored"] = False
            once.warn("stored", f"semantic_memoize() did not remember an answer: {exc}")


def _context(request: ChatRequest) -> str:
    """Give a hash of everything that decides an answer, but for the last message."""
    asked = {field.name: getattr(request, field.name) for field in fields(ChatRequest)}
    last = [
        replace(message, content="", blocks=_beside_text(message))
        for message in request.messages[-1:]
    ]
    asked["messages"] = [*request.messages[:-1], *last]
    return stable_hash(asked, length=_LENGTH)


def _beside_text(message: Message) -> tuple[ContentBlock, ...]:
    return tuple(block for block in message.blocks if not isinstance(block, TextBlock))


def _last_text(call: Call) -> str:
    messages = call.request.messages
    if not messages:
        raise ValueError("the request has no message")
    return str(messages[-1].content)
