"""What a store remembers of a side effect: that it was begun, and what came of it."""

import contextlib
from dataclasses import dataclass
from typing import Any, cast
from uuid import uuid4

from agentkit.core.contracts.errors import OutcomeUnknown, StoreUnavailable
from agentkit.core.contracts.errors._facts import words_of
from agentkit.core.contracts.ports import StorePort

__all__ = ["Done", "EffectRecord"]

_TEXT_CAP = 500
_TRIES = 8


@dataclass(frozen=True, slots=True)
class Done:
    """A side effect that has happened; `value` is None where the store could not hold it."""

    value: Any


class EffectRecord:
    """The record of one call: begun, then done or failed.

    Each step is one compare-and-set, so that of two workers with the same call one begins it and
    the other is told.
    """

    def __init__(self, store: StorePort, key: str, *, ttl: int | None) -> None:
        self.store = store
        self.key = key
        self._ttl = ttl
        self._intent = {"state": "begun", "by": uuid4().hex}

    async def begin(self, *, repeatable: bool) -> Done | None:
        """Write the intent and give None; or give what came of the call before.

        Raises:
            OutcomeUnknown: It was begun before and nobody wrote what came of it; or it failed, and
                it is not *repeatable*.
            StoreUnavailable: The intent could not be written, or read.

        """
        for _ in range(_TRIES):
            if await self._swap(None, self._intent):
                return None
            kept = await self.store.get(self.key)
            if kept is None:
                continue  # it has expired in between
            # Under our key a store holds the JSON that this class wrote, or something foreign.
            told = cast("dict[str, Any]", kept) if isinstance(kept, dict) else {}
            if told.get("state") == "done":
                return Done(told.get("value"))
            if told.get("state") != "failed" or not repeatable:
                raise OutcomeUnknown(_told(told), key=self.key)
            if await self._swap(kept, self._intent):
                return None
        raise OutcomeUnknown("other workers keep beginning this call", key=self.key)

    async def finish(self, value: Any) -> str:
        """Write that the call is done; give why its *value* is not remembered, or nothing."""
        try:
            try:
                await self._swap(self._intent, {"state": "done", "value": value})
            except (TypeError, ValueError) as exc:
                await self._swap(self._intent, {"state": "done"})
                return f"the store cannot hold it: {exc}"
        except StoreUnavailable as exc:
            # The caller has what it asked for; the same call later is told that it is unknown.
            return f"the store cannot be reached: {exc}"
        return ""

    async def fail(self, exc: Exception) -> None:
        """Write that the call failed with *exc*, which is to leave whatever the store does."""
        failed = {
            "state": "failed",
            "error_type": type(exc).__name__,
            "error": words_of(exc)[:_TEXT_CAP],
        }
        with contextlib.suppress(Exception):  # an intent that stays is the safe side
            await self._swap(self._intent, failed)

    async def forget(self) -> None:
        """Take the intent back: nothing was done."""
        with contextlib.suppress(Exception):  # as above
            if await self.store.get(self.key) == self._intent:
                await self.store.delete(self.key)

    async def _swap(self, expected: Any, value: Any) -> bool:
        return await self.store.compare_and_set(self.key, expected, value, ttl=self._ttl)


def _told(kept: dict[str, Any]) -> str:
    if kept.get("state") == "failed":
        error = f"{kept.get('error_type')}: {kept.get('error')}"
        return f"this call failed before ({error}) and its tool is not declared idempotent"
    return "this call was begun before and its outcome was never recorded"
