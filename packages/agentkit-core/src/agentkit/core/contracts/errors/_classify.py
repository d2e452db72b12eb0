"""The verdict on an exception: types first, then status and errno, and text as a last resort."""

import asyncio
import errno
import re
import socket

from agentkit.core.contracts.errors._base import AgentkitError, ErrorClass
from agentkit.core.contracts.errors._control import (
    ApprovalUnavailable,
    Blocked,
    BudgetExhausted,
    Cancelled,
    CircuitOpen,
    EgressDenied,
    MeterExceeded,
    MoneyPrecisionError,
    OutcomeUnknown,
    RunUnfinished,
    Stuck,
)
from agentkit.core.contracts.errors._facts import carried, words_of
from agentkit.core.contracts.errors._providers import ProviderError, UnsupportedOption
from agentkit.core.contracts.errors._stores import (
    CheckpointConflict,
    StoreUnavailable,
    StoreValueError,
)
from agentkit.core.serialization._kinds import is_a

__all__ = ["classify", "classify_status"]

_TRANSIENT_TYPES = (
    CircuitOpen,
    StoreUnavailable,
    TimeoutError,
    ConnectionError,
    socket.gaierror,
    asyncio.IncompleteReadError,
)
_PERMANENT_TYPES = (
    ApprovalUnavailable,
    Blocked,
    BudgetExhausted,
    Cancelled,
    CheckpointConflict,
    EgressDenied,
    MeterExceeded,
    MoneyPrecisionError,
    OutcomeUnknown,
    RunUnfinished,
    StoreValueError,
    Stuck,
    UnsupportedOption,
)
_TRANSIENT_ERRNOS = frozenset(
    {
        errno.ETIMEDOUT,
        errno.EHOSTUNREACH,
        errno.EHOSTDOWN,
        errno.ENETUNREACH,
        errno.ENETDOWN,
        errno.ENETRESET,
        errno.EAGAIN,
    }
)
_TRANSIENT_STATUSES = frozenset({408, 425, 429})
# A mistake in a program says nothing about the weather, whatever words its message has.
_MISTAKES = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    ImportError,
    LookupError,
    NameError,
    NotImplementedError,
    SyntaxError,
    TypeError,
    ValueError,
)
_STATUS_IN_TEXT = re.compile(r"\b(?:status|http|code|error)\b[\s:=/_-]*(?:code\b[\s:=]*)?(\d{3})\b")
_TRANSIENT_TEXT = re.compile(
    r"\b(rate[ _-]limit(ed|s)?|too many requests|overloaded(_error)?|server_error|timeout|timed out"
    r"|temporarily unavailable|service unavailable|bad gateway|connection (reset|aborted|refused)"
    r"|circuit open)\b"
)
_PERMANENT_TEXT = re.compile(
    r"\b(unauthorized|forbidden|invalid (api )?key|invalid request|permission denied|not allowed"
    r"|content filter|validation (error|failed))\b"
)


def classify(exc: BaseException) -> ErrorClass:
    """Give the verdict on retrying what raised *exc*; it never raises.

    An error that carries an `error_class` (every `ProviderError` does) has decided for itself. A
    group is permanent when any member is, and transient only when all are.
    """
    if is_a(exc, BaseExceptionGroup):
        members: tuple[BaseException, ...] = getattr(exc, "exceptions", ())
        return _combined({classify(member) for member in members})
    if isinstance(exc, ProviderError) and exc.error_class is not ErrorClass.UNKNOWN:
        return exc.error_class
    if isinstance(exc, _PERMANENT_TYPES):
        return ErrorClass.PERMANENT
    if isinstance(exc, _TRANSIENT_TYPES) or _passing_errno(exc):
        return ErrorClass.TRANSIENT
    if (status := _status_of(exc)) is not None:
        return classify_status(status)
    return _classify_text(words_of(exc).lower()) if _text_counts(exc) else ErrorClass.UNKNOWN


def classify_status(status: int) -> ErrorClass:
    """Give the verdict on an HTTP *status*: 408, 425, 429 and 5xx may pass, other 4xx will not."""
    if status in _TRANSIENT_STATUSES or 500 <= status < 600:  # noqa: PLR2004 - the class of 5xx
        return ErrorClass.TRANSIENT
    if 400 <= status < 500:  # noqa: PLR2004 - the class of 4xx
        return ErrorClass.PERMANENT
    return ErrorClass.UNKNOWN


def _passing_errno(exc: BaseException) -> bool:
    return isinstance(exc, OSError) and exc.errno in _TRANSIENT_ERRNOS


def _text_counts(exc: BaseException) -> bool:
    """Whether the words of *exc* may decide: only for a foreign error that no type tells about."""
    return isinstance(exc, Exception) and not isinstance(exc, (AgentkitError, OSError, *_MISTAKES))


def _combined(verdicts: set[ErrorClass]) -> ErrorClass:
    if ErrorClass.PERMANENT in verdicts:
        return ErrorClass.PERMANENT
    if verdicts == {ErrorClass.TRANSIENT}:
        return ErrorClass.TRANSIENT
    return ErrorClass.UNKNOWN


def _status_of(exc: BaseException) -> int | None:
    """Give the HTTP status that *exc* carries, under the names that client libraries use."""
    response = carried(exc, "response")
    for holder, name in ((exc, "status"), (exc, "status_code"), (response, "status_code")):
        status = carried(holder, name)
        if isinstance(status, int) and not isinstance(status, bool):
            return status
    return None


def _classify_text(text: str) -> ErrorClass:
    if match := _STATUS_IN_TEXT.search(text):
        verdict = classify_status(int(match[1]))
        if verdict is not ErrorClass.UNKNOWN:
            return verdict
    if _TRANSIENT_TEXT.search(text):
        return ErrorClass.TRANSIENT
    if _PERMANENT_TEXT.search(text):
        return ErrorClass.PERMANENT
    return ErrorClass.UNKNOWN
