"""`type` and `isinstance` as plain functions.

Strict checking narrows Any to partly unknown types after either of them, and then takes nothing
that is done with the value; asked through these, the value stays Any.
"""

from collections.abc import Callable
from typing import Any

__all__ = ["is_a", "kind_of"]

is_a: Callable[[object, Any], bool] = isinstance
kind_of: Callable[[object], Any] = type
