"""A value with something in every field, to see what a rebuild of it loses."""

import dataclasses
import types
import typing
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

__all__ = ["filled"]

T = TypeVar("T")

_BESIDE_BLOCKS = {"content": "text"}  # the text of the `TextBlock` that is filled in beside it


def filled(cls: type[T], **given: Any) -> T:
    """Give a *cls*, a dataclass, in which no field has its default; *given* fields are as given.

    A text is the name of its field, a number the place of it, and a container has one item. So what
    copies a value field by field, and forgets one, gives something else than it got; also a field
    that did not exist when the copying was written.

    Raises:
        TypeError: A field is of a type that nothing is known to fill in; give it.

    """
    hints = get_type_hints(cls)
    fields: Any = dataclasses.fields(cls)  # type: ignore[arg-type]  # of any dataclass
    made: dict[str, Any] = {}
    for place, field in enumerate(fields, 1):
        if field.name in given:
            made[field.name] = given[field.name]
        elif field.init:
            made[field.name] = _Filling(cls, field, place).of(hints[field.name])
    return cls(**made)


class _Filling:
    """What is put into one field."""

    def __init__(self, owner: type, field: "dataclasses.Field[Any]", place: int) -> None:
        self._owner = owner
        self._field = field
        self._place = place

    def of(self, hint: Any) -> Any:
        """Give something of the type *hint*."""
        if hint in _SCALARS:
            return _SCALARS[hint](self._name, self._place)
        if hint is bool:
            return self._field.default is not True
        origin = get_origin(hint)
        if origin is Literal:
            return self._other_than_default(get_args(hint))
        if origin in {typing.Union, types.UnionType}:
            return self.of(next(arg for arg in get_args(hint) if arg is not types.NoneType))
        return self._of_class(hint, origin or hint)

    def _of_class(self, hint: Any, kind: Any) -> Any:
        if kind is dict:
            return {self._name: self._place}
        if kind in {list, tuple}:
            item = (get_args(hint) or (Any,))[0]
            items: tuple[Any, ...] = () if item is self._owner else (self.of(item),)
            return list(items) if kind is list else items
        if dataclasses.is_dataclass(kind):
            return filled(typing.cast("type[Any]", kind))  # a class, as all hints are
        if issubclass(kind, Enum):
            return self._other_than_default(tuple(kind))
        raise TypeError(f"{self._owner.__name__}.{self._name} is a {hint}: give it to filled()")

    def _other_than_default(self, choices: tuple[Any, ...]) -> Any:
        return next(choice for choice in reversed(choices) if choice != self._field.default)

    @property
    def _name(self) -> str:
        return self._field.name


def _text(name: str, _: int) -> str:
    return _BESIDE_BLOCKS.get(name, name)


_SCALARS: dict[Any, Callable[[str, int], Any]] = {
    str: _text,
    Any: _text,
    bytes: lambda name, _: name.encode(),
    int: lambda _, place: place,
    float: lambda _, place: place + 0.5,
    Decimal: lambda _, place: Decimal(place),
    datetime: lambda _, place: datetime(2026, 1, place, tzinfo=UTC),
}
