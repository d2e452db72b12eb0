"""Refusing wrong arguments with one clear message, before any effect."""

import math
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from agentkit.core.contracts._checks import shown
from agentkit.core.execution._checks import check_count
from agentkit.core.serialization._kinds import is_a

__all__ = [
    "check_between",
    "check_choice",
    "check_count",
    "check_flags",
    "check_function",
    "check_functions",
    "check_has",
    "check_positive",
    "check_several",
    "check_text",
]

_LARGEST = sys.float_info.max


def check_positive(name: str, value: Any) -> float:
    """Give *value* if it is a finite number of seconds greater than zero.

    Raises:
        TypeError: It is no number; a bool is none.
        ValueError: It is not finite, or not greater than zero.

    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} is a number of seconds; got {value!r}")
    if not 0 < value <= _LARGEST:
        raise ValueError(f"{name} is finite and greater than 0; got {shown(value)}")
    return float(value)


def check_between(
    name: str, value: Any, *, low: float = -math.inf, high: float = math.inf
) -> float:
    """Give *value* if it is a number from *low* to *high*.

    Raises:
        TypeError: It is no number; a bool is none.
        ValueError: It is outside, or no number that compares.

    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} is a number; got {shown(value)}")
    if not low <= value <= high:
        bounds = f"{low:g} or more" if high == math.inf else f"from {low:g} to {high:g}"
        bounds = "a number that compares" if low == -math.inf else bounds
        raise ValueError(f"{name} is {bounds}; got {shown(value)}")
    if isinstance(value, int) and abs(value) > _LARGEST:  # compared exactly; float() would overflow
        raise ValueError(f"{name} is a number that a float holds; got {shown(value)}")
    return float(value)


def check_function(name: str, value: Any) -> None:
    """Return if *value* can be called.

    Raises:
        TypeError: It cannot, or is None.

    """
    if not callable(value):
        raise TypeError(f"{name} is a function; got {shown(value)}")


def check_text(name: str, value: Any) -> None:
    """Return if *value* is text.

    Raises:
        TypeError: It is not.

    """
    if not isinstance(value, str):
        raise TypeError(f"{name} is text; got {shown(value)}")


def check_functions(**given: Any) -> None:
    """Return if each of *given* can be called, or is None.

    Raises:
        TypeError: One cannot.

    """
    for name, value in given.items():
        if value is not None and not callable(value):
            raise TypeError(f"{name} is a function; got {shown(value)}")


def check_flags(**given: Any) -> None:
    """Return if each of *given* is a bool.

    Raises:
        TypeError: One is not.

    """
    for name, value in given.items():
        if not isinstance(value, bool):
            raise TypeError(f"{name} is True or False; got {shown(value)}")


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    """Return if *value* is one of *choices*.

    Raises:
        ValueError: It is not.

    """
    if value not in choices:
        raise ValueError(f"{name} is one of {', '.join(choices)}; got {value!r}")


def check_has(name: str, value: Any, *methods: str) -> None:
    """Return if *value* has every one of *methods*, which is all that can be seen of a port.

    Raises:
        TypeError: It has not, or it is a class where an object of it is meant.

    """
    missing = [method for method in methods if not callable(getattr(value, method, None))]
    if missing:
        raise TypeError(f"{name} has {', '.join(missing)}(); got {shown(value)}")
    if isinstance(value, type):
        raise TypeError(f"{name} is an object; got the class {value.__qualname__}: make one of it")


def check_several(name: str, value: Any) -> tuple[Any, ...]:
    """Give *value*, several things in order, as a tuple.

    Raises:
        TypeError: It is one thing, or text.

    """
    if is_a(value, str | bytes | Mapping) or not is_a(value, Iterable):
        raise TypeError(f"{name} is a list; got {shown(value)}")
    return tuple(value)
