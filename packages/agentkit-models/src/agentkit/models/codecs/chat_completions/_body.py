"""A whole body into an answer."""

from typing import Any

from agentkit.core.contracts.errors import ErrorClass
from agentkit.core.contracts.llm import ReasoningDelta, TextDelta
from agentkit.models.codecs._errors import error_in, malformed, stream_error
from agentkit.models.codecs._json import as_dict, as_list, load
from agentkit.models.codecs.chat_completions._answer import Answer

__all__ = ["index_of", "read_body", "take_end"]


def read_body(data: bytes, answer: Answer, *, now: float) -> list[TextDelta | ReasoningDelta]:
    """Read the body *data* into *answer*, and give what of it a reader sees.

    Raises:
        ProviderError: The body is an error, or no answer of this API.

    """
    text = data.decode(errors="replace").strip()
    try:
        body = load(text)
    except ValueError:
        raise malformed(text) from None
    if error := error_in(body, now=now):
        raise error
    choices = [choice for choice in as_list(as_dict(body).get("choices")) if as_dict(choice)]
    if not choices:
        raise malformed(text)
    choice: dict[str, Any] = min(choices, key=index_of)
    answer.read_facts(body)
    seen = answer.add(as_dict(choice.get("message")), whole=True)
    take_end(choice, answer, now=now)
    return seen


def index_of(choice: dict[str, Any]) -> int:
    """Give the place of *choice* among the choices; the first where it does not say."""
    index = choice.get("index")
    return index if type(index) is int else 0


def take_end(choice: dict[str, Any], answer: Answer, *, now: float) -> None:
    """Take from *choice* why the answer ended.

    Raises:
        ProviderError: It ended in an error.

    """
    if error := error_in({"error": choice.get("error"), "choices": []}, now=now):
        raise error
    reason = choice.get("finish_reason")
    if reason == "error":
        raise stream_error(
            "error", "the provider ended the answer with an error", ErrorClass.TRANSIENT
        )
    if isinstance(reason, str) and (reason or answer.finish_reason is None):
        answer.finish_reason = reason
