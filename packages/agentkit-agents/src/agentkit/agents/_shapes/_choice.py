"""A `Literal` of enum members, which pydantic describes by their values and then refuses those."""

from enum import Enum
from typing import Any, Literal, get_args, get_origin

from agentkit.agents._json import is_json
from agentkit.agents._shapes._base import ABSENT
from agentkit.agents._shapes._definitions import Definitions
from agentkit.agents._shapes._leaf import LeafShape

__all__ = ["ChoiceShape", "names_members"]


class ChoiceShape:
    """One of a few values, some of them members of an enum, which are written as their values.

    Raises:
        TypeError: The value of a member has no JSON form.

    """

    def __init__(self, annotation: Any) -> None:
        self._choices = [(_written(choice), choice) for choice in get_args(annotation)]
        for written, choice in self._choices:
            if not isinstance(written, str | int | float | None) or not is_json(written):
                raise TypeError(f"no JSON form is known for {choice!r}, whose value is {written!r}")
        self._advertised = LeafShape(annotation)

    def schema(self, definitions: Definitions) -> dict[str, Any]:
        """Give the values as an enumeration."""
        return self._advertised.schema(definitions)

    def read(self, value: object, at: str, problems: list[str]) -> Any:
        """Give the choice that is written as *value*: `1` is not `True`."""
        for written, choice in self._choices:
            if type(written) is type(value) and written == value:
                return choice
        allowed = [written for written, _ in self._choices]
        problems.append(f"{at or 'value'}: expected one of {allowed}")
        return ABSENT

    def glimpse(self, value: object) -> Any:
        """Give the choice once it has arrived."""
        return self.read(value, "", [])

    def plain(self, value: Any) -> Any:
        """Give what *value* is written as."""
        return _written(value)


def names_members(annotation: Any) -> bool:
    """Say whether *annotation* is a `Literal` with members of an enum in it."""
    return get_origin(annotation) is Literal and any(
        isinstance(choice, Enum) for choice in get_args(annotation)
    )


def _written(choice: Any) -> Any:
    return choice.value if isinstance(choice, Enum) else choice
