"""Trying again for as long as each failure is a new one."""

import inspect
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Literal, Protocol, TypeVar

from agentkit.core.contracts.errors import ErrorClass, Failure, Stuck
from agentkit.core.execution._checks import check_count
from agentkit.core.serialization import stable_hash

__all__ = ["attempt_until_stuck"]

R = TypeVar("R")

_SOURCE = "attempt_until_stuck"


class _Cancellable(Protocol):
    def check_cancelled(self) -> None: ...


async def attempt_until_stuck(
    fn: Callable[[], Awaitable[R]],
    *,
    fingerprint: Callable[[R], Any],
    on_repeat: Literal["escalate", "stop"] = "escalate",
    max_attempts: int = 4,
    ctx: _Cancellable | None = None,
) -> R | Failure:
    """Give the first outcome of *fn* whose *fingerprint* (sync or async) is None: that is success.

    Any other fingerprint is the signature of a failure. A signature that was seen before, in
    whichever attempt, ends the run: it is permanent. After *max_attempts* different ones, what
    comes back is a retriable `Failure` that carries the last outcome. What *fn* and *fingerprint*
    raise leaves as it is. *ctx* is asked for cancellation before every attempt.

    Raises:
        Stuck: A failure repeated, with `on_repeat="escalate"`; with "stop" its `failure` is
            returned instead.
        Cancelled: *ctx* is cancelled.
        TypeError: *max_attempts* is no whole number.
        ValueError: *max_attempts* is less than 1, or *on_repeat* is neither of the two.

    """
    _check(on_repeat, max_attempts)
    seen = _Signatures()
    outcome: R | None = None
    for attempt in range(1, max_attempts + 1):
        if ctx is not None:
            ctx.check_cancelled()
        outcome = await fn()
        signature = fingerprint(outcome)
        if inspect.isawaitable(signature):
            signature = await signature
        if signature is None:
            return outcome
        earlier = seen.earlier(signature, attempt)
        if earlier is None:
            continue
        failure = _repeated(outcome, earlier, attempt)
        if on_repeat == "stop":
            return failure
        raise Stuck(failure)
    return _spent(outcome, max_attempts)


class _Signatures:
    """The signatures so far, and the attempt that each came with.

    A hash only nominates (it tells `1` from `True`), and equality decides. A signature that cannot
    be hashed is compared with every other one.
    """

    def __init__(self) -> None:
        self._hashed: dict[str, list[tuple[Any, int]]] = {}
        self._unhashed: list[tuple[Any, int]] = []

    def earlier(self, signature: Any, attempt: int) -> int | None:
        """Give the attempt that had an equal *signature*, else note it for *attempt*."""
        key = _hash(signature)
        for known, number in self._candidates(key):
            if _equal(known, signature):
                return number
        noted = self._unhashed if key is None else self._hashed.setdefault(key, [])
        noted.append((signature, attempt))
        return None

    def _candidates(self, key: str | None) -> Iterator[tuple[Any, int]]:
        yield from self._unhashed
        if key is not None:
            yield from self._hashed.get(key, ())
            return
        for bucket in self._hashed.values():
            yield from bucket


def _hash(signature: Any) -> str | None:
    try:
        return stable_hash(signature)
    except Exception:  # noqa: BLE001 - whatever keeps it from being hashed, it can be compared
        return None


def _equal(one: Any, other: Any) -> bool:
    if one is other:
        return True
    try:
        return (one == other) is True
    except Exception:  # noqa: BLE001 - "you go in circles" needs proof, and this is none
        return False


def _repeated(outcome: Any, earlier: int, attempt: int) -> Failure:
    return Failure(
        category=ErrorClass.PERMANENT,
        source=_SOURCE,
        message=f"attempt {attempt} failed as attempt {earlier} did, "
        f"after {attempt - 1} different failures",
        retriable=False,
        partial_output=outcome,
    )


def _spent(outcome: Any, attempts: int) -> Failure:
    return Failure(
        category=ErrorClass.UNKNOWN,
        source=_SOURCE,
        message=f"{attempts} attempts failed, each in a way of its own",
        retriable=True,
        partial_output=outcome,
    )


def _check(on_repeat: str, max_attempts: int) -> None:
    if on_repeat not in {"escalate", "stop"}:
        raise ValueError(f"on_repeat is escalate or stop; got {on_repeat!r}")
    check_count("max_attempts", max_attempts, at_least=1)
