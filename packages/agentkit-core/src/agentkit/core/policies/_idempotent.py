"""Idempotency: a side effect that was begun is never begun again by itself."""

from collections.abc import AsyncIterator
from typing import Any

from agentkit.core.contracts.errors import (
    Blocked,
    Cancelled,
    EgressDenied,
    ToolArgumentError,
)
from agentkit.core.contracts.middleware import Call, Handler, Middleware, collect_one
from agentkit.core.contracts.ports import StorePort
from agentkit.core.contracts.store_rules import check_ttl
from agentkit.core.execution import SingleFlight
from agentkit.core.policies._calls import CHAT, Once, has_side_effects, note, passed_on
from agentkit.core.policies._effect_record import EffectRecord
from agentkit.core.runtime._checks import check_has
from agentkit.core.serialization.canonical import stable_hash

__all__ = ["idempotent"]

_LENGTH = 24
# Refusals that come before a tool has done anything.
_NOTHING_DONE = (Blocked, EgressDenied, ToolArgumentError)


def idempotent(*, store: StorePort | None = None, ttl: int | None = None) -> Middleware:
    """Give a middleware that runs each side-effecting tool call at most once.

    What makes a call the same is its run, tenant, tool, arguments and call id. A child is a run of
    its own, and so is each of several under one id that whoever drives them tells apart by
    `call.meta["run"]`, as agents do: one that is resumed is the same, one that begins is another.

    The intent to run is written to *store*, or the run's, before the tool runs, and its outcome
    after. The same call again gets the outcome, with `call.meta["cache_hit"]`; while it is running
    in this process it waits for it. An outcome that the store cannot hold is remembered as done,
    without its value: the same call then gets None. A call that failed runs again only if its tool
    is declared `idempotent`. Without a store it warns once and every call runs.

    *ttl* seconds after, a call is forgotten and would run again.

    Raises:
        TypeError: *store* is no store.
        StoreValueError: *ttl* is no whole number of seconds, from 1.
        OutcomeUnknown: (from the call) It was begun before, and whether it happened is not known.
        StoreUnavailable: (from the call) The intent could not be written; the tool has not run.

    """
    if store is not None:
        check_has("store", store, "compare_and_set")
    check_ttl(ttl)
    return _Idempotent(store, ttl)


class _Idempotent:
    def __init__(self, store: StorePort | None, ttl: int | None) -> None:
        self._store = store
        self._ttl = ttl
        self._once = Once()
        self._running = SingleFlight()

    def __call__(self, call: Call, nxt: Handler) -> AsyncIterator[Any]:
        if call.kind == CHAT or not has_side_effects(call):
            return passed_on(nxt(call))
        store = call.ctx.store if self._store is None else self._store
        if store is None:
            self._once.warn("store", "idempotent() has no store: wire one, or tools may repeat")
            return passed_on(nxt(call))
        try:
            key = _key(call)
        except (TypeError, ValueError) as exc:
            self._once.warn("key", f"idempotent() cannot tell this call from another: {exc}")
            return passed_on(nxt(call))
        record = EffectRecord(store, key, ttl=self._ttl)
        return self._outcome(_Effect(call, nxt, record=record, once=self._once))

    async def _outcome(self, effect: "_Effect") -> AsyncIterator[Any]:
        # Another store may know nothing of what this one remembers.
        place = (id(effect.record.store), effect.record.key)
        outcome = await self._running.run(place, effect.outcome)
        if not effect.ran:
            effect.call.meta["cache_hit"] = True
            note(effect.call, "cache.hit", cache_key=effect.record.key)
        yield outcome


class _Effect:
    """One call's way to its outcome."""

    def __init__(self, call: Call, nxt: Handler, *, record: EffectRecord, once: Once) -> None:
        self.call = call
        self.record = record
        self.ran = False
        self._nxt = nxt
        self._once = once

    async def outcome(self) -> Any:
        """Run the tool unless it ran before, and give what came of it."""
        repeatable = getattr(self.call.request.tool, "idempotent", False) is True
        done = await self.record.begin(repeatable=repeatable)
        if done is not None:
            return done.value
        self.ran = True
        try:
            value = await collect_one(self._nxt(self.call))
        except Cancelled:
            raise  # it may have happened: the intent stays
        except _NOTHING_DONE:
            await self.record.forget()
            raise
        except Exception as exc:
            await self.record.fail(exc)
            raise
        refusal = await self.record.finish(value)
        if refusal:
            self.call.meta["cache_stored"] = False
            self._once.warn("outcome", f"idempotent() did not keep a tool's outcome: {refusal}")
        return value


def _key(call: Call) -> str:
    request, ctx = call.request, call.ctx
    run = (getattr(ctx, "slot", ctx.correlation_id), call.meta.get("run", ""))
    parts = (run, request.name, request.arguments, request.call_id)
    return f"{ctx.scope.key()}:idem:{stable_hash(parts, length=_LENGTH)}"
