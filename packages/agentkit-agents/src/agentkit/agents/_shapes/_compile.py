"""From a type annotation to its shape."""

import collections.abc
import types
import typing
from collections.abc import Callable, Iterable
from enum import Enum
from typing import Annotated, Any, Final, Union, get_args, get_origin

from pydantic import BaseModel

from agentkit.agents._shapes._base import Shape
from agentkit.agents._shapes._base64 import BytesShape
from agentkit.agents._shapes._choice import ChoiceShape, names_members
from agentkit.agents._shapes._containers import ArrayShape, MappingShape, TupleShape, UnionShape
from agentkit.agents._shapes._leaf import LeafShape, is_model
from agentkit.agents._shapes._model import ModelShape
from agentkit.agents._shapes._record import RecordShape, is_record_class, record_fields

__all__ = ["shape_of"]

_ARRAYS: Final[dict[Any, Callable[[Iterable[Any]], Any]]] = {
    list: list,
    collections.abc.Sequence: list,
    collections.abc.Iterable: list,
    collections.abc.Collection: list,
    set: set,
    collections.abc.Set: set,
    frozenset: frozenset,
}
_MAPPINGS: Final = (dict, collections.abc.Mapping, collections.abc.MutableMapping)
_UNIONS: Final = (Union, types.UnionType)


def shape_of(annotation: Any) -> Shape:
    """Give the shape of *annotation*.

    Raises:
        TypeError: It has no JSON form, or names something that cannot be found.

    """
    return _Compiler().compile(annotation)


class _Compiler:
    """One compilation; remembers records, so that a class may contain itself."""

    def __init__(self) -> None:
        self._known: dict[type, Shape] = {}

    def compile(self, annotation: Any) -> Shape:
        if is_record_class(annotation):
            return self._record(annotation)
        if is_model(annotation):
            return self._model(annotation)
        if annotation is bytes:
            return BytesShape()
        if names_members(annotation):
            return ChoiceShape(annotation)
        return self._generic(annotation)

    def _generic(self, annotation: Any) -> Shape:
        origin, arguments = get_origin(annotation), get_args(annotation)
        if origin is Annotated:
            return self._annotated(annotation, arguments[0])
        if origin in _UNIONS and _holds_class(annotation):
            return self._union(arguments)
        if not arguments:
            return LeafShape(annotation)
        return self._container(annotation, origin, arguments)

    def _container(self, annotation: Any, origin: Any, arguments: tuple[Any, ...]) -> Shape:
        if origin is tuple:
            return self._tuple(arguments)
        if origin in _ARRAYS:
            make = _ARRAYS[origin]
            return ArrayShape(self.compile(arguments[0]), make, unique=make is not list)
        if origin in _MAPPINGS and arguments[0] is str:
            return MappingShape(self.compile(arguments[1]))
        return LeafShape(annotation)

    def _annotated(self, annotation: Any, bare: Any) -> Shape:
        """Leave constraints to pydantic, unless the type holds a class that it does not know."""
        if bare is bytes:  # whoever annotates bytes may say how they are written
            return LeafShape(annotation)
        return self.compile(bare) if _holds_class(bare) else LeafShape(annotation)

    def _union(self, arguments: tuple[Any, ...]) -> Shape:
        arms = [self.compile(argument) for argument in arguments if argument is not type(None)]
        return UnionShape(arms, nullable=type(None) in arguments)

    def _tuple(self, arguments: tuple[Any, ...]) -> Shape:
        if arguments[-1] is Ellipsis:
            return ArrayShape(self.compile(arguments[0]), tuple, unique=False)
        return TupleShape([self.compile(argument) for argument in arguments])

    def _record(self, kind: type) -> Shape:
        if kind in self._known:
            return self._known[kind]
        fields = record_fields(kind, _hints_of(kind))
        shape = self._known[kind] = RecordShape(kind, fields)
        for field in fields:
            shape.shapes[field.name] = self.compile(field.annotation)
        return shape

    def _model(self, model: type[BaseModel]) -> Shape:
        if model in self._known:
            return self._known[model]
        fields: dict[str, Shape] = {}
        shape = self._known[model] = ModelShape(model, fields)
        for name, info in model.model_fields.items():
            _check_readable(model, name, info.annotation)
            fields[name] = self._model_field(info.annotation)
        return shape

    def _model_field(self, annotation: Any) -> Shape:
        """Give a shape for glimpses; what the model's own configuration allows is any value."""
        try:
            return self.compile(annotation)
        except TypeError:
            return LeafShape(Any)


def _holds_class(annotation: Any) -> bool:
    """Say whether *annotation* holds anything that pydantic does not read as we do."""
    if is_record_class(annotation) or is_model(annotation):
        return True
    if annotation is bytes or names_members(annotation):
        return True
    return any(_holds_class(argument) for argument in get_args(annotation))


def _check_readable(model: type[BaseModel], name: str, annotation: Any) -> None:
    """Refuse a `Literal` of enum members, which pydantic's own reading finds in no JSON."""
    choices = get_args(annotation) if names_members(annotation) else ()
    own = model.__pydantic_decorators__
    if own.field_validators or own.model_validators:
        return  # they may make a member of what comes
    if choices and all(isinstance(c, Enum) and not isinstance(c, str | int) for c in choices):
        raise TypeError(
            f"{model.__name__}.{name} is {annotation!r}, which no JSON fits: pydantic takes the "
            "members only; declare the enum itself, or a Literal of its values"
        )


def _hints_of(kind: type) -> dict[str, Any]:
    try:
        return typing.get_type_hints(kind, include_extras=True)
    except NameError as exc:
        raise TypeError(f"a type that {kind.__name__} names cannot be found: {exc}") from None
