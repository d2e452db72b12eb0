"""Audit: a log of every tool call, what it was given and how it ended."""

import contextlib
from collections.abc import AsyncIterator
from typing import Any

from agentkit.core.contracts.errors import Cancelled
from agentkit.core.contracts.errors._facts import words_of
from agentkit.core.contracts.middleware import Call, Handler, Middleware, closing
from agentkit.core.contracts.ports import StorePort
from agentkit.core.contracts.store_rules import check_key
from agentkit.core.policies._calls import AFTERWARDS, CHAT, Once, passed_on
from agentkit.core.runtime._checks import check_has
from agentkit.core.serialization.canonical import stable_hash

__all__ = ["audit"]

_TEXT_CAP = 500
_NOTHING: Any = object()


def audit(*, store: StorePort | None = None, key: str = "audit:log") -> Middleware:
    """Give a middleware that appends a record of each tool call to the log *key*.

    A record has `run_id`, `scope`, `tool`, `call_id`, the hashes `arg_hash` and `result_hash` (None
    for what has none), the `decision` (`executed`, `deduped`, `failed`, or `cancelled` for a call
    that was stopped or abandoned), and `attempts` where `retry()` counts them; a failure adds
    `error_type` and `error`. A log that fails never hides a tool's own failure. Without a store, or
    in a chat chain, it warns once and does nothing.

    It logs what reaches it. Inside `idempotent()` that is each tool that ran, and a log that fails
    leaves the outcome kept; outside of it, it is `deduped` calls too. Inside `retry()` it is each
    attempt.

    Raises:
        TypeError: *store* is no store.
        StoreValueError: *key* is none.
        StoreUnavailable: (from the call) The tool has run, and the record could not be written.

    """
    if store is not None:
        check_has("store", store, "append")
    return _Audit(store, check_key(key))


class _Audit:
    def __init__(self, store: StorePort | None, key: str) -> None:
        self._store = store
        self._key = key
        self._once = Once()

    def __call__(self, call: Call, nxt: Handler) -> AsyncIterator[Any]:
        store = call.ctx.store if self._store is None else self._store
        if call.kind == CHAT:
            self._once.warn("chat", "audit() logs tool calls: in a chat chain it does nothing")
            return passed_on(nxt(call))
        if store is None:
            self._once.warn("store", "audit() has no store: wire one, or nothing is logged")
            return passed_on(nxt(call))
        return self._logged(call, nxt, store)

    async def _logged(self, call: Call, nxt: Handler, store: StorePort) -> AsyncIterator[Any]:
        result: Any = _NOTHING
        try:
            async with closing(nxt(call)) as inner:
                async for item in inner:
                    result = item
                    yield item
        except BaseException as exc:
            if isinstance(exc, GeneratorExit) and result is not _NOTHING:
                await self._log_success(call, result, store)
                raise  # who takes the one item and leaves has had all of it
            with contextlib.suppress(Exception):  # *exc* is what the caller has to hear of
                await store.append(self._key, {**_record(call), **_failure(exc)})
            raise
        await self._log_success(call, result, store)

    async def _log_success(self, call: Call, result: Any, store: StorePort) -> None:
        try:
            await store.append(self._key, {**_record(call), **_success(call, result)})
        except Exception as exc:
            afterwards = call.meta.get(AFTERWARDS)
            if afterwards is None:
                raise
            afterwards.append(exc)  # idempotent() raises it once it has kept the outcome


def _record(call: Call) -> dict[str, Any]:
    record = {
        "run_id": call.ctx.correlation_id,
        "scope": call.ctx.scope.key(),
        "tool": call.request.name,
        "call_id": call.request.call_id,
        "arg_hash": _hash(call.request.arguments),
    }
    attempts = call.meta.get("attempts")
    return record if attempts is None else {**record, "attempts": attempts}


def _success(call: Call, result: Any) -> dict[str, Any]:
    done = "deduped" if call.meta.get("cache_hit") else "executed"
    return {"decision": done, "result_hash": None if result is _NOTHING else _hash(result)}


def _failure(exc: BaseException) -> dict[str, Any]:
    if not isinstance(exc, Exception) or isinstance(exc, Cancelled):
        return {"decision": "cancelled", "result_hash": None}
    return {
        "decision": "failed",
        "result_hash": None,
        "error_type": type(exc).__name__,
        "error": words_of(exc)[:_TEXT_CAP],
    }


def _hash(value: Any) -> str | None:
    try:
        return stable_hash(value)
    except (TypeError, ValueError):  # content that cannot be seen
        return None
