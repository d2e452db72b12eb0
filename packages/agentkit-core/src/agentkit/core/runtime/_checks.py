"""Refusing wrong arguments with one clear message, before any effect."""

import math
from typing import Any

from agentkit.core.execution._checks import check_count

__all__ = ["check_choice", "check_count", "check_positive"]


def check_positive(name: str, value: Any) -> float:
    """Give *value* if it is a finite number of seconds greater than zero.

    Raises:
        TypeError: It is no number; a bool is none.
        ValueError: It is not finite, or not greater than zero.

    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} is a number of seconds; got {value!r}")
    if not math.isfinite(value) or value <= 0:
        raise ValueError(f"{name} is finite and greater than 0; got {value!r}")
    return float(value)


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    """Return if *value* is one of *choices*.

    Raises:
        ValueError: It is not.

    """
    if value not in choices:
        raise ValueError(f"{name} is one of {', '.join(choices)}; got {value!r}")
