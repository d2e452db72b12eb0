"""Bytes of a response, cut anywhere, to neutral events."""

from agentkit.core.contracts.llm import CompletionEvent
from agentkit.models.codecs._decoding import MAX_BODY_BYTES, EventStreamDecoder
from agentkit.models.codecs._sse import MAX_EVENT_BYTES
from agentkit.models.codecs.anthropic_messages._answer import Answer
from agentkit.models.codecs.anthropic_messages._events import EventReader

__all__ = ["ResponseDecoder", "decode_response"]


class ResponseDecoder(EventStreamDecoder):
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
        answer = Answer(provider=provider)
        super().__init__(
            answer,
            EventReader(answer, now=now),
            provider=provider,
            max_event_bytes=max_event_bytes,
            max_body_bytes=max_body_bytes,
        )


def decode_response(body: bytes, *, provider: str = "", now: float = 0.0) -> CompletionEvent:
    """Give the answer in a whole *body*, streamed or not.

    Raises:
        ProviderError: The body is an error, no answer of this API, or an answer cut short.

    """
    decoder = ResponseDecoder(provider=provider, now=now)
    events = [*decoder.feed(body), *decoder.close()]
    return next(event for event in events if isinstance(event, CompletionEvent))
