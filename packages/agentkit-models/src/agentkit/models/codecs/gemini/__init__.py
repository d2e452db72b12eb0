"""The Gemini API, of Google AI and of Vertex AI: neutral values to JSON, bytes to events."""

from agentkit.models.codecs.gemini._decode import ResponseDecoder, decode_response
from agentkit.models.codecs.gemini._encode import (
    encode_count,
    encode_request,
    needs_schema_in_words,
)

__all__ = [
    "ResponseDecoder",
    "decode_response",
    "encode_count",
    "encode_request",
    "needs_schema_in_words",
]
