"""The chunks of a stream, and whole bodies, into an answer."""

import json
from collections.abc import Iterator
from typing import Any

from agentkit.core.contracts.errors import ErrorClass
from agentkit.core.contracts.llm import ReasoningDelta, TextDelta
from agentkit.models.codecs._endings import cut_short, undecodable
from agentkit.models.codecs._errors import error_in, malformed, stream_error
from agentkit.models.codecs._json import as_dict, as_list, is_dict, load
from agentkit.models.codecs._sse import ServerSentEvent
from agentkit.models.codecs.gemini._answer import Answer, finish_word

__all__ = ["FrameReader"]

Seen = list[TextDelta | ReasoningDelta]

_SIGNS = frozenset({"candidates", "promptFeedback", "usageMetadata", "modelVersion"})
_DECODER = json.JSONDecoder()


class FrameReader:
    """Reads chunks into an answer, and knows whether the answer has ended as it should.

    A stream has no last mark of its own: it has ended when every candidate says why it finished, or
    the prompt was blocked.
    """

    is_done = False
    more = None

    def __init__(self, answer: Answer, *, now: float) -> None:
        self._answer = answer
        self._now = now
        self._unfinished: set[int] = set()
        self._finished: set[int] = set()
        self._saw_frame = False

    @property
    def is_whole(self) -> bool:
        """Whether every candidate has finished, or the prompt was blocked."""
        return bool(self._answer.block_reason or (self._finished and not self._unfinished))

    def read(self, event: ServerSentEvent) -> Seen:
        """Read *event*, and give what of it a reader sees.

        Raises:
            ProviderError: It is an error, or no JSON object.

        """
        if not event.data.strip():
            return []
        try:
            frame = load(event.data)
        except ValueError:
            raise undecodable(event.data, event=event.event) from None
        return self._read_frame(frame, event.data, event=event.event)

    def read_body(self, data: bytes) -> Seen:
        """Read a whole body: one object, or the list that a stream without events is.

        Raises:
            ProviderError: The body is an error, no answer of this API, or cut short.

        """
        text = data.decode(errors="replace").strip()
        if text.startswith("["):
            seen = [delta for frame in _elements(text) for delta in self._read_frame(frame, text)]
            self.check_end("" if self._saw_frame else text)
            return seen
        try:
            frame = load(text)
        except ValueError:
            raise malformed(text) from None
        seen = self._read_frame(frame, text)
        if not as_list(frame.get("candidates")) and not self._answer.block_reason:
            what = "the answer holds no candidate, and does not say why"
            raise stream_error("empty_response", what, ErrorClass.TRANSIENT)
        return seen

    def check_end(self, stray: str) -> None:
        """Return if the stream has ended as it should; *stray* is what came outside of events.

        Raises:
            ProviderError: It has not.

        """
        if self.is_whole and not stray:
            return
        error = cut_short(stray, missing="a finishReason", saw_frame=self._saw_frame, now=self._now)
        if not self.is_whole or error.error_type != "incomplete_stream":
            raise error

    def _read_frame(self, frame: Any, text: str, *, event: str = "") -> Seen:
        if error := error_in(frame, event=event, now=self._now):
            raise error
        if not is_dict(frame) or _SIGNS.isdisjoint(frame):
            raise malformed(text)
        self._saw_frame = True
        self._answer.read_facts(frame)
        seen: Seen = []
        for candidate in map(as_dict, as_list(frame.get("candidates"))):
            index = candidate.get("index")
            index = index if type(index) is int else 0
            self._note(index, candidate)
            if index == 0:
                seen += self._answer.add(candidate)
        return seen

    def _note(self, index: int, candidate: dict[str, Any]) -> None:
        """Note whether the candidate of *index* has finished; one that has stays so."""
        if finish_word(candidate):
            self._finished.add(index)
            self._unfinished.discard(index)
        elif index not in self._finished:
            self._unfinished.add(index)


def _elements(text: str) -> Iterator[Any]:
    """Give the elements of the list *text* as far as they are whole."""
    at = 1
    while True:
        at = _skip(text, at)
        try:
            element, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            return
        yield element


def _skip(text: str, at: int) -> int:
    """Give where the next element begins: after white space and commas."""
    while at < len(text) and text[at] in " \t\r\n,":
        at += 1
    return at
