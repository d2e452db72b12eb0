"""The errors of a stream that broke off, or that holds what it should not."""

from agentkit.core.contracts.errors import ErrorClass, ProviderError
from agentkit.models.codecs._errors import error_in, malformed, stream_error
from agentkit.models.codecs._json import load

__all__ = ["cut_short", "undecodable"]


def cut_short(stray: str, *, missing: str, saw_frame: bool, now: float) -> ProviderError:
    """Give the error of a stream that ended too early.

    *missing* is the mark that did not come. *stray* is what came outside of the format: an error
    that a server wrote there, or all of an answer that is none of this API unless *saw_frame*.
    """
    if not stray:
        what = f"the stream ended without {missing}"
        return stream_error("incomplete_stream", what, ErrorClass.TRANSIENT)
    try:
        error = error_in(load(stray), now=now)
    except ValueError:
        error = None
    if error or not saw_frame:
        return error or malformed(stray)
    what = f"the stream ended in {stray[:200]!r}"
    return stream_error("incomplete_stream", what, ErrorClass.TRANSIENT)


def undecodable(text: str, *, event: str = "") -> ProviderError:
    """Give the error of a frame that is no JSON object: cut off, or foreign."""
    if event == "error":
        return stream_error("error", text[:4000], ErrorClass.UNKNOWN)
    return stream_error(
        "undecodable_event",
        f"an event is no JSON object: {text[:200]!r}",
        ErrorClass.TRANSIENT,
    )
