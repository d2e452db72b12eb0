"""Bytes of a response, cut anywhere, to neutral events: what the APIs over event streams share."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Protocol

from agentkit.core.contracts.errors import ErrorClass, ProviderError
from agentkit.core.contracts.llm import CompletionEvent, LLMStreamEvent, ReasoningDelta, TextDelta
from agentkit.core.contracts.types import LLMResult
from agentkit.models.codecs._errors import stream_error
from agentkit.models.codecs._pairs import Pairs
from agentkit.models.codecs._partial import in_part
from agentkit.models.codecs._refrain import MoreText, Piece, Refrain, end_of_event
from agentkit.models.codecs._sse import MAX_EVENT_BYTES, ServerSentEvent, ServerSentEventParser

__all__ = [
    "MAX_BODY_BYTES",
    "Decoder",
    "EventReader",
    "EventStreamDecoder",
    "GrowingAnswer",
    "completion_in",
]

MAX_BODY_BYTES = 64 * 1024 * 1024
"""The largest whole body that a decoder holds in memory by default."""

_BOM = b"\xef\xbb\xbf"
_BODY_STARTS = frozenset(b'{[<"')
# Of each piece of input so many events are looked at one by one for one that is worth a refrain,
# and after so many refrains that were never sung no more is looked for.
_MOST_LOOKS = 4
_MOST_MISSES = 8


class Decoder(Protocol):
    """Turns the bytes of one successful response into events; see `EventStreamDecoder`."""

    @property
    def is_done(self) -> bool:
        """Whether nothing more is read."""
        ...

    def feed(self, data: bytes) -> list[TextDelta | ReasoningDelta]:
        """Give what *data* completes."""
        ...

    def pieces(self, data: bytes) -> Sequence[Piece]:
        """Give what `feed` gives, in the form that costs the least."""
        ...

    def break_off(self) -> bool:
        """Note that no more comes than has; give whether that is a whole answer all the same."""
        ...

    def close(self) -> list[LLMStreamEvent]:
        """Give what the end of the input completes, the `CompletionEvent` last."""
        ...

    def with_partial(self, error: ProviderError) -> ProviderError:
        """Give *error* with what has come so far attached."""
        ...


class GrowingAnswer(Protocol):
    """One answer as far as it has come."""

    def completion(self) -> CompletionEvent:
        """Give the whole answer."""
        ...

    def partial(self) -> LLMResult | None:
        """Give what has come of an answer that will not be finished, or None when nothing has."""
        ...


class EventReader(Protocol):
    """Reads one API's events, or its whole body, into an answer."""

    @property
    def is_done(self) -> bool:
        """Whether the last mark of the stream has come."""
        ...

    @property
    def is_whole(self) -> bool:
        """Whether the answer has ended, though more may be told of it."""
        ...

    @property
    def more(self) -> MoreText | None:
        """What the last event was if it only went on with a text, else None."""
        ...

    def read(self, event: ServerSentEvent) -> list[TextDelta | ReasoningDelta]:
        """Read *event*, and give what of it a reader sees; `ProviderError` if it is an error."""
        ...

    def read_body(self, data: bytes) -> list[TextDelta | ReasoningDelta]:
        """Read a whole body in the same way."""
        ...

    def check_end(self, stray: str) -> None:
        """Raise `ProviderError` unless the stream has ended as it should."""
        ...


