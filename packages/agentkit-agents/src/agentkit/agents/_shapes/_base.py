"""What every shape answers."""

from typing import Any, Final, Protocol, TypeGuard

from agentkit.agents._shapes._definitions import Definitions

__all__ = ["ABSENT", "Shape", "as_array", "as_object", "is_array", "is_object", "kind_of"]

ABSENT: Final = object()
"""Stands where no value could be read: None is a value."""

_KINDS: Final = {
    dict: "an object",
    list: "an array",
    str: "a string",
    bool: "a boolean",
    int: "an integer",
    float: "a number",
}


class Shape(Protocol):
    """One Python type, seen from JSON."""

    def schema(self, definitions: Definitions) -> dict[str, Any]:
        """Give the JSON Schema of the type; what it refers to goes into *definitions*."""
        ...

    def read(self, value: object, at: str, problems: list[str]) -> Any:
        """Give *value*, decoded JSON found at path *at*, as the type.

        Each fault adds a line `path: message` to *problems*; `ABSENT` is returned then.
        """
        ...

    def glimpse(self, value: object) -> Any:
        """Give as much of the unfinished *value* as makes sense, or `ABSENT`; never raises."""
        ...

    def plain(self, value: Any) -> Any:
        """Give *value* of the type as plain JSON, such that `read` takes it back."""
        ...


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Say whether decoded JSON is an object."""
    return isinstance(value, dict)


def is_array(value: object) -> TypeGuard[list[Any]]:
    """Say whether decoded JSON is an array."""
    return isinstance(value, list)


def as_object(value: object) -> dict[str, Any] | None:
    """Give decoded JSON if it is an object, else None."""
    return value if is_object(value) else None


def as_array(value: object) -> list[Any] | None:
    """Give decoded JSON if it is an array, else None."""
    return value if is_array(value) else None


def kind_of(value: object) -> str:
    """Give what a reader calls decoded JSON of this kind."""
    return next((name for kind, name in _KINDS.items() if isinstance(value, kind)), "null")
