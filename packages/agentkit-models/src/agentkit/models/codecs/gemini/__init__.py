"""The Gemini API, of Google AI and of Vertex AI: neutral values to JSON, bytes to events."""

from agentkit.models.codecs.gemini._decode import ResponseDecoder, decode_response

__all__ = ["ResponseDecoder", "decode_response"]
