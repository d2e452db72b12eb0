"""Anthropic's messages API, whoever serves it: neutral values to JSON, bytes to events."""

from agentkit.models.codecs.anthropic_messages._decode import ResponseDecoder, decode_response
from agentkit.models.codecs.anthropic_messages._dialect import Dialect
from agentkit.models.codecs.anthropic_messages._encode import encode_request

__all__ = ["Dialect", "ResponseDecoder", "decode_response", "encode_request"]
