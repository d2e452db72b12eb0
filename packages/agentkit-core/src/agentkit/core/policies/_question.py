"""One chat's question to `semantic_memoize()`, and what makes an answer to it hold."""

from dataclasses import fields, replace
from typing import Any

from agentkit.core.contracts.content import ContentBlock, TextBlock
from agentkit.core.contracts.middleware import Call
from agentkit.core.contracts.ports import VectorPort
from agentkit.core.contracts.types import ChatRequest, Chunk, LLMResult, Message
from agentkit.core.policies._calls import Once, note
from agentkit.core.serialization._plain import plain_copy
from agentkit.core.serialization.canonical import stable_hash

__all__ = ["Question", "last_text"]

_LENGTH = 24


class Question:
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
        if not found or not found[0][0] >= threshold:  # a score that is no number is no likeness
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


def last_text(call: Call) -> str:
    messages = call.request.messages
    if not messages:
        raise ValueError("the request has no message")
    return str(messages[-1].content)
