"""What tracing keeps of one call, and where it goes: the span, the metrics, the replay store."""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

from agentkit.core.contracts.errors import Cancelled
from agentkit.core.contracts.middleware import Call
from agentkit.core.contracts.replay import ReplayRecord
from agentkit.core.contracts.types import Delta, assemble_deltas
from agentkit.core.policies import _span_facts as facts
from agentkit.core.policies._calls import CHAT, clock_of
from agentkit.core.policies._usage import CHARGED, usage_seen
from agentkit.core.telemetry import NoopReplayStore, NoopTrace, SafeSpan, count_failure

__all__ = ["CallWatch"]


class CallWatch:
    """One call, watched from its beginning to its end."""

    def __init__(self, call: Call, *, record_content: bool) -> None:
        self._call = call
        self._chat = call.kind == CHAT
        self._span = SafeSpan(call.ctx.metrics)
        self._clock = clock_of(call)
        self._started = self._clock.now()
        self._items: list[Any] = []
        self.records_content = record_content
        self._wants_all = False
        self.is_over = False

    async def open(self) -> None:
        """Open the span, unless the sampler says no, and note what is asked."""
        name = CHAT if self._chat else "execute_tool"
        attrs = facts.identity(self._call)
        if not self._sampled(name, attrs):
            return
        trace = self._call.ctx.trace
        if isinstance(trace, NoopTrace):
            return
        self._wants_all = self.records_content
        await self._span.open(trace, name, kind=name, attrs=attrs)
        if self._chat and self.records_content:
            with contextlib.suppress(Exception):  # telling about a call must not hurt it
                for event, fields in facts.messages(self._call.request):
                    self.add_event(event, **fields)

    def add_event(self, name: str, **fields: Any) -> None:
        """Add an event to the call's span."""
        self._span.add_event(name, **fields)

    def set(self, key: str, value: Any) -> None:
        """Set an attribute of the call's span."""
        self._span.set(key, value)

    @property
    def keep(self) -> Callable[[Any], None]:
        """Give what takes note of an item on its way out."""
        return self._items.append

    def is_silent(self, item: Any) -> bool:
        """Tell whether *item* says nothing yet; the first that does is timed."""
        if not isinstance(item, Delta) or not item.text:
            return True
        self.set("gen_ai.response.first_token_latency_ms", self._elapsed_ms())
        return False

    async def end(self, exc: BaseException | None) -> None:
        """Record how the call ended and close its span; nothing is raised but a cancellation."""
        self.is_over = True
        failure = exc if isinstance(exc, Exception) and not isinstance(exc, Cancelled) else None
        try:
            with contextlib.suppress(Exception):
                self._record(exc, failure)
            if exc is None and self._chat and self._wants_all:
                await self._keep_payloads()
        finally:
            shown = failure if failure is None or self.records_content else _withheld(failure)
            await self._span.close(shown)

    def _record(self, exc: BaseException | None, failure: Exception | None) -> None:
        outcome = _outcome(exc)
        self.set("agentkit.call.outcome", outcome)
        seconds = self._clock.now() - self._started
        facts.measure_duration(self._call, seconds, failure)
        if self._chat:
            self._record_answer(exc, outcome, seconds)
        elif exc is None and self.records_content and self._items:
            told = facts.tool_result(self._call, self._items[-1], seconds)
            self.add_event("gen_ai.tool.result", **told)

    def _record_answer(self, exc: BaseException | None, outcome: str, seconds: float) -> None:
        answer = assemble_deltas(facts.beside_text(self._items))
        usage, provenance = usage_seen(self._items, exc, ended=exc is None)
        charged = self._call.meta.get(CHARGED)
        if usage is None and charged is not None:
            usage, provenance = charged, charged.provenance
        hit = bool(self._call.meta.get("cache_hit"))
        for key, value in facts.answer(self._call, answer, None if hit else usage).items():
            self.set(key, value)
        self.set("gen_ai.response.duration_ms", round(seconds * 1000, 3))
        self.set("agentkit.usage.provenance", provenance)
        if hit:
            self.set("agentkit.cache_hit", True)
        elif usage is not None:
            facts.measure_usage(self._call, usage)
        if self._wants_all and outcome == "ended":
            self.add_event("gen_ai.choice", **facts.choice(answer, self._text()))

    def _sampled(self, operation: str, attrs: dict[str, Any]) -> bool:
        ctx = self._call.ctx
        try:
            return bool(
                ctx.sampler.should_sample(
                    operation=operation, correlation_id=ctx.correlation_id, attrs=attrs
                )
            )
        except Exception as exc:  # noqa: BLE001 - a sampler that fails keeps the span
            count_failure(ctx.metrics, "sampler", exc)
            return True

    async def _keep_payloads(self) -> None:
        if self._span.id is None or isinstance(self._call.ctx.replay, NoopReplayStore):
            return
        try:
            answer = assemble_deltas(self._items)
            record = ReplayRecord(self._span.id, CHAT, self._call.request, answer)
            await self._call.ctx.replay.put(record)
        except Exception as exc:  # noqa: BLE001 - a replay store must not hurt the call
            count_failure(self._call.ctx.metrics, "replay", exc)

    def _text(self) -> str:
        return "".join([delta.text for delta in self._items])

    def _elapsed_ms(self) -> float:
        return round((self._clock.now() - self._started) * 1000, 3)


def _withheld(failure: Exception) -> Exception:
    """Give what stands for *failure* in a span that may not hold its words: its type, its place."""
    kind = type(failure)
    named = {"__module__": kind.__module__, "__qualname__": kind.__qualname__}
    stand_in: type[Exception] = type(kind.__name__, (Exception,), named)
    return stand_in("[not recorded]").with_traceback(failure.__traceback__)


def _outcome(exc: BaseException | None) -> str:
    if exc is None:
        return "ended"
    if isinstance(exc, GeneratorExit):
        return "abandoned"
    if isinstance(exc, (Cancelled, asyncio.CancelledError)):
        return "cancelled"
    return "failed"
