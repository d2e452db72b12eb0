"""Containers that refuse mutation and still are the dict and list every consumer expects.

A frozen dataclass that holds a plain dict can be rewritten through it. `deep_freeze` closes that:
it copies a payload into `FrozenDict` and `FrozenList`, which serialise, compare, copy and pickle
like the containers they derive from. What a subclass of `dict` or `list` cannot close is what
writes through the base type: its unbound methods (`dict.__setitem__(frozen, …)`), and C code that
takes any list, such as `heapq`: give those a copy, `list(frozen)`.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from itertools import chain, repeat
from types import NoneType
from typing import TYPE_CHECKING, Any, NoReturn, SupportsIndex, TypeVar

from agentkit.core.serialization._kinds import is_a, kind_of

__all__ = ["FrozenDict", "FrozenList", "deep_freeze", "freeze_shell"]

K = TypeVar("K")
V = TypeVar("V")
_Refused = Callable[..., NoReturn]

_REFUSAL = (
    "This payload belongs to a frozen value and cannot be mutated in place. "
    "Build a new value with dataclasses.replace, from an editable copy: dict(payload) or "
    "list(payload)."
)


def _refuse(_self: object, *_args: Any, **_kwargs: Any) -> NoReturn:
    raise TypeError(_REFUSAL)


class FrozenDict(dict[K, V]):
    """A dict, frozen at every level: whatever would change it raises `TypeError`.

    Values are frozen on the way in (see `deep_freeze`). `dict(frozen)` is a mutable copy of the
    top level. Like any dict it cannot be hashed. What writes through the base type is not stopped:
    `dict.update(frozen, …)`, and C code that takes any dict.
    """

    __slots__ = ()

    if not TYPE_CHECKING:  # the type checkers keep the constructors of dict

        def __new__(cls, *args: Any, **kwargs: Any) -> FrozenDict[K, V]:
            self = dict.__new__(cls)
            dict.update(self, *args, **kwargs)
            _freeze_values(self)
            return self

        def __init__(self, *args: object, **kwargs: object) -> None:
            """Do nothing: filled by `__new__`, so that a second call cannot refill it."""

    __setitem__: _Refused = _refuse
    __delitem__: _Refused = _refuse
    __ior__: _Refused = _refuse
    update: _Refused = _refuse
    pop: _Refused = _refuse
    setdefault: _Refused = _refuse

    def popitem(self) -> NoReturn:
        """Refuse."""
        _refuse(self)

    def clear(self) -> NoReturn:
        """Refuse."""
        _refuse(self)

    @classmethod
    def fromkeys(cls, iterable: Iterable[Any], value: Any = None, /) -> FrozenDict[Any, Any]:
        """Give a frozen dict with *value* under each key of *iterable*."""
        return cls(dict.fromkeys(iterable, value))

    def copy(self) -> FrozenDict[K, V]:
        """Give the dict itself, as a tuple's copy is the tuple."""
        return self

    def __or__(self, other: Any) -> FrozenDict[Any, Any]:
        if not is_a(other, dict):
            return NotImplemented
        return FrozenDict({**self, **other})

    def __copy__(self) -> FrozenDict[K, V]:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> FrozenDict[K, V]:
        return type(self)({key: copy.deepcopy(value, memo) for key, value in self.items()})

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self),)


