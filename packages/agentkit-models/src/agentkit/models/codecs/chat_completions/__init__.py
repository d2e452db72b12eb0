"""The chat-completions API, which most providers speak: neutral values to JSON, bytes to events."""

from agentkit.models.codecs.chat_completions._decode import (
    MAX_BODY_BYTES,
    ResponseDecoder,
    decode_response,
)
from agentkit.models.codecs.chat_completions._dialect import Dialect
from agentkit.models.codecs.chat_completions._encode import encode_request

__all__ = ["MAX_BODY_BYTES", "Dialect", "ResponseDecoder", "decode_response", "encode_request"]
