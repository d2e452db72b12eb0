"""The events of a stream into an answer."""

from typing import Any

from agentkit.core.contracts.llm import ReasoningDelta, TextDelta
from agentkit.models.codecs._endings import cut_short, undecodable
from agentkit.models.codecs._errors import error_in
from agentkit.models.codecs._json import as_dict, as_list, is_dict, load
from agentkit.models.codecs._refrain import MoreText
from agentkit.models.codecs._sse import ServerSentEvent
from agentkit.models.codecs.chat_completions._answer import Answer
from agentkit.models.codecs.chat_completions._body import index_of, read_body, take_end

__all__ = ["EventReader"]


class EventReader:
    """Reads events into an answer, and knows whether the stream has ended as it should."""

    def __init__(self, answer: Answer, *, now: float) -> None:
        self._answer = answer
        self._now = now
        self._unfinished: set[int] = set()
        self._finished: set[int] = set()
        self._saw_frame = False
        self.is_done = False
        """Whether `[DONE]` has come."""
        self.more: MoreText | None = None
        """What the last event was if it only went on with the text, else None."""

    @property
    def is_whole(self) -> bool:
        """Whether every choice that began has finished."""
        return bool(self._finished) and not self._unfinished

    def read(self, event: ServerSentEvent) -> list[TextDelta | ReasoningDelta]:
        """Read *event*, and give what of it a reader sees.

        Raises:
            ProviderError: It is an error, or no JSON object.

        """
        self.more = None
        if event.data.startswith("[DONE]"):
            self.is_done = True
        if self.is_done or not event.data.strip():
            return []
        try:
            frame = load(event.data)
        except ValueError:
            raise undecodable(event.data, event=event.event) from None
        if not event.event and (more := self._plain(frame)) is not None:
            self.more = more
            more.note(more.text)
            return [more.as_delta(more.text) if more.as_delta else TextDelta(more.text)]
        self._check_frame(frame, event)
        self._answer.read_facts(frame)
        seen: list[TextDelta | ReasoningDelta] = []
        for choice in as_list(frame.get("choices")):
            seen += self._read_choice(as_dict(choice))
        return seen

    def read_body(self, data: bytes) -> list[TextDelta | ReasoningDelta]:
        """Read a whole body, and give what of it a reader sees.

        Raises:
            ProviderError: The body is an error, or no answer of this API.

        """
        return read_body(data, self._answer, now=self._now)

    def check_end(self, stray: str) -> None:
        """Return if the stream has ended as it should; *stray* is what came outside of events.

        Raises:
            ProviderError: It has not.

        """
        if self.is_done or self.is_whole:
            return
        raise cut_short(
            stray,
            missing="a finish reason and without [DONE]",
            saw_frame=self._saw_frame,
            now=self._now,
        )

    def _plain(self, frame: Any) -> MoreText | None:
        """Give what a chunk goes on with if it says nothing else, as nearly all of them do.

        Every other chunk is looked at closely.
        """
        if not is_dict(frame) or not _NEWS.isdisjoint(frame) or self._unfinished != {0}:
            return None
        choices = as_list(frame.get("choices"))
        choice = as_dict(choices[0]) if len(choices) == 1 else {}
        if frame.get("usage") or self._answer.learns_from(frame) or index_of(choice):
            return None
        if choice.get("finish_reason") or choice.get("error"):
            return None
        said = [(k, v) for k, v in as_dict(choice.get("delta")).items() if v and k != "role"]
        key, text = said[0] if len(said) == 1 else ("", "")
        return self._answer.more(key, text) if isinstance(text, str) else None

    def _check_frame(self, frame: Any, event: ServerSentEvent) -> None:
        if error := error_in(frame, event=event.event, now=self._now):
            raise error
        if not is_dict(frame):
            raise undecodable(event.data, event=event.event)
        self._saw_frame = True

    def _read_choice(self, choice: dict[str, Any]) -> list[TextDelta | ReasoningDelta]:
        index = index_of(choice)
        is_new = index not in self._unfinished and index not in self._finished
        if choice.get("finish_reason"):
            self._finished.add(index)
            self._unfinished.discard(index)
        elif is_new:
            self._unfinished.add(index)
        if index != 0:
            return []
        delta = choice.get("delta") or (choice.get("message") if is_new else None)
        seen = self._answer.add(delta, whole=False) if is_dict(delta) else []
        take_end(choice, self._answer, now=self._now)
        return seen


_NEWS = frozenset({"error", "errors", "type", "detail", "message", "x_groq"})
