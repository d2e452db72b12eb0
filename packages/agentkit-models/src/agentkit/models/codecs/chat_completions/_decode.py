"""Bytes of a response, cut anywhere, to neutral events."""

from agentkit.core.contracts.errors import ErrorClass, ProviderError
from agentkit.core.contracts.llm import CompletionEvent, LLMStreamEvent, ReasoningDelta, TextDelta
from agentkit.models.codecs._errors import stream_error
from agentkit.models.codecs._sse import MAX_EVENT_BYTES, ServerSentEvent, ServerSentEventParser
from agentkit.models.codecs.chat_completions._answer import Answer
from agentkit.models.codecs.chat_completions._body import read_body
from agentkit.models.codecs.chat_completions._events import EventReader

__all__ = ["MAX_BODY_BYTES", "ResponseDecoder", "decode_response"]

MAX_BODY_BYTES = 64 * 1024 * 1024
"""The largest whole body that a decoder holds in memory by default."""

_BOM = b"\xef\xbb\xbf"
_BODY_STARTS = frozenset(b'{[<"')


class ResponseDecoder:
    """Decodes one successful response, whole or streamed: the first visible byte tells which.

    The events are the same however the bytes are cut. *provider* tags what only that provider can
    read back. *now* is the time in seconds since the epoch, for errors that name a moment to try
    again.
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
        self._now = now
        self._max_body = max_body_bytes
        self._answer = Answer(provider=provider)
        self._parser = ServerSentEventParser(max_event_bytes=max_event_bytes)
        self._reader = EventReader(self._answer, now=now)
        self._is_body: bool | None = None
        self._body = bytearray()
        self._failure: ProviderError | None = None

    @property
    def is_done(self) -> bool:
        """Whether nothing more is read: the last mark came, or an error, which `close` raises."""
        return self._reader.is_done or self._failure is not None

    def feed(self, data: bytes) -> list[TextDelta | ReasoningDelta]:
        """Give what *data* completes; an error in it is kept for `close`."""
        if self.is_done:
            return []
        if self._is_body is None:
            data = self._sniff(data)
        if self._is_body is False:
            return self._read(self._parser.feed(data))
        self._body += data
        if len(self._body) > self._max_body:
            what = f"the body is longer than {self._max_body} bytes"
            self._failure = stream_error("oversized_body", what, ErrorClass.PERMANENT)
        return []

    def close(self) -> list[LLMStreamEvent]:
        """Give what the end of the input completes, the `CompletionEvent` last.

        Raises:
            ProviderError: The input was an error or no answer, or ended before its last mark. It
                has in `partial` what had arrived, and `output_started` says whether that is any.

        """
        seen: list[TextDelta | ReasoningDelta] = []
        if not self.is_done:
            seen = self._read_body() if self._is_body else self._read(self._parser.close())
        if not self._is_body:
            self._check_end()
        if self._failure is not None:
            raise self.with_partial(self._failure)
        return [*seen, self._answer.completion()]

    def with_partial(self, error: ProviderError) -> ProviderError:
        """Give *error* with what has come so far attached."""
        error.partial = self._answer.partial()
        error.output_started = error.partial is not None
        error.provider = error.provider or self._provider
        return error

    def _sniff(self, data: bytes) -> bytes:
        """Tell a whole body from an event stream by its first visible byte; give what to read."""
        data = bytes(self._body) + data
        self._body.clear()
        start = data.removeprefix(_BOM).lstrip()
        if start and not _BOM.startswith(start):
            self._is_body = start[0] in _BODY_STARTS
        return start

    def _read(self, events: list[ServerSentEvent]) -> list[TextDelta | ReasoningDelta]:
        seen: list[TextDelta | ReasoningDelta] = []
        try:
            for event in events:
                seen += self._reader.read(event)
            self._parser.check()
        except ProviderError as error:
            if not self._reader.is_done:
                self._failure = error
        return seen

    def _read_body(self) -> list[TextDelta | ReasoningDelta]:
        try:
            return read_body(bytes(self._body), self._answer, now=self._now)
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


def decode_response(body: bytes, *, provider: str = "", now: float = 0.0) -> CompletionEvent:
    """Give the answer in a whole *body*, streamed or not.

    Raises:
        ProviderError: The body is an error, no answer of this API, or an answer cut short.

    """
    decoder = ResponseDecoder(provider=provider, now=now)
    events = [*decoder.feed(body), *decoder.close()]
    return next(event for event in events if isinstance(event, CompletionEvent))
