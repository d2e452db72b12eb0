"""Refusing wrong settings with one clear message, before any effect."""

import math
from typing import Any

__all__ = ["check_amount", "check_choice", "check_count", "check_kind", "check_text"]


def check_kind(name: str, value: object, kinds: Any, *, wanted: str) -> None:
    """Return if *value* is of one of *kinds*.

    Raises:
        TypeError: It is not what is *wanted*.

    """
    if not isinstance(value, kinds):
        raise TypeError(f"{name} is {wanted}; got {value!r}")


def check_text(name: str, value: Any, *, wanted: str = "a text", optional: bool = False) -> None:
    """Return if *value* is text with something in it, or None where it is *optional*.

    Raises:
        TypeError: It is no text.
        ValueError: It is blank.

    """
    check_kind(name, value, str | None if optional else str, wanted=wanted)
    if value is not None and not value.strip():
        raise ValueError(f"{name} is not empty; got {value!r}")


def check_count(name: str, value: Any, *, least: int, optional: bool = False) -> None:
    """Return if *value* is a whole number of *least* or more, or None where it is *optional*.

    Raises:
        TypeError: It is no whole number; a bool is none.
        ValueError: It is less.

    """
    if optional and value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} is a whole number; got {value!r}")
    if value < least:
        raise ValueError(f"{name} is {least} or more; got {value!r}")


def check_amount(name: str, value: Any, *, optional: bool = False) -> None:
    """Return if *value* is a finite number of 0 or more, or None where it is *optional*.

    Raises:
        TypeError: It is no number; a bool is none.
        ValueError: It is negative or not finite.

    """
    if optional and value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{name} is a number; got {value!r}")
    if not 0 <= value < math.inf:
        raise ValueError(f"{name} is finite and 0 or more; got {value!r}")


def check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Return if *value* is one of *choices*.

    Raises:
        ValueError: It is not.

    """
    if value not in choices:
        raise ValueError(f"{name} is one of {choices}; got {value!r}")
