"""Whether what concurrent calls gave can have been given one after the other.

The search is Wing and Gong's: of the calls that are left, one that began before any of the others
had ended may have come first; try each, and remember what led nowhere.
"""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

__all__ = ["Call", "History", "Impossible", "is_linearizable"]

State = TypeVar("State")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call: *verb* with *args*, what it gave, and between which two ticks."""

    verb: str
    args: tuple[Any, ...]
    result: Any
    begun: int
    ended: int


class Impossible(Exception):
    """A call cannot have given what it gave in this state."""


class History:
    """Notes calls as they begin and end."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self._ticks = itertools.count()

    async def call(self, verb: str, *args: Any, by: Callable[..., Awaitable[Any]]) -> None:
        """Make the call, *by* something, and note what it gave."""
        begun = next(self._ticks)
        result = await by(*args)
        ended = next(self._ticks)
        self.calls.append(Call(verb=verb, args=args, result=result, begun=begun, ended=ended))


def is_linearizable(
    calls: Sequence[Call], step: Callable[[State, Call], State], *, initial: State
) -> bool:
    """Whether some order of *calls*, in which none precedes one that had ended, explains them all.

    *step* gives the state after a call, or raises `Impossible`; a state is hashable.
    """
    led_nowhere: set[tuple[frozenset[int], State]] = set()

    def explains(left: frozenset[int], state: State) -> bool:
        if not left:
            return True
        if (left, state) in led_nowhere:
            return False
        first_end = min(calls[index].ended for index in left)
        for index in left:
            if calls[index].begun < first_end:
                try:
                    after = step(state, calls[index])
                except Impossible:
                    continue
                if explains(left - {index}, after):
                    return True
        led_nowhere.add((left, state))
        return False

    return explains(frozenset(range(len(calls))), initial)
