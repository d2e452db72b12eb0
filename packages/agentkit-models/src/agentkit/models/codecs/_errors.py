"""What went wrong, from a status and a body, or from a frame inside a successful answer."""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from math import isfinite
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from agentkit.core.contracts.errors import (
    ErrorClass,
    ProviderAuthError,
    ProviderError,
    classify_status,
)
from agentkit.core.serialization import deep_freeze
from agentkit.models.codecs._json import as_dict, as_list, as_text, is_dict, is_list, load
from agentkit.models.codecs._retry_after import retry_after_in_body, retry_after_in_headers

__all__ = [
    "answer_in",
    "error_from_response",
    "error_in",
    "frozen",
    "kept",
    "malformed",
    "raise_if_error_frame",
    "request_id_in",
    "stream_error",
]

_MAX_MESSAGE = 4_000

_AUTH_WORDS = frozenset(
    {
        "account_deactivated",
        "authentication_error",
        "billing_error",
        "billing_not_active",
        "insufficient_quota",
        "invalid_api_key",
        "permission_denied",
        "permission_error",
        "unauthenticated",
        "unauthorized",
    }
)
_TRANSIENT_WORDS = frozenset(
    {
        "aborted",
        "api_error",
        "deadline_exceeded",
        "internal",
        "internal_error",
        "internal_server_error",
        "overloaded",
        "overloaded_error",
        "rate_limit_error",
        "rate_limit_exceeded",
        "resource_exhausted",
        "server_error",
        "service_unavailable",
        "service_unavailable_error",
        "timeout",
        "timeout_error",
        "too_many_requests",
        "unavailable",
    }
)
_PERMANENT_WORDS = frozenset(
    {
        "content_filter",
        "context_length_exceeded",
        "failed_precondition",
        "invalid_argument",
        "invalid_request_error",
        "model_not_found",
        "not_found",
        "not_found_error",
        "request_too_large",
        "tool_use_failed",
        "unimplemented",
    }
)
_DECIDED_BY_WORD = frozenset(
    {
        "account_deactivated",
        "api_key_invalid",
        "billing_not_active",
        "insufficient_quota",
        "invalid_api_key",
    }
)
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_NO_WORDS = frozenset({"", "null", "{}", "[]", '""'})
_TOO_DEEP = (
    "malformed_response",
    "a part of the answer nests too deeply",
    ErrorClass.PERMANENT,
)
_AUTH_STATUSES = frozenset({401, 403})


@dataclass(frozen=True, slots=True)
class _Facts:
    """What an error body says."""

    message: str = ""
    error_type: str | None = None
    code: str | None = None
    status: int | None = None
    request_id: str | None = None
    retry_after: float | None = None
    reason: str | None = None

    @property
    def words(self) -> set[str]:
        return {word.lower() for word in (self.error_type, self.code, self.reason) if word}


def error_from_response(
    status: int, body: bytes, *, headers: Mapping[str, str], provider: str = "", now: float = 0.0
) -> ProviderError:
    """Give the error that an HTTP answer of *status* tells of.

    *headers* have lower-case names. *now* is the time in seconds since the epoch, for an answer
    without a date of its own.
    """
    facts = _facts_of(_load_or_none(body), now=now)
    retry_after = retry_after_in_headers(headers, now=now)
    error_class, is_auth = _verdict(status, facts)
    text = _moved(status, headers) or facts.message or _words_of(body) or _name_of(status)
    return _make(
        f"{_label(status, error_class, is_auth=is_auth)}: {text[:_MAX_MESSAGE]}",
        facts,
        is_auth=is_auth,
        status=status,
        request_id=request_id_in(headers) or facts.request_id,
        retry_after=facts.retry_after if retry_after is None else retry_after,
        provider=provider,
        error_class=error_class,
    )


def _moved(status: int, headers: Mapping[str, str]) -> str:
    """Give where a redirect leads, without what may be a credential, and what to do about it."""
    if status not in _REDIRECTS:
        return ""
    try:
        to = urlsplit(headers.get("location", ""))
        host = to.netloc.rpartition("@")[2]
        place = urlunsplit((to.scheme, host, to.path, "", ""))
    except ValueError:
        place = ""
    return f"redirected to {place or 'somewhere else'}; set base_url"


def _words_of(body: bytes) -> str:
    """Give *body* as it is, unless it says nothing."""
    text = body[: _MAX_MESSAGE * 4].decode(errors="replace")
    return "" if text.strip() in _NO_WORDS else text


def _name_of(status: int) -> str:
    try:
        return f"{HTTPStatus(status).phrase} (no body)"
    except ValueError:
        return "no body"


def error_in(
    frame: Any, *, event: str = "", provider: str = "", now: float = 0.0
) -> ProviderError | None:
    """Give the error that *frame*, an object in a successful answer, tells of; None for none."""
    if not _is_error(frame, event):
        return None
    facts = _facts_of(frame, now=now)
    error_class, is_auth = _verdict(facts.status, facts)
    kind = f" [{facts.error_type}]" if facts.error_type else ""
    code = f" (code {facts.code})" if facts.code else ""
    return _make(
        f"provider stream error{kind}{code}: {facts.message[:_MAX_MESSAGE] or 'no message'}",
        facts,
        is_auth=is_auth,
        status=facts.status,
        request_id=facts.request_id,
        retry_after=facts.retry_after,
        provider=provider,
        error_class=error_class,
    )


def answer_in(body: bytes, *, now: float) -> dict[str, Any]:
    """Give the object that *body*, a successful answer, is; an empty one where it is none.

    Raises:
        ProviderError: It is an error all the same.

    """
    said = _load_or_none(body)
    if error := error_in(said, now=now):
        raise error
    return as_dict(said)


