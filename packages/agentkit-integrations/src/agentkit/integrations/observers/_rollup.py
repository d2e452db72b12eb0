"""Many updates as few."""

from collections.abc import Awaitable, Callable
from inspect import isawaitable
from typing import Any

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
        TypeError: *kind* is no text.

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
        given: Any = kind  # whatever was passed
        if not isinstance(given, str):
            raise TypeError(f"kind is text; got {given!r}")
        if kind in ALWAYS:
            raise ValueError(f"a summary is no {kind}; take another kind")
        super().__init__(inner)
        self.dropped: int = 0
        self._every = every
        self._summarize = summarize
        self._kind = kind
        # Of nearly every summary: made only once.
        self._head = _head(every)
        self._payload = FrozenDict({"rolled": every})
        self._updates: dict[str, list[Observation]] = {}  # by run

    async def emit(self, obs: Observation) -> None:
        """Keep *obs* until there are enough, or hand it on if it is never rolled up."""
        if obs.kind in ALWAYS:
            await self._hand_on(obs)
            return
        try:  # of a dict in a hot place this is quicker than `get`
            updates = self._updates[obs.run_id]
        except KeyError:
            await self._begin(obs)
            return
        updates.append(obs)
        if len(updates) < self._every:
            return
        self._updates[obs.run_id] = []  # before anything waits: no other emit hands these on
        if self._summarize is not None:
            await self._roll_up(updates)
            return
        try:  # the rule, and in place: it is what each update costs
            text = self._head + obs.render
            await self._inner.emit(self._summary(obs, text, self._payload))
        except BaseException as exc:  # noqa: BLE001 - judged there
            self._lose(updates, exc)

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
        self._updates[obs.run_id] = [obs] if self._every > 1 else []
        if displaced:
            await self._roll_up(displaced)
        if self._every == 1:
            await self._roll_up([obs])

    async def _flush(self) -> list[Exception]:
        failures: list[Exception] = []
        while self._updates:
            updates = self._updates.pop(next(iter(self._updates)))
            failure = await self._roll_up(updates) if updates else None
            if failure is not None:
                failures.append(failure)
        return failures

    async def _roll_up(self, updates: list[Observation]) -> Exception | None:
        """Hand on a summary of *updates*, or give what failed: it must not hurt the run."""
        latest, payload = updates[-1], FrozenDict({"rolled": len(updates)})
        try:
            if self._summarize is None:
                text = _head(len(updates)) + latest.render
            else:
                text = await _text(self._summarize(updates))
            await self._inner.emit(self._summary(latest, text, payload))
        except BaseException as exc:  # noqa: BLE001 - judged there
            return self._lose(updates, exc)
        return None

    def _summary(
        self, latest: Observation, text: str, payload: FrozenDict[str, int]
    ) -> Observation:
        """Give *latest* with another kind, text and payload.

        All of it was checked and frozen before. Doing so again would be most of what an update
        costs, and assigning to a frozen value most of the rest.
        """
        made: Any = _Draft()
        made.kind = self._kind
        made.seq = latest.seq
        made.ts = latest.ts
        made.agent = latest.agent
        made.render = text
        made.run_id = latest.run_id
        made.payload = payload
        made.parent_id = latest.parent_id
        made.trace_context = latest.trace_context
        made.__class__ = Observation
        summary: Observation = made
        return summary

    def _lose(self, updates: list[Observation], exc: BaseException) -> Exception:
        """Count *updates* as lost, and give *exc* if it is a failure; what cancels passes."""
        self.dropped += len(updates)
        if isinstance(exc, Cancelled) or not isinstance(exc, Exception):
            raise exc
        self._note(exc)
        return exc


class _Draft:
    """An observation that can still be written."""

    __slots__ = Observation.__slots__


def _head(count: int) -> str:
    return f"{count} updates; latest: "


async def _text(summarized: object) -> str:
    text = await summarized if isawaitable(summarized) else summarized
    if not isinstance(text, str):
        raise TypeError(f"summarize gives text; got {text!r}")
    return text
