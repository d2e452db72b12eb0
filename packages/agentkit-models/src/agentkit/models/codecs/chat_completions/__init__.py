"""The chat-completions API, which most providers speak: neutral values to JSON, bytes to events."""

from agentkit.models.codecs.chat_completions._decode import (
    MAX_BODY_BYTES,
    ResponseDecoder,
    decode_response,
)

__all__ = ["MAX_BODY_BYTES", "ResponseDecoder", "decode_response"]
