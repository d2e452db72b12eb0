"""Idempotency: a side effect that was begun is never begun again by itself."""

from collections.abc import AsyncIterator
from typing import Any

from agentkit.core.contracts.errors import Cancelled, ToolArgumentError
from agentkit.core.contracts.middleware import Call, Handler, Middleware, collect_one
from agentkit.core.contracts.ports import StorePort
from agentkit.core.contracts.store_rules import check_ttl
from agentkit.core.execution import SingleFlight
from agentkit.core.policies._calls import AFTERWARDS, CHAT, Once, has_side_effects, note, passed_on
from agentkit.core.policies._effect_record import EffectRecord
from agentkit.core.runtime._checks import check_has
from agentkit.core.runtime._tool_progress import progress_here
from agentkit.core.serialization.canonical import stable_hash

__all__ = ["idempotent"]

_LENGTH = 24


def idempotent(*, store: StorePort | None = None, ttl: int | None = None) -> Middleware:
    """Give a middleware that runs each side-effecting tool call at most once.

    What makes a call the same is its run, tenant, tool, arguments and call id. A child is a run of
    its own, and so is each of several under one id that whoever drives them tells apart by
    `call.meta["run"]`, as agents do: one that is resumed is the same, one that begins is another.

    The intent to run is written to *store*, or the run's, before the tool runs, and its outcome
    after. The same call again gets the outcome, with `call.meta["cache_hit"]`; while it is running
    in this process it waits for it. An outcome that the store cannot hold is remembered as done,
    without its value: the same call then gets None. A call that failed runs again only if its tool
    is declared `idempotent`, or if the tool had not begun, whatever refused it inside of here: an
    `Invoker` can tell, any other chain counts as begun. Without a store it warns once and every
    call runs.

    A log inside of here (`audit()`) that is down does not undo what was done: the failure leaves,
    and the same call again gets the outcome. *ttl* seconds after, a call is forgotten and would run
    again.

    Raises:
        TypeError: *store* is no store.
        StoreValueError: *ttl* is no whole number of seconds, from 1.
        OutcomeUnknown: (from the call) It was begun before, and whether it happened is not known.
        StoreUnavailable: (from the call) The intent could not be written, and the tool has not run;
            or a log inside of here could not be.
        ToolArgumentError: (from the call) Its arguments, or its `call.meta["run"]`, cannot be told
            from others: a number that is not finite, an object that is no JSON. It has not run.

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
        return self._outcome(call, nxt, store)

    async def _outcome(self, call: Call, nxt: Handler, store: StorePort) -> AsyncIterator[Any]:
        record = EffectRecord(store, _key(call), ttl=self._ttl)
        effect = _Effect(call, nxt, record=record, once=self._once)
        # Another store may know nothing of what this one remembers.
        place = (id(effect.record.store), effect.record.key)
        outcome = await self._running.run(place, effect.outcome)
        if not effect.ran:
            call.meta["cache_hit"] = True
            note(call, "cache.hit", cache_key=effect.record.key)
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
        afterwards = self.call.meta[AFTERWARDS] = list[Exception]()
        try:
            value = await collect_one(self._nxt(self.call))
        except Exception as exc:
            await self._failed(exc)
            raise
        finally:
            self.call.meta.pop(AFTERWARDS, None)
        await self._keep(value)
        if afterwards:
            raise afterwards[0]
        return value

    async def _failed(self, exc: Exception) -> None:
        progress = progress_here()
        if progress is not None and not progress.is_begun:
            await self.record.forget()
        elif not isinstance(exc, Cancelled):  # which may have cut it anywhere: the intent stays
            await self.record.fail(exc)

    async def _keep(self, value: Any) -> None:
        refusal = await self.record.finish(value)
        if refusal:
            self.call.meta["cache_stored"] = False
            self._once.warn("outcome", f"idempotent() did not keep a tool's outcome: {refusal}")


def _key(call: Call) -> str:
    request, ctx = call.request, call.ctx
    run = (getattr(ctx, "slot", ctx.correlation_id), call.meta.get("run", ""))
    parts = (run, request.name, request.arguments, request.call_id)
    try:
        digest = stable_hash(parts, length=_LENGTH)
    except (TypeError, ValueError) as exc:
        raise ToolArgumentError(
            f"{request.name} may run once only, and this call cannot be told from another: {exc}",
            tool_name=request.name,
        ) from exc
    return f"{ctx.scope.key()}:idem:{digest}"