class EventStreamDecoder:
    """Decodes one successful response, whole or streamed: the first visible byte tells which.

    The events are the same however the bytes are cut. *provider* tags what only that provider can
    read back, and is whom an error that does not say is of. *now* is the time in seconds since the
    epoch, for errors that name a moment to try again.
    """

    def __init__(
        self,
        *,
        provider: str = "",
        now: float = 0.0,
        max_event_bytes: int = MAX_EVENT_BYTES,
        max_body_bytes: int = MAX_BODY_BYTES,
    ) -> None:
        self._provider = provider
        self._max_body = max_body_bytes
        self._answer, self._reader = self._parts(provider=provider, now=now)
        self._pairs = Pairs()
        self._parser = ServerSentEventParser(max_event_bytes=max_event_bytes)
        self._is_body: bool | None = None
        self._body = bytearray()
        self._failure: ProviderError | None = None
        self._refrain: Refrain | None = None
        self._armed: Refrain | None = None
        self._misses = 0
        self._max_event = max_event_bytes
        self._is_broken = False

    @property
    def is_done(self) -> bool:
        """Whether nothing more is read: the last mark came, or an error, which `close` raises."""
        return self._reader.is_done or self._failure is not None

    def feed(self, data: bytes) -> list[TextDelta | ReasoningDelta]:
        """Give what *data* completes; an error in it is kept for `close`."""
        return [TextDelta(p) if isinstance(p, str) else p for p in self.pieces(data)]

    def pieces(self, data: bytes) -> list[Piece]:
        """Give what `feed` gives, in the form that costs the least."""
        seen: list[Piece] = []
        at = 0
        if self._armed is not None and len(data) <= self._max_event:
            at = self._armed.read(data, 0, seen)
            self._misses = 0 if at else self._misses
            if at == len(data):
                return seen
        if self.is_done:
            return []
        if self._is_body is None:
            data = self._sniff(data)
        if self._is_body is False:
            return seen + self._read_stream(data, at)
        self._body += data
        if len(self._body) > self._max_body:
            what = f"the body is longer than {self._max_body} bytes"
            self._failure = stream_error("oversized_body", what, ErrorClass.PERMANENT)
        return []

    def break_off(self) -> bool:
        """Note that the input broke; give whether the answer had ended before.

        Then what is left of an event is not read, and a usage that was told is one in part.
        """
        self._is_broken = self._failure is None and not self._is_body and self._reader.is_whole
        return self._is_broken

    def close(self) -> list[LLMStreamEvent]:
        """Give what the end of the input completes, the `CompletionEvent` last.

        Raises:
            ProviderError: The input was an error or no answer, or ended before its last mark. It
                has in `partial` what had arrived, and `output_started` says whether that is any.

        """
        if self._is_broken:
            return [*self._pairs.rest(), in_part(self._answer.completion())]
        seen: list[TextDelta | ReasoningDelta] = []
        if not self.is_done:
            seen = self._read_body() if self._is_body else self._read(self._parser.close())
        if not self._is_body:
            self._check_end()
        if self._failure is not None:
            raise self.with_partial(self._failure)
        return [*seen, *self._pairs.rest(), self._answer.completion()]

    def with_partial(self, error: ProviderError) -> ProviderError:
        """Give *error* with what has come so far attached."""
        error.partial = self._answer.partial()
        error.output_started = error.partial is not None
        error.provider = error.provider or self._provider
        return error

    @abstractmethod
    def _parts(self, *, provider: str, now: float) -> tuple[GrowingAnswer, EventReader]:
        """Give the API's answer, with nothing in it yet, and what reads events into it."""

    def _sniff(self, data: bytes) -> bytes:
        """Tell a whole body from an event stream by its first visible byte; give what to read."""
        data = bytes(self._body) + data
        self._body.clear()
        start = data.removeprefix(_BOM).lstrip()
        if start and not _BOM.startswith(start):
            self._is_body = start[0] in _BODY_STARTS
        return start

    def _read_stream(self, data: bytes, at: int) -> list[Piece]:
        """Read *data* from *at* on, the events that repeat one but for its text undecoded."""
        if self._misses > _MOST_MISSES or len(data) > self._max_event:
            self._armed = None
            return [*self._read(self._parser.feed(data[at:]))]
        seen: list[Piece] = []
        looks = _MOST_LOOKS
        while at < len(data) and not self.is_done:
            end = end_of_event(data, at) if looks else len(data)
            seen += self._read_sample(data[at:end])
            looks -= self._refrain is None
            at = end
            if self._armed is not None and (sung := self._armed.read(data, at, seen)) > at:
                self._misses = 0
                at = sung
        return seen

    def _read_sample(self, piece: bytes) -> list[TextDelta | ReasoningDelta]:
        """Read *piece* in full, and take it for the refrain if it is an event that has one."""
        was_between = self._parser.is_between_events
        events = self._parser.feed(piece)
        seen = self._read(events)
        more, is_between = self._reader.more, self._parser.is_between_events
        if more is None:
            self._refrain = None
        elif was_between and is_between and len(events) == 1:
            self._refrain = Refrain.of(piece, more)
            self._misses += 1
        is_ready = is_between and not self.is_done and not self._pairs.is_waiting
        self._armed = self._refrain if is_ready else None
        return seen

    def _read(self, events: list[ServerSentEvent]) -> list[TextDelta | ReasoningDelta]:
        seen: list[TextDelta | ReasoningDelta] = []
        try:
            for event in events:
                seen += self._reader.read(event)
            self._parser.check()
        except ProviderError as error:
            if not self._reader.is_done:
                self._failure = error
        return self._pairs.whole(seen)

    def _read_body(self) -> list[TextDelta | ReasoningDelta]:
        try:
            return self._pairs.whole(self._reader.read_body(bytes(self._body)))
        except ProviderError as error:
            self._failure = error
            return []

    def _check_end(self) -> None:
        if self._failure is not None:
            return
        try:
            self._reader.check_end(self._parser.stray)
        except ProviderError as error:
            self._failure = error


def completion_in(body: bytes, decoder: Decoder) -> CompletionEvent:
    """Give the answer in a whole *body*, streamed or not; it raises what `Decoder.close` raises."""
    events = [*decoder.feed(body), *decoder.close()]
    return next(event for event in events if isinstance(event, CompletionEvent))
