"""What a test tells a model's backend to answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from agentkit.core.contracts.errors import (
    ErrorClass,
    Failure,
    ProviderAuthError,
    ProviderError,
    classify_status,
)
from agentkit.core.testing import Turn

__all__ = ["Cut", "Ending", "Played", "failing", "provider_error"]

Ending = Literal["reset", "close", "hang"]
"""The connection breaks; or the answer ends in order, too early; or nothing more comes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """An answer of which no more than the first *after* bytes arrive, and what happens *then*."""

    turn: Turn
    after: int
    then: Ending = "reset"


Played: TypeAlias = "Turn | Failure | Cut"
"""One answer of a backend: a turn, a failure, or a turn that is cut."""

_STATUSES = {ErrorClass.TRANSIENT: 503, ErrorClass.PERMANENT: 400, ErrorClass.UNKNOWN: 418}


def failing(
    status: int = 503,
    *,
    message: str = "the backend says no",
    code: str | None = None,
    error_type: str | None = None,
    retry_after: float | None = None,
    after: str = "",
) -> Failure:
    """Give the failure that a backend tells of with *status*, once it has said *after*."""
    category = classify_status(status)
    kind = ProviderAuthError if status in {401, 403} else ProviderError
    cause = kind(
        message,
        status=status,
        code=code,
        error_type=error_type,
        retry_after=retry_after,
        error_class=category,
    )
    return Failure(
        category, "backend", message, category is ErrorClass.TRANSIENT, cause, after or None
    )


def provider_error(failure: Failure) -> ProviderError:
    """Give what a backend has to say of *failure*: its cause, or an error of its category."""
    if isinstance(failure.cause, ProviderError):
        return failure.cause
    return ProviderError(
        failure.message, status=_STATUSES[failure.category], error_class=failure.category
    )
