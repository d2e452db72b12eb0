"""Memoize: the same call is answered from the store."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

from agentkit.core.contracts._checks import shown
from agentkit.core.contracts.middleware import Call, Handler, Middleware, closing
from agentkit.core.contracts.ports import StorePort
from agentkit.core.contracts.store_rules import check_ttl
from agentkit.core.policies._calls import Once, has_side_effects, passed_on
from agentkit.core.policies._memo_keys import default_key, space_of, store_key
from agentkit.core.policies._recall import Recall
from agentkit.core.runtime._checks import check_flags, check_function, check_functions, check_has
from agentkit.core.serialization._kinds import is_a

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
    namespace of its own, by its name and what it has captured, or as *namespace* says. A miss is
    not incremental: it is collected, stored and given as one item. A side-effecting call is never
    answered from the store, unless *allow_side_effects*, and *when* can exclude more. Failures are
    not stored. Outside of `output_coerce()` an entry has the typed object, and is found by those
    who declare its type; inside, it has the text, and is found by all.

    What cannot be cached runs all the same, says so in one warning, and sets
    `call.meta["cache_stored"]` to False: a key whose content cannot be seen, or a result that the
    store cannot hold, such as a typed `parsed` on a store that serialises. Without any store it
    warns once. `call.meta["cache_hit"]` marks a hit.

    Raises:
        TypeError: An argument is of another type.
        ValueError: *key* has captured what cannot be seen, and there is no *namespace*.
        StoreValueError: *ttl* is no whole number of seconds, from 1.
        StoreUnavailable: (from the call) The store cannot be reached.
        NotImplementedError: (from the call) The store has no *ttl*; nothing was run.

    """
    check_function("key", key)
    check_functions(when=when)
    check_flags(allow_side_effects=allow_side_effects)
    if store is not None:
        check_has("store", store, "get_or_set")
    if not is_a(namespace, str):
        raise TypeError(f"namespace is text; got {shown(namespace)}")
    check_ttl(ttl)
    return _Memoize(
        key=key,
        store=store,
        ttl=ttl,
        when=when,
        allow_side_effects=allow_side_effects,
        space=space_of(key, namespace),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Memoize:
    """What `memoize()` was told, as a middleware."""

    key: Callable[[Call], str]
    store: StorePort | None
    ttl: int | None
    when: Callable[[Call], bool] | None
    allow_side_effects: bool
    space: str
    once: Once = field(default_factory=Once)

    async def __call__(self, call: Call, nxt: Handler) -> AsyncIterator[Any]:
        recall = self._recall(call) if self._wanted(call) else None
        if recall is not None:
            yield await recall.answer(nxt)
            return
        async with closing(passed_on(nxt(call))) as inner:
            async for item in inner:
                yield item

    def _wanted(self, call: Call) -> bool:
        if not self.allow_side_effects and has_side_effects(call):
            return False
        return self.when is None or self.when(call)

    def _recall(self, call: Call) -> Recall | None:
        """Give the look-up of *call*, or None where it cannot be cached."""
        store = call.ctx.store if self.store is None else self.store
        if store is None:
            self.once.warn("store", "memoize() has no store: wire one, or nothing is cached")
            return None
        try:
            key = store_key(call, self.key, space=self.space)
        except (TypeError, ValueError) as exc:
            call.meta["cache_stored"] = False
            self.once.warn("key", f"memoize() cannot make a key, so the call is not cached: {exc}")
            return None
        return Recall(call, store, key, ttl=self.ttl, once=self.once)
