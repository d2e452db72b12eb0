"""A journal of the tool calls made, kept in the store of the run."""

from collections.abc import AsyncIterator
from typing import Any

from agentkit.core.contracts.middleware import Call, Handler, Middleware
from agentkit.core.contracts.ports import StorePort


def journal(store: StorePort, key: str) -> Middleware:
    """Give a tool middleware that writes down each call before it is made."""

    async def written(call: Call, nxt: Handler) -> AsyncIterator[Any]:
        request = call.request
        entry = {
            "id": request.call_id,
            "tool": request.name,
            "arguments": dict(request.arguments),
        }
        await store.append(key, entry)
        async for item in nxt(call):
            yield item

    return written


def repeated(entries: list[dict[str, Any]]) -> list[str]:
    """Give the ids of calls that were made more than once."""
    ids = [str(entry["id"]) for entry in entries]
    return sorted({own for own in ids if ids.count(own) > 1})
