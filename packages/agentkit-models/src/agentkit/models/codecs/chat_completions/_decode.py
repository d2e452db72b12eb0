"""Bytes of a response, cut anywhere, to neutral events."""

from agentkit.core.contracts.llm import CompletionEvent
from agentkit.models.codecs._decoding import MAX_BODY_BYTES, EventStreamDecoder, completion_in
from agentkit.models.codecs.chat_completions._answer import Answer
from agentkit.models.codecs.chat_completions._events import EventReader

__all__ = ["MAX_BODY_BYTES", "ResponseDecoder", "decode_response"]


class ResponseDecoder(EventStreamDecoder):
    """Decodes one successful response of the API, whole or streamed."""

    def _parts(self, *, provider: str, now: float) -> tuple[Answer, EventReader]:
        answer = Answer(provider=provider)
        return answer, EventReader(answer, now=now)


def decode_response(body: bytes, *, provider: str = "", now: float = 0.0) -> CompletionEvent:
    """Give the answer in a whole *body*, streamed or not.

    Raises:
        ProviderError: The body is an error, no answer of this API, or an answer cut short.

    """
    return completion_in(body, ResponseDecoder(provider=provider, now=now))
