"""Bytes of a response, cut anywhere, to neutral events."""

from typing import Any

from agentkit.core.contracts.errors import ErrorClass, ProviderError
from agentkit.core.contracts.llm import CompletionEvent, LLMStreamEvent, ReasoningDelta, TextDelta
from agentkit.core.contracts.types import LLMResult
from agentkit.models.codecs._errors import error_in, malformed, stream_error
from agentkit.models.codecs._json import as_dict, as_list, as_text, load
from agentkit.models.codecs._sse import MAX_EVENT_BYTES, ServerSentEvent, ServerSentEventParser
from agentkit.models.codecs.chat_completions._answer import Answer

__all__ = ["MAX_BODY_BYTES", "ResponseDecoder", "decode_response"]

MAX_BODY_BYTES = 64 * 1024 * 1024
"""The largest whole body that a decoder holds in memory by default."""

_BOM = b"\xef\xbb\xbf"
_BODY_STARTS = frozenset(b'{[<"')


class ResponseDecoder:
    """Decodes one successful response, whole or streamed: the first bytes tell which.

    Every error it raises carries in `partial` what had arrived, and in `output_started` whether
    that was anything. *provider* tags what only that provider can read back. *now* is the time in
    seconds since the epoch, for errors that name a moment to try again.
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
        self._events = ServerSentEventParser(max_event_bytes=max_event_bytes)
        self._is_body: bool | None = None
        self._body = bytearray()
        self._saw_event = False
        self._unfinished: set[int] = set()
        self._finished: set[int] = set()
        self.is_done = False
        """Whether the stream's last mark has come; whatever follows is not read."""

    def feed(self, data: bytes) -> list[TextDelta | ReasoningDelta]:
        """Give what *data* completes.

        Raises:
            ProviderError: It is an error, or it breaks the format.

        """
        try:
            return self._feed(data)
        except ProviderError as error:
            raise self._with_partial(error) from None

    def close(self) -> list[LLMStreamEvent]:
        """Give what the end of the input completes, the `CompletionEvent` last.

        Raises:
            ProviderError: The input is an error or no answer, or it ended before its last mark.

        """
        try:
            rest = self._read_body() if self._is_body else self._read_all(self._events.close())
            self._check_end()
        except ProviderError as error:
            raise self._with_partial(error) from None
        return [*rest, self._answer.completion()]

    def partial(self) -> LLMResult | None:
        """Give what has come so far, or None when nothing has."""
        return self._answer.partial()

    def _with_partial(self, error: ProviderError) -> ProviderError:
        error.partial = self._answer.partial()
        error.output_started = error.partial is not None
        error.provider = error.provider or self._provider
        return error

    def _feed(self, data: bytes) -> list[TextDelta | ReasoningDelta]:
        if self.is_done:
            return []
        if self._is_body is None:
            data = self._sniff(data)
        if self._is_body is False:
            return self._read_all(self._events.feed(data))
        self._body += data
        if len(self._body) > self._max_body:
            raise stream_error(
                "oversized_body",
                f"the body is longer than {self._max_body} bytes",
                ErrorClass.PERMANENT,
            )
        return []

    def _sniff(self, data: bytes) -> bytes:
        """Tell a whole body from an event stream by its first visible byte; give what to read."""
        data = bytes(self._body) + data
        self._body.clear()
        start = data.removeprefix(_BOM).lstrip()
        if start and not _BOM.startswith(start):
            self._is_body = start[0] in _BODY_STARTS
        return start

    def _read_all(self, events: list[ServerSentEvent]) -> list[TextDelta | ReasoningDelta]:
        seen: list[TextDelta | ReasoningDelta] = []
        for event in events:
            if self.is_done:
                break
            seen += self._read(event)
        return seen

    def _read(self, event: ServerSentEvent) -> list[TextDelta | ReasoningDelta]:
        if event.data.startswith("[DONE]"):
            self.is_done = True
        if self.is_done or not event.data.strip():
            return []
        try:
            frame = load(event.data)
        except ValueError:
            raise self._undecodable(event) from None
        if error := error_in(frame, event=event.event, now=self._now):
            raise error
        if not isinstance(frame, dict):
            raise self._undecodable(event)
        self._saw_event = True
        self._answer.read_facts(frame)
        seen: list[TextDelta | ReasoningDelta] = []
        for choice in as_list(frame.get("choices")):
            seen += self._read_choice(as_dict(choice))
        return seen

    def _read_choice(self, choice: dict[str, Any]) -> list[TextDelta | ReasoningDelta]:
        if error := error_in({"error": choice.get("error"), "choices": []}, now=self._now):
            raise error
        index = _position(choice.get("index"))
        is_first = index not in self._unfinished and index not in self._finished
        reason = as_text(choice.get("finish_reason"))
        if reason:
            self._finished.add(index)
            self._unfinished.discard(index)
        elif is_first:
            self._unfinished.add(index)
        if index != 0:
            return []
        self._take_reason(reason)
        delta = choice.get("delta") or (choice.get("message") if is_first else None)
        return self._answer.add(delta, whole=False) if isinstance(delta, dict) else []

    def _take_reason(self, reason: str) -> None:
        if reason == "error":
            raise stream_error(
                "error", "the provider ended the answer with an error", ErrorClass.TRANSIENT
            )
        if reason:
            self._answer.finish_reason = reason

    def _read_body(self) -> list[TextDelta | ReasoningDelta]:
        text = self._body.decode(errors="replace").removeprefix("\ufeff").strip()
        try:
            body = load(text)
        except ValueError:
            raise malformed(text) from None
        if error := error_in(body, now=self._now):
            raise error
        choices = [choice for choice in as_list(as_dict(body).get("choices")) if as_dict(choice)]
        if not choices:
            raise malformed(text)
        choice = min(choices, key=lambda item: _position(item.get("index")))
        self._answer.read_facts(body)
        seen = self._answer.add(as_dict(choice.get("message")), whole=True)
        reason = choice.get("finish_reason")
        if error := error_in({"error": choice.get("error"), "choices": []}, now=self._now):
            raise error
        self._take_reason(as_text(reason))
        self._answer.finish_reason = reason if isinstance(reason, str) else None
        return seen

    def _check_end(self) -> None:
        """Raise unless the answer is whole."""
        if self._is_body or self.is_done or (self._finished and not self._unfinished):
            return
        stray = self._events.stray or self._body.decode(errors="replace").strip()
        if stray:
            raise self._error_in_stray(stray)
        raise stream_error(
            "incomplete_stream",
            "the stream ended without a finish reason and without [DONE]",
            ErrorClass.TRANSIENT,
        )

    def _error_in_stray(self, stray: str) -> ProviderError:
        """Give the error that a server wrote into the stream without any framing."""
        try:
            error = error_in(load(stray), now=self._now)
        except ValueError:
            error = None
        if error or not self._saw_event:
            return error or malformed(stray)
        return stream_error(
            "incomplete_stream", f"the stream ended in {stray[:200]!r}", ErrorClass.TRANSIENT
        )

    def _undecodable(self, event: ServerSentEvent) -> ProviderError:
        """Give the error of an event that is no JSON object: cut off, or foreign."""
        if event.event == "error":
            return stream_error("error", event.data, ErrorClass.UNKNOWN)
        return stream_error(
            "undecodable_event",
            f"an event is no JSON object: {event.data[:200]!r}",
            ErrorClass.TRANSIENT,
        )


def decode_response(body: bytes, *, provider: str = "", now: float = 0.0) -> CompletionEvent:
    """Give the answer in a whole *body*, streamed or not.

    Raises:
        ProviderError: The body is an error, no answer of this API, or an answer cut short.

    """
    decoder = ResponseDecoder(provider=provider, now=now)
    events = [*decoder.feed(body), *decoder.close()]
    return next(event for event in events if isinstance(event, CompletionEvent))


def _position(index: Any) -> int:
    return index if type(index) is int else 0
