"""Bytes of a response, cut anywhere, to neutral events."""

from collections.abc import Sequence
from typing import Any

from agentkit.core.contracts.errors import ErrorClass, ProviderError
from agentkit.core.contracts.llm import CompletionEvent, LLMStreamEvent, ReasoningDelta, TextDelta
from agentkit.models.codecs._decoding import MAX_BODY_BYTES, completion_in
from agentkit.models.codecs._endings import cut_short, undecodable
from agentkit.models.codecs._errors import error_in, malformed, stream_error
from agentkit.models.codecs._json import as_dict, is_dict, load
from agentkit.models.codecs._ndjson import MAX_LINE_BYTES, NdjsonParser
from agentkit.models.codecs._pairs import Pairs
from agentkit.models.codecs._refrain import Piece
from agentkit.models.codecs.ollama_chat._answer import Answer

__all__ = ["ResponseDecoder", "decode_response"]


class ResponseDecoder:
    """Decodes one successful response: lines of JSON, of which a whole answer is a single one.

    The events are the same however the bytes are cut. *provider* tags what only that provider can
    read back. *now* is the time in seconds since the epoch, for errors that name a moment to try
    again.
    """

    def __init__(
        self,
        *,
        provider: str = "",
        now: float = 0.0,
        max_line_bytes: int = MAX_LINE_BYTES,
        max_body_bytes: int = MAX_BODY_BYTES,
    ) -> None:
        self._provider = provider
        self._now = now
        self._max_body = max_body_bytes
        self._answer = Answer(provider=provider)
        self._pairs = Pairs()
        self._parser = NdjsonParser(max_line_bytes=max_line_bytes)
        self._has_ended = False
        self._saw_frame = False
        self._foreign: list[str] = []
        self._foreign_size = 0
        self._failure: ProviderError | None = None

    @property
    def is_done(self) -> bool:
        """Whether nothing more is read: the last line came, or an error, which `close` raises."""
        return self._has_ended or self._failure is not None

    def feed(self, data: bytes) -> list[TextDelta | ReasoningDelta]:
        """Give what *data* completes; an error in it is kept for `close`."""
        return [] if self.is_done else self._read(self._parser.feed(data))

    def pieces(self, data: bytes) -> Sequence[Piece]:
        """Give what `feed` gives."""
        return self.feed(data)

    def break_off(self) -> bool:
        """Give whether the answer has ended: nothing less than its last line ends it."""
        return self._has_ended

    def close(self) -> list[LLMStreamEvent]:
        """Give what the end of the input completes, the `CompletionEvent` last.

        Raises:
            ProviderError: The input was an error or no answer, or ended before its last mark. It
                has in `partial` what had arrived, and `output_started` says whether that is any.

        """
        seen = [] if self.is_done else self._read(self._parser.close())
        if not self.is_done:
            seen += self._read_foreign()
        if self._failure is not None:
            raise self.with_partial(self._failure)
        return [*seen, *self._pairs.rest(), self._answer.completion()]

    def with_partial(self, error: ProviderError) -> ProviderError:
        """Give *error* with what has come so far attached."""
        error.partial = self._answer.partial()
        error.output_started = error.partial is not None
        error.provider = error.provider or self._provider
        return error

    def _read(self, lines: list[str]) -> list[TextDelta | ReasoningDelta]:
        seen: list[TextDelta | ReasoningDelta] = []
        try:
            for line in lines:
                if self._has_ended:
                    break
                seen += self._read_line(line)
            if not self._has_ended:
                self._parser.check()
        except ProviderError as error:
            self._failure = error
        return self._pairs.whole(seen)

    def _read_line(self, line: str) -> list[TextDelta | ReasoningDelta]:
        if self._foreign:
            return self._keep(line)
        try:
            frame = load(line)
        except ValueError:
            frame = None
        if is_dict(frame):
            return self._read_frame(frame)
        if self._saw_frame:
            raise undecodable(line)
        return self._keep(line)

    def _read_frame(self, frame: dict[str, Any]) -> list[TextDelta | ReasoningDelta]:
        if frame.get("error") or not ("message" in frame or "done" in frame):
            raise self._refusal(frame)
        self._saw_frame = True
        self._answer.read_facts(frame)
        self._has_ended = frame.get("done") is True
        return self._answer.add(as_dict(frame.get("message")))

    def _refusal(self, frame: dict[str, Any]) -> ProviderError:
        """Give the error in *frame*: with a success ahead it is what else had the status 500."""
        error = error_in(frame, now=self._now)
        if error is None:
            return malformed(str(frame))
        if error.error_class is ErrorClass.UNKNOWN:
            error.error_class = ErrorClass.TRANSIENT
        return error

    def _keep(self, line: str) -> list[TextDelta | ReasoningDelta]:
        """Keep a line that is no JSON by itself: it may be one of a value laid out over many."""
        self._foreign.append(line)
        self._foreign_size += len(line)
        if self._foreign_size > self._max_body:
            what = f"the body is longer than {self._max_body} bytes"
            raise stream_error("oversized_body", what, ErrorClass.PERMANENT)
        return []

    def _read_foreign(self) -> list[TextDelta | ReasoningDelta]:
        """Read what came line by line as one value, and tell whether the answer is whole."""
        text, self._foreign = "\n".join(self._foreign), []
        try:
            value = load(text) if text else None
        except ValueError:
            value = None
        seen: list[TextDelta | ReasoningDelta] = []
        try:
            if text and not is_dict(value):
                raise malformed(text)
            if is_dict(value):
                seen = self._read_frame(value)
            if not self._has_ended:
                saw_frame = self._saw_frame
                raise cut_short("", missing="done: true", saw_frame=saw_frame, now=self._now)
        except ProviderError as error:
            self._failure = error
        return self._pairs.whole(seen)


def decode_response(body: bytes, *, provider: str = "", now: float = 0.0) -> CompletionEvent:
    """Give the answer in a whole *body*, streamed or not.

    Raises:
        ProviderError: The body is an error, no answer of this API, or an answer cut short.

    """
    return completion_in(body, ResponseDecoder(provider=provider, now=now))
