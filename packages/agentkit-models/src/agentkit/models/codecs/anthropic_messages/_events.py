"""The events of a stream, or a whole body, into an answer."""

from typing import Any

from agentkit.core.contracts.llm import ReasoningDelta, TextDelta
from agentkit.models.codecs._endings import cut_short, undecodable
from agentkit.models.codecs._errors import error_in, malformed
from agentkit.models.codecs._json import as_dict, as_list, is_dict, is_list, load
from agentkit.models.codecs._refrain import MoreText
from agentkit.models.codecs._sse import ServerSentEvent
from agentkit.models.codecs.anthropic_messages._answer import Answer

__all__ = ["EventReader"]

Seen = list[TextDelta | ReasoningDelta]


class EventReader:
    """Reads events into an answer, and knows whether the stream has ended as it should."""

    def __init__(self, answer: Answer, *, now: float) -> None:
        self._answer = answer
        self._now = now
        self._saw_frame = False
        self.is_done = False
        """Whether `message_stop` has come."""
        self.more: MoreText | None = None
        """What the last event was if it only went on with a text, else None."""

    @property
    def is_whole(self) -> bool:
        """Whether the last mark has come: nothing less ends a message."""
        return self.is_done

    def read(self, event: ServerSentEvent) -> Seen:
        """Read *event*, and give what of it a reader sees.

        Raises:
            ProviderError: It is an error, or no JSON object, or for no block that is open.

        """
        self.more = None
        if self.is_done or not event.data.strip() or event.data.startswith("[DONE]"):
            return []
        try:
            frame = load(event.data)
        except ValueError:
            frame = None
        if not is_dict(frame):
            raise undecodable(event.data, event=event.event)
        kind = frame.get("type")
        if kind == "content_block_delta":
            index, delta = frame.get("index"), as_dict(frame.get("delta"))
            seen = self._answer.add(index, delta)
            self.more = self._answer.more_of(index, delta, seen)
            return seen
        self._check_frame(frame, event)
        return self._read_other(kind, frame)

    def read_body(self, data: bytes) -> Seen:
        """Read a whole body, and give what of it a reader sees.

        Raises:
            ProviderError: The body is an error, or no answer of this API.

        """
        text = data.decode(errors="replace").strip()
        try:
            body = load(text)
        except ValueError:
            raise malformed(text) from None
        if not is_dict(body) or not is_list(body.get("content")):
            raise error_in(body, now=self._now) or malformed(text)
        self._answer.read_message(body)
        seen: Seen = []
        for index, block in enumerate(as_list(body.get("content"))):
            seen += self._answer.open(index, as_dict(block))
        return seen

    def check_end(self, stray: str) -> None:
        """Return if the stream has ended as it should; *stray* is what came outside of events.

        Raises:
            ProviderError: It has not.

        """
        if self.is_done:
            return
        saw_frame = self._saw_frame
        raise cut_short(stray, missing="message_stop", saw_frame=saw_frame, now=self._now)

    def _check_frame(self, frame: dict[str, Any], event: ServerSentEvent) -> None:
        """Return unless *frame* is an error: it says so, or it is of no type that we could know."""
        is_named = frame.get("type", "error") != "error" and event.event != "error"
        error = None if is_named else error_in(frame, event=event.event, now=self._now)
        if error is not None:
            raise error
        self._saw_frame = True

    def _read_other(self, kind: Any, frame: dict[str, Any]) -> Seen:
        if kind == "content_block_start":
            return self._answer.open(frame.get("index"), as_dict(frame.get("content_block")))
        if kind == "content_block_stop":
            self._answer.shut(frame.get("index"))
        elif kind == "message_start":
            self._answer.read_message(as_dict(frame.get("message")))
        elif kind == "message_delta":
            self._answer.read_end(as_dict(frame.get("delta")), frame.get("usage"))
        elif kind == "message_stop":
            self.is_done = True
        return []
