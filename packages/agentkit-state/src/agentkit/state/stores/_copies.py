"""A private copy of plain data, made to be copied again and again."""

from __future__ import annotations

from collections.abc import Callable
from types import NoneType
from typing import Any

from agentkit.core.serialization import FrozenDict, FrozenList

__all__ = ["MasterCopy"]

# A part is what a container is copied from. Where none of its items is a container, that is the
# container itself, whose `copy` does it all; else a tuple of a frame, which has parts in the places
# of containers, and of those places: None where all of them are.
_Part = Any

_LEAVES = frozenset({str, int, float, bool, NoneType})
_LONG = 16
"""From how many items on it pays to ask for all their types at once."""


class MasterCopy:
    """Dicts and lists that nobody else holds, and mutable copies of them for the asking.

    A copy shares nothing that can change with anything, and costs a fraction of what looking
    through the data did: where the containers are is known.
    """

    __slots__ = ("_part",)

    def __init__(self, part: _Part) -> None:
        self._part = part

    @classmethod
    def of(cls, value: Any) -> MasterCopy | None:
        """Give a master copy of *value*: dicts and lists, plain or frozen, of text and numbers.

        None where *value* is something else, holds something else, or cannot be followed to its
        end.
        """
        try:
            return cls(_PARTS[type(value)](value))
        except (KeyError, RecursionError):  # KeyError: a type that is in neither table
            return None

    def copy(self) -> Any:
        """Give a mutable copy."""
        return _copied(self._part)


def _copied(part: _Part) -> Any:
    return _filled(part) if part.__class__ is tuple else part.copy()


def _filled(part: tuple[Any, list[Any] | None]) -> Any:
    frame, places = part
    item: Any
    if places is None:
        return [_filled(item) if item.__class__ is tuple else item.copy() for item in frame]
    copied = frame.copy()
    for place in places:
        item = copied[place]
        copied[place] = _filled(item) if item.__class__ is tuple else item.copy()
    return copied


def _part_of_dict(value: dict[Any, object]) -> _Part:
    frame = value.copy()
    places: list[Any] | None = None
    for key, item in value.items():
        kind = type(item)
        if kind is str or kind in _LEAVES:
            continue
        frame[key] = _PARTS[kind](item)
        if places is None:
            places = []
        places.append(key)
    return frame if places is None else (frame, places)


def _part_of_list(value: list[object]) -> _Part:
    if len(value) >= _LONG:
        kinds = set(map(type, value))
        if kinds <= _LEAVES:
            return value.copy()
        if len(kinds) == 1:
            make = _PARTS[kinds.pop()]
            return [make(item) for item in value], None
    for item in value:
        if type(item) not in _LEAVES:
            return _part_of_mixed_list(value)
    return value.copy()


def _part_of_mixed_list(value: list[object]) -> _Part:
    frame = value.copy()
    places: list[int] = []
    for index, item in enumerate(value):
        kind = type(item)
        if kind not in _LEAVES:
            frame[index] = _PARTS[kind](item)
            places.append(index)
    return frame, places


_PARTS: dict[type, Callable[[Any], _Part]] = {
    dict: _part_of_dict,
    list: _part_of_list,
    FrozenDict: lambda value: _part_of_dict(dict(value)),
    FrozenList: lambda value: _part_of_list(list(value)),
}
_CONTAINERS = frozenset(_PARTS)