def raise_if_error_frame(frame: Any) -> None:
    """Return unless *frame*, one decoded event of a stream, is an error.

    Raises:
        ProviderError: It is; the error has the provider's type, code and message.

    """
    if error := error_in(frame):
        raise error


def stream_error(kind: str, message: str, error_class: ErrorClass) -> ProviderError:
    """Give the error of an answer that broke the format: *kind* becomes its `error_type`."""
    return ProviderError(
        f"provider stream error [{kind}]: {message}",
        error_type=kind,
        error_class=error_class,
    )


def frozen(value: Any) -> Any:
    """Give *value*, a part of an answer that is kept as it is, frozen.

    Raises:
        ProviderError: It nests deeper than any answer does.

    """
    try:
        return deep_freeze(value)
    except ValueError:
        raise stream_error(*_TOO_DEEP) from None


def kept(value: Any) -> Any:
    """Give *value* frozen, with null, as JavaScript has it, for a number that JSON has not.

    Python reads `1e999` and `NaN`, and a message that holds them could not be stored.

    Raises:
        ProviderError: It nests deeper than any answer does.

    """
    try:
        return frozen(_finite(value))
    except RecursionError:
        raise stream_error(*_TOO_DEEP) from None


def malformed(text: str) -> ProviderError:
    """Give the error of a successful answer that is none of this API: mostly a wrong base URL."""
    return stream_error(
        "malformed_response",
        f"the answer is none of this API; check the base URL. It begins: {text[:200]!r}",
        ErrorClass.PERMANENT,
    )


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if isfinite(value) else None
    if is_dict(value):
        return {name: _finite(item) for name, item in value.items()}
    return [_finite(item) for item in value] if is_list(value) else value


def _make(message: str, facts: _Facts, *, is_auth: bool, **known: Any) -> ProviderError:
    kind = ProviderAuthError if is_auth else ProviderError
    return kind(message, error_type=facts.error_type, code=facts.code, **known)


def _verdict(status: int | None, facts: _Facts) -> tuple[ErrorClass, bool]:
    """Give the class, and whether the credential is at fault: by the status, else by the words."""
    words = facts.words
    if status in _AUTH_STATUSES or words & _DECIDED_BY_WORD:
        return ErrorClass.PERMANENT, True
    if status is not None:
        by_status = classify_status(status)
        return (ErrorClass.PERMANENT if by_status is ErrorClass.UNKNOWN else by_status), False
    if words & _AUTH_WORDS:
        return ErrorClass.PERMANENT, True
    if words & _PERMANENT_WORDS:
        return ErrorClass.PERMANENT, False
    return (ErrorClass.TRANSIENT if words & _TRANSIENT_WORDS else ErrorClass.UNKNOWN), False


def _label(status: int, error_class: ErrorClass, *, is_auth: bool) -> str:
    if is_auth:
        return f"provider auth error (status {status}; unauthorized/forbidden)"
    if error_class is ErrorClass.TRANSIENT:
        return f"provider transient error (status {status}; rate limit/overloaded)"
    return f"provider invalid request (status {status})"


def _is_error(frame: Any, event: str) -> bool:
    if not is_dict(frame):
        return event == "error"
    if frame.get("error") or frame.get("errors") or event == "error":
        return True
    if frame.get("type") == "error" or frame.get("object") == "error":
        return True
    return "choices" not in frame and bool(frame.get("detail") or frame.get("message"))


def _facts_of(body: Any, *, now: float) -> _Facts:
    """Read an error body in any of the envelopes in use."""
    if is_list(body) and body:
        body = body[0]
    if not is_dict(body):
        return _Facts(body if isinstance(body, str) else "")
    inner = body.get("error") or next(iter(as_list(body.get("errors"))), body.get("detail"))
    error = inner if is_dict(inner) else body
    code = _as_code(error.get("code"))
    return _Facts(
        message=_message(error, inner),
        error_type=_error_type(error),
        code=code,
        status=_status(error, code),
        request_id=as_text(body.get("request_id")) or None,
        retry_after=retry_after_in_body(error, now=now),
        reason=_reason(error),
    )


def _reason(error: dict[str, Any]) -> str | None:
    """Give the reason in an `ErrorInfo` detail: with a bad key Google's status is 400."""
    details = map(as_dict, as_list(error.get("details")))
    return next((as_text(detail.get("reason")) for detail in details if detail.get("reason")), None)


def _error_type(error: dict[str, Any]) -> str | None:
    kind = as_text(error.get("type")) or as_text(error.get("status"))
    return kind if kind and kind != "error" else None


def _message(error: dict[str, Any], inner: Any) -> str:
    if isinstance(inner, str):
        return inner
    for name in ("message", "detail", "msg", "error"):
        value = error.get(name)
        if isinstance(value, str) and value:
            return value
    details = [as_text(as_dict(item).get("msg")) for item in as_list(error.get("detail"))]
    return "; ".join(filter(None, details))


def _as_code(value: Any) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int | str) or value == "":
        return None
    return str(value)


def _status(error: dict[str, Any], code: str | None) -> int | None:
    """Give the HTTP status that an error names in its body."""
    for value in (error.get("status_code"), error.get("status"), code):
        text = str(value)
        if text.isascii() and text.isdigit() and len(text) == 3 and text >= "400":  # noqa: PLR2004
            return int(text)
    return None


def request_id_in(headers: Mapping[str, str]) -> str | None:
    """Give what the provider calls the request, in *headers* with lower-case names, or None."""
    for name in ("x-request-id", "request-id", "apim-request-id", "x-ms-request-id", "cf-ray"):
        if value := headers.get(name):
            return value
    return None


def _load_or_none(body: bytes) -> Any:
    try:
        return load(body)
    except ValueError:
        return None
