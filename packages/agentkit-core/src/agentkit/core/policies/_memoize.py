"""Memoize: the same call is answered from the store."""

from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any

from agentkit.core.contracts.middleware import (
    Call,
    Handler,
    Middleware,
    closing,
    collect,
    restream,
)
from agentkit.core.contracts.ports import StorePort
from agentkit.core.policies._calls import CHAT, Once, has_side_effects, note, passed_on
from agentkit.core.policies._memo_entry import UNREADABLE, decode, encode
from agentkit.core.policies._memo_keys import default_key, store_key

__all__ = ["memoize"]


def memoize(
    *,
    key: Callable[[Call], str] = default_key,
    store: StorePort | None = None,
    ttl: int | None = None,
    when: Callable[[Call], bool] | None = None,
    allow_side_effects: bool = False,
    namespace: str = "",
) -> Middleware:
    """Give a middleware that stores what a call gives and answers the same call from there.

    Entries go to *store*, or the run's; the tenant is part of every key. A *key* of your own gets a
    namespace of its own, by its name or as *namespace* says. A miss is not incremental: it is
    collected, stored and given as one item. A side-effecting call is never answered from the
    store, unless *allow_side_effects*, and *when* can exclude more. Failures are not stored.

    What cannot be cached runs all the same, says so in one warning, and sets
    `call.meta["cache_stored"]` to False: a key whose content cannot be seen, or a result that the
    store cannot hold, such as a typed `parsed` on a store that serialises. Without any store it
    warns once. `call.meta["cache_hit"]` marks a hit.

    Raises:
        StoreUnavailable: (from the call) The store cannot be reached.
        NotImplementedError: (from the call) The store has no *ttl*; nothing was run.

    """
    return _Memoize(
        key=key,
        store=store,
        ttl=ttl,
        when=when,
        allow_side_effects=allow_side_effects,
        namespace=namespace,
    )


class _Memoize:
    def __init__(
        self,
        *,
        key: Callable[[Call], str],
        store: StorePort | None,
        ttl: int | None,
        when: Callable[[Call], bool] | None,
        allow_side_effects: bool,
        namespace: str,
    ) -> None:
        self._key = key
        self._store = store
        self._ttl = ttl
        self._when = when
        self._allow_side_effects = allow_side_effects
        self._namespace = namespace
        self._once = Once()

    async def __call__(self, call: Call, nxt: Handler) -> AsyncIterator[Any]:
        recall = self._recall(call) if self._wanted(call) else None
        if recall is not None:
            yield await recall.answer(nxt)
            return
        async with closing(passed_on(nxt(call))) as inner:
            async for item in inner:
                yield item

    def _wanted(self, call: Call) -> bool:
        if not self._allow_side_effects and has_side_effects(call):
            return False
        return self._when is None or self._when(call)

    def _recall(self, call: Call) -> "_Recall | None":
        """Give the look-up of *call*, or None where it cannot be cached."""
        store = call.ctx.store if self._store is None else self._store
        if store is None:
            self._once.warn("store", "memoize() has no store: wire one, or nothing is cached")
            return None
        try:
            key = store_key(call, self._key, namespace=self._namespace)
        except (TypeError, ValueError) as exc:
            call.meta["cache_stored"] = False
            self._once.warn("key", f"memoize() cannot make a key, so the call is not cached: {exc}")
            return None
        return _Recall(call, store, key, ttl=self._ttl, once=self._once)


class _Recall:
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
            kept = await self._store.get_or_set(self._key, partial(self._run, nxt), ttl=self._ttl)
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
