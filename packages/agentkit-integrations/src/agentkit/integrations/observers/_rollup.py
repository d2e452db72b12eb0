"""Many updates as few."""

from collections.abc import Awaitable, Callable

from agentkit.core.contracts.errors import Cancelled
from agentkit.core.contracts.observation import Observation, ObserverPort
from agentkit.core.serialization import FrozenDict
from agentkit.integrations.observers._wrapper import ALWAYS, Wrapper

__all__ = ["RollupObserver"]

_MAX_RUNS = 1024


class RollupObserver(Wrapper):
    """Hands on to *inner* one summary, of the kind *kind*, in place of *every* updates of a run.

    Its text is what *summarize* makes of them, as `def` or `async def`; its payload is
    `{"rolled": n}`; everything else is the latest update's. A `result`, an `error` or an
    `interrupt` is handed on at once, as it is. `close` hands on what is left of each run.

    Where *summarize* or *inner* fails, the updates of that summary are lost and counted in
    `dropped`; every failure is counted in `failures`. Updates of at most 1,024 runs are kept: one
    more, and those of the run that began longest ago are handed on early.

    Raises:
        ValueError: *every* is less than 1, or *kind* is one that is never rolled up.

    """

    def __init__(
        self,
        inner: ObserverPort,
        *,
        every: int = 8,
        summarize: Callable[[list[Observation]], str | Awaitable[str]] | None = None,
        kind: str = "summary",
    ) -> None:
        if every < 1:
            raise ValueError(f"every is at least 1; got {every}")
        if kind in ALWAYS:
            raise ValueError(f"a summary is no {kind}; take another kind")
        super().__init__(inner)
        self.dropped: int = 0
        self._every = every
        self._summarize = summarize or _latest
        self._kind = kind
        # Of nearly every summary: frozen only once.
        self._payload: dict[str, int] = FrozenDict({"rolled": every})
        self._updates: dict[str, list[Observation]] = {}  # by run

    async def emit(self, obs: Observation) -> None:
        """Keep *obs* until there are enough, or hand it on if it is never rolled up."""
        if obs.kind in ALWAYS:
            await self._hand_on(obs)
            return
        updates = self._updates.get(obs.run_id)
        if updates is None:
            await self._begin(obs)
            return
        updates.append(obs)
        if len(updates) >= self._every:
            await self._try_to_roll_up(updates)

    async def close(self) -> None:
        """Hand on what is left, then close what is behind; it raises what failed on the way.

        Several failures leave as one `ExceptionGroup`.
        """
        try:
            failures = await self._flush()
        except BaseException:  # cancelled: what is behind may still flush
            await super().close()
            raise
        try:
            await super().close()
        except Cancelled:
            raise
        except Exception as exc:
            if not failures:
                raise
            failures.append(exc)
        if len(failures) > 1:
            raise ExceptionGroup("closing an observer failed in several places", failures)
        if failures:
            raise failures[0]

    async def _begin(self, obs: Observation) -> None:
        """Keep the first update of a run; the run that began longest ago makes room if need be."""
        is_full = len(self._updates) == _MAX_RUNS
        displaced = self._updates.pop(next(iter(self._updates))) if is_full else []
        updates = self._updates[obs.run_id] = [obs]
        await self._try_to_roll_up(displaced)
        if len(updates) >= self._every:
            await self._try_to_roll_up(updates)

    async def _flush(self) -> list[Exception]:
        failures: list[Exception] = []
        while self._updates:
            updates = self._updates.pop(next(iter(self._updates)))
            try:
                await self._roll_up(updates)
            except Cancelled:
                raise
            except Exception as exc:  # noqa: BLE001 - the others are handed on all the same
                failures.append(exc)
        return failures

    async def _try_to_roll_up(self, updates: list[Observation]) -> None:
        try:
            await self._roll_up(updates)
        except Cancelled:
            raise
        except Exception as exc:  # noqa: BLE001 - neither sink nor summariser must hurt the run
            self._note(exc)

    async def _roll_up(self, updates: list[Observation]) -> None:
        if not updates:
            return
        rolled = updates.copy()
        updates.clear()  # before anything waits: no other emit hands them on
        try:
            text = self._summarize(rolled)
            if not isinstance(text, str):
                text = await text
            await self._inner.emit(self._summary(rolled, text))
        except BaseException:
            self.dropped += len(rolled)
            raise

    def _summary(self, rolled: list[Observation], text: str) -> Observation:
        last = rolled[-1]
        count = len(rolled)
        return Observation(
            self._kind,
            last.seq,
            last.ts,
            last.agent,
            text,
            last.run_id,
            self._payload if count == self._every else {"rolled": count},
            last.parent_id,
            last.trace_context,
        )


def _latest(updates: list[Observation]) -> str:
    return f"{len(updates)} updates; latest: {updates[-1].render}"
