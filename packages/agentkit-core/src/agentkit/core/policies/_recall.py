"""One call on its way through the store of `memoize()`."""

from functools import partial
from typing import Any

from agentkit.core.contracts.middleware import Call, Handler, collect, restream
from agentkit.core.contracts.ports import StorePort
from agentkit.core.policies._calls import CHAT, Once, note, stopping_with
from agentkit.core.policies._memo_entry import UNREADABLE, decode, encode

__all__ = ["Recall"]


class Recall:
    """One call on its way through the store."""

    def __init__(
        self, call: Call, store: StorePort, key: str, *, ttl: int | None, once: Once
    ) -> None:
        self._call = call
        self._store = store
        self._key = key
        self._ttl = ttl
        self._once = once
        self._ran = False
        self._result: Any = None

    async def answer(self, nxt: Handler) -> Any:
        """Give the call's one item, from the store or from *nxt*."""
        try:
            # Another run may be producing it, and would not hear that this one is stopped.
            with stopping_with(self._call):
                kept = await self._store.get_or_set(
                    self._key, partial(self._run, nxt), ttl=self._ttl
                )
        except (TypeError, ValueError) as exc:
            if not self._ran:
                raise  # the call's own failure, or the store's before anything ran
            self._not_stored(f"the store cannot hold the result: {exc}")
            return self._item(self._result)
        result = decode(self._call.kind, kept)
        if result is UNREADABLE:
            return await self._without_store(nxt)
        if not self._ran:
            self._call.meta["cache_hit"] = True
            note(self._call, "cache.hit", cache_key=self._key)
        return self._item(result)

    async def _run(self, nxt: Handler) -> Any:
        self._result = await collect(nxt(self._call), self._call.kind)
        self._ran = True
        return encode(self._call.kind, self._result)

    async def _without_store(self, nxt: Handler) -> Any:
        self._not_stored("the store gave back something else than was put in")
        if not self._ran:
            await self._run(nxt)
        return self._item(self._result)

    def _not_stored(self, why: str) -> None:
        self._call.meta["cache_stored"] = False
        self._once.warn("stored", f"memoize() did not cache a call: {why}")

    def _item(self, result: Any) -> Any:
        return restream(result) if self._call.kind == CHAT else result
