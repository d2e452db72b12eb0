"""Ollama's chat API: neutral values to JSON, bytes to events."""

from agentkit.models.codecs.ollama_chat._decode import ResponseDecoder, decode_response
from agentkit.models.codecs.ollama_chat._encode import encode_request

__all__ = ["ResponseDecoder", "decode_response", "encode_request"]