class FrozenList(list[V]):
    """A list, frozen at every level: whatever would change it raises `TypeError`.

    Items are frozen on the way in (see `deep_freeze`). `list(frozen)` and a slice are mutable
    copies of the top level. Like any list it cannot be hashed. What writes through the base type is
    not stopped: `list.append(frozen, …)`, and C code that takes any list, such as `heapq`.
    """

    __slots__ = ()

    if not TYPE_CHECKING:  # the type checkers keep the constructors of list

        def __new__(cls, *args: Any) -> FrozenList[V]:
            self = list.__new__(cls)
            list.__init__(self, *args)
            _freeze_items(self)
            return self

        def __init__(self, *args: object) -> None:
            """Do nothing: filled by `__new__`, so that a second call cannot refill it."""

    __setitem__: _Refused = _refuse
    __delitem__: _Refused = _refuse
    __iadd__: _Refused = _refuse
    __imul__: _Refused = _refuse
    append: _Refused = _refuse
    extend: _Refused = _refuse
    insert: _Refused = _refuse
    remove: _Refused = _refuse
    pop: _Refused = _refuse

    def clear(self) -> NoReturn:
        """Refuse."""
        _refuse(self)

    def sort(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        """Refuse."""
        _refuse(self)

    def reverse(self) -> NoReturn:
        """Refuse."""
        _refuse(self)

    def copy(self) -> FrozenList[V]:
        """Give the list itself, as a tuple's copy is the tuple."""
        return self

    def __add__(self, other: Any) -> FrozenList[V]:  # type: ignore[override]
        if not is_a(other, list):
            return NotImplemented
        return FrozenList([*self, *other])

    def __mul__(self, times: SupportsIndex) -> FrozenList[V]:
        return type(self)(list(self) * times)

    def __rmul__(self, times: SupportsIndex) -> FrozenList[V]:
        return self * times

    def __copy__(self) -> FrozenList[V]:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> FrozenList[V]:
        return type(self)([copy.deepcopy(item, memo) for item in self])

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (list(self),)


def deep_freeze(value: Any) -> Any:
    """Give a copy of *value* whose containers are frozen, at every level.

    Any mapping becomes a `FrozenDict`, a list a `FrozenList`, a set a frozenset; tuples keep
    their type and have their items frozen. What is frozen already comes back as it is, and so
    does everything that is no container. Raises `ValueError` for a payload that contains itself
    or nests deeper than Python can follow.
    """
    if type(value) in _SETTLED:
        return value
    try:
        return _freeze(value)
    except RecursionError:
        raise ValueError(
            "cannot freeze a payload that contains itself or nests too deeply"
        ) from None


# Returned as they are, after one look at the type.
_SETTLED: frozenset[type] = frozenset(
    {str, int, float, bool, NoneType, bytes, FrozenDict, FrozenList}
)


def freeze_shell(items: Any) -> Any:
    """Give a frozen copy of *items*, a dict or list whose every value is frozen already."""
    if type(items) is dict:
        frozen: FrozenDict[Any, Any] = _new_dict(FrozenDict)
        _fill(frozen, items)
        return frozen
    copied: FrozenList[Any] = _new_list(FrozenList)
    _extend(copied, items)
    return copied


# What FrozenDict and FrozenList refuse, from the bases.
_DICT: Any = dict
_LIST: Any = list
_values: Any = _DICT.values
_new_dict: Any = dict.__new__
_new_list: Any = list.__new__
_fill: Any = _DICT.update
_put: Any = _DICT.__setitem__
_extend: Any = _LIST.extend
_place: Any = _LIST.__setitem__


def _freeze(value: Any) -> Any:
    kind = kind_of(value)
    if kind is dict:
        frozen: FrozenDict[Any, Any] = _new_dict(FrozenDict)
        _fill(frozen, value)
        _freeze_values(frozen)
        return frozen
    if kind is list:
        items: FrozenList[Any] = _new_list(FrozenList)
        if len(value) >= _MANY and _are_dicts(map(type, value)):
            _extend(items, _freeze_dicts(value))
            return items
        _extend(items, value)
        _freeze_items(items)
        return items
    return _freeze_other(value)


# The messages of a run are such a list. One look for all of them takes half the time of each.
_MANY = 8
_are_dicts = frozenset({dict}).issuperset
_are_settled = _SETTLED.issuperset


def _freeze_dicts(dicts: list[dict[Any, Any]]) -> list[FrozenDict[Any, Any]]:
    frozen: list[FrozenDict[Any, Any]] = list(map(_new_dict, repeat(FrozenDict, len(dicts))))
    any(map(_fill, frozen, dicts))  # each gives None: all of them are called
    if not _are_settled(map(type, chain.from_iterable(map(_values, frozen)))):
        any(map(_freeze_values, frozen))
    return frozen


def _freeze_values(frozen: dict[Any, Any]) -> None:
    for key, value in frozen.items():
        if type(value) not in _SETTLED:
            _put(frozen, key, _freeze(value))  # the key is there: iterating goes on safely


def _freeze_items(items: list[Any]) -> None:
    for index, item in enumerate(items):
        if type(item) not in _SETTLED:
            _place(items, index, _freeze(item))


def _freeze_other(value: Any) -> Any:
    if is_a(value, (FrozenDict, FrozenList)):
        return value
    if is_a(value, tuple):
        return _freeze_tuple(value)
    if is_a(value, list):
        return FrozenList[Any](value)
    if is_a(value, Mapping):
        return FrozenDict[Any, Any](value)
    return frozenset[Any](value) if is_a(value, set) else value


def _freeze_tuple(value: tuple[Any, ...]) -> tuple[Any, ...]:
    frozen = tuple([item if type(item) in _SETTLED else _freeze(item) for item in value])
    if all(new is old for new, old in zip(frozen, value, strict=True)):
        return value
    if type(value) is tuple:
        return frozen
    make: Any = getattr(value, "_make", None)  # a named tuple; another subclass stays as it is
    return value if make is None else make(frozen)
