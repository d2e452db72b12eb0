"""Bytes of a response, cut anywhere, to neutral events."""

from agentkit.core.contracts.llm import CompletionEvent
from agentkit.models.codecs._decoding import EventStreamDecoder, completion_in
from agentkit.models.codecs.gemini._answer import Answer
from agentkit.models.codecs.gemini._frames import FrameReader

__all__ = ["ResponseDecoder", "decode_response"]


class ResponseDecoder(EventStreamDecoder):
    """Decodes one successful response: whole, as an event stream, or as a list of chunks."""

    def _parts(self, *, provider: str, now: float) -> tuple[Answer, FrameReader]:
        answer = Answer(provider=provider)
        return answer, FrameReader(answer, now=now)


def decode_response(body: bytes, *, provider: str = "", now: float = 0.0) -> CompletionEvent:
    """Give the answer in a whole *body*, streamed or not.

    Raises:
        ProviderError: The body is an error, no answer of this API, or an answer cut short.

    """
    return completion_in(body, ResponseDecoder(provider=provider, now=now))
