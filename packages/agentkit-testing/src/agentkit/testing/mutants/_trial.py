"""The trial of one adapter: reference or mutant, one clause at a time, without pytest."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import pytest

from agentkit.testing.mutants._backend import Backend
from agentkit.testing.mutants._reference import (
    IgnoringStore,
    LackingStore,
    ReferenceCheckpoints,
    ReferenceStore,
)
from agentkit.testing.suites import CheckpointSuite, Feature, Opener, StoreSuite, Suite

__all__ = ["MUTANTS", "Mutant", "breaks", "faults_of", "trial_of"]

T = TypeVar("T", bound=type)

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


def breaks(*clauses: str) -> Callable[[T], T]:
    """Enter a class among the mutants, as one that breaks *clauses*."""

    def enter(adapter: T) -> T:
        MUTANTS.append(Mutant(adapter=adapter, breaks=clauses))
        return adapter

    return enter


class _Trial(Suite):
    """The hooks, over a backend in this process."""

    kind: type

    def bind(self) -> Opener:
        """Give the adapter on a fresh backend."""
        self.server = Backend()
        return self._opener("one")

    async def advance(self, seconds: float) -> None:
        """Turn the backend's clock."""
        self.server.now += seconds

    def other_namespace(self) -> Opener:
        """Give the adapter on the same backend under another name."""
        return self._opener("other")

    async def break_connection(self) -> None:
        """Pull the cable."""
        self.server.is_up = False

    async def restore(self) -> None:
        """Plug it in again."""
        self.server.is_up = True

    def _opener(self, namespace: str) -> Opener:
        @asynccontextmanager
        async def opened() -> AsyncGenerator[Any]:
            adapter = self.kind(self.server, namespace)
            try:
                yield adapter
            finally:
                await adapter.close()

        return opened


class _StoreTrial(_Trial, StoreSuite): ...


class _LackingTrial(_Trial, StoreSuite, lacks={Feature.TTL}): ...


class _IgnoringTrial(_Trial, StoreSuite, ignores={Feature.TTL}): ...


class _CheckpointTrial(_Trial, CheckpointSuite): ...


_TRIALS: dict[type, type[_Trial]] = {
    LackingStore: _LackingTrial,
    IgnoringStore: _IgnoringTrial,
    ReferenceStore: _StoreTrial,
    ReferenceCheckpoints: _CheckpointTrial,
}


def trial_of(adapter: type) -> type[Suite]:
    """Give the suite that *adapter*, a reference or made from one, is asked to keep."""
    return next(trial for base, trial in _TRIALS.items() if issubclass(adapter, base))


def faults_of(adapter: type, *clauses: str) -> list[str]:
    """Give the ids, of *clauses* or of all that are asked, that *adapter* breaks."""
    trial = trial_of(adapter)
    return [id_ for id_ in clauses or trial.required() if not _keeps(adapter, id_)]


def _keeps(adapter: type, id_: str) -> bool:
    case: Any = trial_of(adapter)()
    case.kind = adapter
    if adapter not in _TRIALS:
        case.patience = _SHORT
    try:
        case.judge(case.clauses[id_], case.bind())
    except pytest.skip.Exception as exc:
        raise LookupError(f"{id_} was not tried: {exc}") from exc
    except (Exception, pytest.fail.Exception):  # noqa: BLE001  # whatever shows the fault
        return False
    return True
