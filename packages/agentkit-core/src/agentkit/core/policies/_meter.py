"""Metering: every model call is admitted, then charged with what it consumed."""

from collections.abc import AsyncIterator
from typing import Any

from agentkit.core.contracts.errors import MeterExceeded
from agentkit.core.contracts.middleware import Call, Handler, Middleware
from agentkit.core.contracts.middleware._call import close
from agentkit.core.contracts.types import Delta, ModelUsage, Usage
from agentkit.core.policies._calls import CHAT, READMIT, note
from agentkit.core.policies._usage import CHARGED, estimated, plain, usage_seen
from agentkit.core.runtime import Held, reserve

__all__ = ["meter"]


def meter() -> Middleware:
    """Give a middleware that has the run's budget and meters admit each call and charges them.

    One pass is one call. A model call is admitted with its share of every limit held for it. It
    is charged when it ends, let go when it fails before any output or is answered from a cache, and
    charged with what arrived when it is cancelled, abandoned or cut: as reported, else as
    estimated. It is charged as the request that was answered: where `fallback()` asks another
    model, the call is admitted anew, for what that one may cost. Tool calls are admitted and not
    charged.

    Raises:
        MeterExceeded: (from the call) A meter refuses it, and nothing was sent; or the charge
            crossed a ceiling, and the answer had been passed on.
        BudgetExhausted: (from the call) The actor's envelope is empty, and nothing was sent.

    """
    return _Metering()


_NOTHING = Usage()


class _Metering:
    charges = True

    async def __call__(self, call: Call, nxt: Handler) -> AsyncIterator[Any]:
        account = _Account(call, await reserve(_meters_of(call), call))
        call.meta[READMIT] = account.readmit
        try:  # noqa: PLR1702 - a stream, closed, counted in here: a call for each item costs more
            stream = nxt(call)
            try:
                async for item in stream:
                    if not account.anything:
                        account.begin()
                    if isinstance(item, Delta):
                        account.chars += len(item.text) + len(item.reasoning)
                        if item.usage is not None or item.model_usage is not None:
                            account.told = item
                    yield item
            finally:
                await close(stream)
        except BaseException as exc:
            await account.cut(exc)
            raise
        finally:
            call.meta.pop(READMIT, None)
        await account.ended()


def _meters_of(call: Call) -> list[Any]:
    """Give what admits *call*: the run's meters, then the envelope of the actor that makes it."""
    actor = getattr(call.ctx, "actor_budget", None)
    return call.ctx.all_meters if actor is None else [*call.ctx.all_meters, actor]


class _Account:
    """What one call has consumed, and what is held for it."""

    def __init__(self, call: Call, held: Held) -> None:
        self._call = call
        self._held = held
        self._request = call.request  # the one that is answered
        self.chars = 0
        self.anything = False
        self.told: Delta | None = None

    def begin(self) -> None:
        """Take note that an answer comes, and to which request."""
        self.anything = True
        self._request = self._call.request

    async def readmit(self) -> None:
        """Hold for the request as it is now what was held for the one before.

        Raises:
            MeterExceeded: It is refused; nothing is held any more.

        """
        if self._call.request.model == self._request.model:
            return
        self._request = self._call.request
        held, self._held = self._held, Held(())
        await held.release()
        self._held = await reserve(_meters_of(self._call), self._call)

    async def ended(self) -> None:
        """Charge a model call that ran to its end, and let go of any other.

        Raises:
            MeterExceeded: The charge crosses a ceiling.

        """
        if self._is_free:
            await self._held.release()
            return
        told = self.told
        usage = None if told is None else told.model_usage or told.usage
        await self._charge(_NOTHING if usage is None else usage)

    async def cut(self, exc: BaseException) -> None:
        """Charge a call that ended with *exc* for what had arrived."""
        told = () if self.told is None else (self.told,)
        usage, _ = usage_seen(told, exc, ended=False)
        if self._is_free or (usage is None and not self.anything):
            await self._held.release()
            return
        try:
            await self._charge(usage or estimated(self._call, self._request, self.chars))
        except MeterExceeded:
            pass  # *exc* is what the caller has to hear of
        except Exception as error:  # noqa: BLE001 - nor may a meter that is not ours hide it
            exc.add_note(f"a meter failed to charge for what had arrived: {error!r}")

    @property
    def _is_free(self) -> bool:
        return self._call.kind != CHAT or bool(self._call.meta.get("cache_hit"))

    async def _charge(self, usage: ModelUsage | Usage) -> None:
        exact = usage if isinstance(usage, ModelUsage) else None
        counted = plain(usage)
        if exact is not None:
            self._call.meta[CHARGED] = exact
        request, self._call.request = self._call.request, self._request
        try:
            await self._held.settle(counted, exact)
        finally:
            self._call.request = request
            self._note_budget()

    def _note_budget(self) -> None:
        budget = self._call.ctx.budget
        if budget.max_cost_usd is None and budget.max_calls is None:
            return
        remaining = budget.remaining()
        note(
            self._call,
            "budget.checkpoint",
            spent_usd=float(budget.spent()),
            remaining_usd=None if remaining is None else float(remaining),
            calls=budget.calls,
        )
