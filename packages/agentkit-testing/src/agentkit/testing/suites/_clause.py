"""A clause: one sentence a port promises, with an id that never changes its meaning."""

import inspect
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol, TypeVar

__all__ = ["Clause", "Feature", "Outcome", "clause", "clause_of", "hook", "is_defined"]

_ID = re.compile(r"[A-Z]+(-[A-Z]+)+-\d\d")
_MARK = "__agentkit_clause__"
_NOT_DEFINED = "__agentkit_hook__"

Hook = TypeVar("Hook", bound=Callable[..., Any])


class Feature(StrEnum):
    """What an adapter may honestly not have."""

    TTL = "ttl"
    WHERE = "where"
    TOOLS = "tools"
    STRUCTURED_OUTPUT = "structured output"
    VISION = "vision"
    REASONING = "reasoning"


class Outcome(StrEnum):
    """How one clause ended for one adapter.

    *kept* as written; *refused*, as an adapter that lacks the feature must; *deviates*, as
    declared; *unexercised* for want of a hook; *left out* with the verb it needs; *skipped*, so
    nobody knows; *failed*.
    """

    KEPT = "kept"
    REFUSED = "refused"
    DEVIATES = "deviates"
    UNEXERCISED = "unexercised"
    LEFT_OUT = "left out"
    SKIPPED = "skipped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One sentence of a port's contract, and how to try it.

    It *needs* a feature, or holds only for an adapter that *lacks* or *ignores* one, or needs the
    suite's *hooks*, or an *extra* of the kit. *takes* names its parameters: `adapter` is the
    callable the fixture gives, any other an instance opened for it.
    """

    id: str
    since: str
    name: str
    body: Callable[..., Awaitable[None]]
    takes: tuple[str, ...]
    needs: Feature | None = None
    lacks: Feature | None = None
    ignores: Feature | None = None
    hooks: tuple[str, ...] = ()
    extra: str | None = None

    @property
    def sentence(self) -> str:
        """The method's name as it is read."""
        return self.name.replace("_", " ")

    @property
    def area(self) -> str:
        """The id without its number: `STORE-CAS`."""
        return self.id.rpartition("-")[0]


class _Judge(Protocol):
    def judge(self, clause: Clause, adapter: Any, /) -> None: ...


def clause(
    id_: str,
    /,
    *,
    since: str,
    needs: Feature | None = None,
    lacks: Feature | None = None,
    ignores: Feature | None = None,
    hook: str | tuple[str, ...] = (),
    extra: str | None = None,
) -> Callable[[Callable[..., Awaitable[None]]], Callable[[Any, Any], None]]:
    """Make an async method of a suite the clause *id_*, part of the port since version *since*.

    What pytest collects is a plain function that runs the method in an event loop of its own, so no
    async plugin has a say. ValueError: the id is not like `STORE-CAS-04`.
    """
    if not _ID.fullmatch(id_):
        raise ValueError(f"a clause id is like 'STORE-CAS-04'; got {id_!r}")

    def decorate(body: Callable[..., Awaitable[None]]) -> Callable[[Any, Any], None]:
        made = Clause(
            id=id_,
            since=since,
            name=body.__name__,
            body=body,
            takes=tuple(inspect.signature(body).parameters)[1:],
            needs=needs,
            lacks=lacks,
            ignores=ignores,
            hooks=(hook,) if isinstance(hook, str) else hook,
            extra=extra,
        )
        return _collectable(made)

    return decorate


def clause_of(function: object) -> Clause | None:
    """Give the clause that *function* runs, or None if it is no clause."""
    found = getattr(function, _MARK, None)
    return found if isinstance(found, Clause) else None


def hook(function: Hook) -> Hook:
    """Make a method of a suite a hook: a clause that needs it is not tried until it is defined."""
    setattr(function, _NOT_DEFINED, True)
    return function


def is_defined(function: object) -> bool:
    """Whether *function* is an adapter's own, and not the suite's place for it."""
    return not getattr(function, _NOT_DEFINED, False)


def _collectable(made: Clause) -> Callable[[Any, Any], None]:
    def run(self: _Judge, adapter: Any) -> None:
        __tracebackhide__ = True
        self.judge(made, adapter)

    # Not functools.wraps: pytest would read the body's parameters as fixtures.
    for name in ("__name__", "__qualname__", "__doc__", "__module__"):
        setattr(run, name, getattr(made.body, name))
    setattr(run, _MARK, made)
    run.__test__ = True  # type: ignore[attr-defined]  # collected whatever it is called
    run.place_as = made.body  # type: ignore[attr-defined]  # where pytest says it is
    return run
