"""What providers speak, without I/O: neutral values to JSON, bytes in any chunking to events."""

from agentkit.models.codecs._errors import error_from_response, raise_if_error_frame
from agentkit.models.codecs._ndjson import NdjsonParser
from agentkit.models.codecs._sse import ServerSentEvent, ServerSentEventParser

__all__ = [
    "NdjsonParser",
    "ServerSentEvent",
    "ServerSentEventParser",
    "error_from_response",
    "raise_if_error_frame",
]
