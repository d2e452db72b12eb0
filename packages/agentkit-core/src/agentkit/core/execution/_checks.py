"""Refusing wrong counts with one clear message, before any effect."""

from typing import Any

__all__ = ["check_count"]


def check_count(name: str, value: Any, *, at_least: int | None = 0) -> int:
    """Give *value* if it is a whole number of *at_least* or more; None sets no bound.

    Raises:
        TypeError: It is no whole number; a bool is none.
        ValueError: It is less.

    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} is a whole number; got {value!r}")
    if at_least is not None and value < at_least:
        raise ValueError(f"{name} is {at_least} or more; got {value}")
    return value
