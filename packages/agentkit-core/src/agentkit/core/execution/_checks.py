"""Refusing wrong counts with one clear message, before any effect."""

import sys
from typing import Any

from agentkit.core.contracts._checks import shown

__all__ = ["check_count", "check_seconds"]

_LARGEST = sys.float_info.max


def check_count(name: str, value: Any, *, at_least: int | None = 0) -> int:
    """Give *value* if it is a whole number of *at_least* or more; None sets no bound.

    Raises:
        TypeError: It is no whole number; a bool is none.
        ValueError: It is less.

    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} is a whole number; got {shown(value)}")
    if at_least is not None and value < at_least:
        raise ValueError(f"{name} is {at_least} or more; got {shown(value)}")
    return value


def check_seconds(name: str, value: Any) -> float:
    """Give *value* if it is a finite number of seconds of zero or more.

    Raises:
        TypeError: It is no number; a bool is none.
        ValueError: It is negative or not finite, or an int that is larger than any float.

    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} is a number of seconds; got {shown(value)}")
    if not 0 <= value <= _LARGEST:
        raise ValueError(f"{name} is a finite number of seconds, 0 or more; got {shown(value)}")
    return value
