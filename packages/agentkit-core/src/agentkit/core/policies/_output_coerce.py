"""Output coercion: the typed object of an answer, in progress and finished."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any, Protocol, runtime_checkable

from agentkit.core.contracts.errors import OutputCoercionError
from agentkit.core.contracts.middleware import Call, Handler, Middleware, closing
from agentkit.core.contracts.protocols import SchemaAdapter
from agentkit.core.contracts.types import Delta
from agentkit.core.contracts.types._results import beyond_text
from agentkit.core.execution._checks import check_count
from agentkit.core.policies._calls import CHAT, note
from agentkit.core.serialization.partial_json import PartialJson

__all__ = ["PartialBuilder", "output_coerce"]

ADAPTER = "output_adapter"


@runtime_checkable
class PartialBuilder(Protocol):
    """What a `SchemaAdapter` may also do, so that an answer's text is read once only."""

    def partial_from(self, data: Any) -> Any | None:
        """Give the object in progress that *data*, the JSON value so far, stands for, or None.

        *data* is frozen and unfinished. It never raises; required fields may be unset.
        """
        ...


def output_coerce(*, partial_every: int = 64) -> Middleware:
    """Give a middleware that makes the declared output of a chat out of its text.

    The adapter is `call.meta["output_adapter"]`; without one the stream passes untouched. On the
    way a delta carries in `partial` what the text amounts to, when a value in it has become
    complete, and else at most once per *partial_every* characters. After the last delta one more
    carries the object in `parsed`, as does `call.meta["output_parsed"]`. A turn that calls tools is
    no answer: it is not parsed.

    Raises:
        TypeError: *partial_every* is no whole number.
        ValueError: *partial_every* is less than 1.
        OutputCoercionError: (from the call) The text does not fit; all of it had been passed on.

    """
    check_count("partial_every", partial_every, at_least=1)
    return _OutputCoerce(partial_every)


class _OutputCoerce:
    coerces_output = True

    def __init__(self, partial_every: int) -> None:
        self._partial_every = partial_every

    async def __call__(self, call: Call, nxt: Handler) -> AsyncIterator[Any]:
        adapter = call.meta.get(ADAPTER) if call.kind == CHAT else None
        if adapter is None:
            async with closing(nxt(call)) as inner:
                async for item in inner:
                    yield item
            return
        reading = _Reading(call, adapter, self._partial_every)
        keep, quiet = reading.unread.append, 0
        async with closing(nxt(call)) as inner:
            async for item in inner:
                text = item.text
                keep(text)
                quiet -= len(text)
                if quiet > 0 and '"' not in text and not item.tool_calls:
                    yield item  # nothing is complete: what came is read with what comes
                else:
                    delta, quiet = reading.passed(item)
                    yield delta
        if not reading.called_tools:
            yield Delta(parsed=reading.finished())


class _Reading:
    """The text of one answer on its way to an object."""

    def __init__(self, call: Call, adapter: SchemaAdapter, partial_every: int) -> None:
        self._call = call
        self._adapter = adapter
        self._partial_every = partial_every
        self._texts: list[str] = []
        self._json = PartialJson()
        self._builder = adapter if isinstance(adapter, PartialBuilder) else None
        self._shown = 0
        self._left = partial_every  # characters until the next partial is due
        self.unread: list[str] = []
        self.called_tools = False

    def passed(self, delta: Delta) -> tuple[Delta, int]:
        """Read what has come up to *delta*; give it with the object in progress, if that is news.

        Also tell how many characters may now pass unread unless there is a quote among them, after
        which a value may be complete.
        """
        if delta.tool_calls:
            self.called_tools = True
        due = self._json.feed(self._news()) or self._left <= 0
        if due and self._json.version != self._shown:
            self._shown = self._json.version
            self._left = self._partial_every
            delta = self._with_partial(delta)
        return delta, self._left if self._json.is_in_text else 0

    def finished(self) -> Any:
        """Give the object that the whole text is, and leave it for others to read.

        Raises:
            OutputCoercionError: The text does not fit.

        """
        try:
            parsed = self._adapter.parse("".join([*self._texts, *self.unread]))
        except OutputCoercionError as exc:
            note(
                self._call,
                "output.coercion_failed",
                error_type=type(exc).__name__,
                errors_count=len(exc.errors),
            )
            raise
        self._call.meta["output_parsed"] = parsed
        return parsed

    def _news(self) -> str:
        text = "".join(self.unread)
        self.unread.clear()
        self._texts.append(text)
        self._left -= len(text)
        return text

    def _with_partial(self, delta: Delta) -> Delta:
        partial = self._partial()
        if partial is None:
            return delta
        if beyond_text((delta,)):
            return replace(delta, partial=partial)
        return Delta(delta.text, partial=partial)  # in half the time

    def _partial(self) -> Any | None:
        try:
            if self._builder is not None:
                return self._builder.partial_from(self._json.value())
            return self._adapter.partial_parse("".join(self._texts))
        except Exception:  # noqa: BLE001 - a preview that fails must not cost the answer
            return None
