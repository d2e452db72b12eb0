"""What kind of JSON a value is, told so that type checkers know what is in it."""

from typing import Any, TypeGuard

__all__ = ["is_array", "is_object"]


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether *value* is a dict."""
    return isinstance(value, dict)


def is_array(value: object) -> TypeGuard[list[Any]]:
    """Whether *value* is a list."""
    return isinstance(value, list)
