"""The trial of one adapter: reference or mutant, one clause at a time, without pytest."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import pytest

from agentkit.testing.suites import Opener, Suite

__all__ = [
    "MUTANTS",
    "REFERENCES",
    "Mutant",
    "Trial",
    "breaks",
    "faults_of",
    "trial_of",
    "tries",
]

T = TypeVar("T", bound=type)
TrialT = TypeVar("TrialT", bound="type[Trial]")

_SHORT = 0.5
"""Seconds after which a mutant is said to hang; some do, by design."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """An adapter with one fault, and the clauses that must notice it."""

    adapter: type
    breaks: tuple[str, ...]

    @property
    def name(self) -> str:
        """What the adapter's class is called, which says what it does."""
        return self.adapter.__name__


MUTANTS: list[Mutant] = []
"""Every mutant, in the order of the modules that hold them."""

REFERENCES: "dict[type, type[Trial]]" = {}
"""The correct adapters that mutants are made from, each with the suite that tries it."""


def breaks(*clauses: str) -> Callable[[T], T]:
    """Enter a class among the mutants, as one that breaks *clauses*."""

    def enter(adapter: T) -> T:
        MUTANTS.append(Mutant(adapter=adapter, breaks=clauses))
        return adapter

    return enter


class Trial(Suite):
    """A suite applied to whatever class it is told to try."""

    kind: type

    def bind(self) -> Opener:
        """Give the adapter on a fresh backend."""
        self.prepare()
        return self.opener()

    def prepare(self) -> None:
        """Make what the instances of one case share."""

    def opener(self) -> Opener:
        """Give what opens one more instance."""

        @asynccontextmanager
        async def opened() -> AsyncGenerator[Any]:
            yield self.make()

        return opened

    def make(self) -> Any:
        """Make an instance."""
        return self.kind()


def tries(reference: type) -> Callable[[TrialT], TrialT]:
    """Enter a trial as the one of *reference* and of the mutants made from it."""

    def enter(trial: TrialT) -> TrialT:
        REFERENCES[reference] = trial
        return trial

    return enter


def trial_of(adapter: type) -> type[Trial]:
    """Give the suite that *adapter*, a reference or made from one, is asked to keep."""
    return next(REFERENCES[base] for base in adapter.__mro__ if base in REFERENCES)


def faults_of(adapter: type, *clauses: str) -> list[str]:
    """Give the ids, of *clauses* or of all that are asked, that *adapter* breaks.

    LookupError: one of them could not be tried.
    """
    trial = trial_of(adapter)
    return [id_ for id_ in clauses or trial.required() if not _keeps(adapter, id_)]


def _keeps(adapter: type, id_: str) -> bool:
    case = trial_of(adapter)()
    case.kind = adapter
    clause = case.clauses[id_]
    if adapter not in REFERENCES and clause.extra is None:
        case.patience = _SHORT
    try:
        case.judge(clause, case.bind())
    except pytest.skip.Exception as exc:
        raise LookupError(f"{id_} was not tried: {exc}") from exc
    except (Exception, pytest.fail.Exception):  # noqa: BLE001  # whatever shows the fault
        return False
    return True
