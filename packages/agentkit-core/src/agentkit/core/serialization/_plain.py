"""Plain JSON values: what they are, exactly, and a copy nobody else holds."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any

from agentkit.core.serialization._immutable import FrozenDict, FrozenList
from agentkit.core.serialization._kinds import kind_of

__all__ = ["MAX_INT_DIGITS", "Misfit", "copy_part", "plain_copy"]

MAX_INT_DIGITS = 4300  # beyond, Python itself refuses to turn text into an int

_INT_BOUND = 10**MAX_INT_DIGITS


def plain_copy(value: Any) -> Any:
    """Give a mutable copy of *value*, which must be plain JSON all the way down.

    Plain is exactly None, bool, int (at most 4,300 digits), finite float, str, list, and dict
    with str keys, or the frozen forms of the last two. Raises `TypeError` for another type and
    `ValueError` for a number out of range or nesting that cannot be followed; the message says
    where.
    """
    try:
        return copy_part(value)
    except RecursionError:
        raise ValueError("the value contains itself or nests too deeply") from None
    except Misfit as problem:
        raise problem.described() from None


class Misfit(Exception):
    """What does not fit and, collected on the way up, where it is. Never leaves this package."""

    def __init__(self, error: type[Exception], what: str) -> None:
        super().__init__(what)
        self.error = error
        self.what = what
        self.path: list[str] = []

    @property
    def where(self) -> str:
        """The path from the outermost value to the offending one; empty when they are the same."""
        return "".join(reversed(self.path))

    def described(self) -> Exception:
        """Give the error to raise to the caller."""
        return self.error(f"{self.what} at {self.where}" if self.path else self.what)


def copy_part(value: Any) -> Any:
    """Do as `plain_copy`, raising `Misfit` so that a caller can add where *value* is."""
    if value is None or type(value) is str or type(value) is bool:
        return value
    kind = kind_of(value)
    return _COPIERS.get(kind, _number)(value)


def _copy_dict(value: dict[Any, Any]) -> dict[str, Any]:
    copied = dict(value)
    for key, item in value.items():
        if type(key) is not str:
            raise Misfit(TypeError, f"a key must be a str; got {_name(key)}")
        kind = kind_of(item)
        if kind is str or kind is bool or item is None:
            continue  # what most items are is written out here: it costs no call
        try:
            if kind is dict:
                copied[key] = _copy_dict(item)
            elif kind is list:
                copied[key] = _copy_list(item)
            else:
                copied[key] = copy_part(item)
        except Misfit as problem:
            problem.path.append(f"[{key!r}]")
            raise
    return copied


def _copy_list(value: list[Any]) -> list[Any]:
    copied = list(value)
    for index, item in enumerate(value):
        kind = kind_of(item)
        if kind is str or kind is bool or item is None:
            continue
        try:
            if kind is dict:
                copied[index] = _copy_dict(item)
            elif kind is list:
                copied[index] = _copy_list(item)
            else:
                copied[index] = copy_part(item)
        except Misfit as problem:
            problem.path.append(f"[{index}]")
            raise
    return copied


_COPIERS: dict[type, Callable[[Any], Any]] = {
    dict: _copy_dict,
    FrozenDict: _copy_dict,
    list: _copy_list,
    FrozenList: _copy_list,
}


def _number(value: Any) -> Any:
    kind = kind_of(value)
    if (kind is int and -_INT_BOUND < value < _INT_BOUND) or (kind is float and isfinite(value)):
        return value
    raise _refusal(value)


def _refusal(value: Any) -> Misfit:
    if type(value) is int:
        return Misfit(ValueError, f"an int of more than {MAX_INT_DIGITS} digits")
    if type(value) is float:
        return Misfit(ValueError, f"the float {value!r}, which JSON does not have")
    return Misfit(TypeError, f"{_name(value)} is no JSON value")


def _name(value: Any) -> str:
    return type(value).__qualname__
