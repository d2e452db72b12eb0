"""Dataclasses and attrs classes, which are treated alike."""

import dataclasses
import inspect
import sys
from collections.abc import Callable, Mapping
from typing import Any, Final

from agentkit.agents._shapes._base import ABSENT, Shape, as_object, kind_of
from agentkit.agents._shapes._definitions import Definitions
from agentkit.agents._shapes._leaf import join_path, refusal_of
from agentkit.agents._shapes._partial import partial_object
from agentkit.core.contracts.errors import Cancelled

__all__ = ["RecordField", "RecordShape", "is_attrs_class", "is_record_class", "record_fields"]

_BY_NAME: Final = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_VARIADIC: Final = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class RecordField:
    """One field of a record class: its name, its parameter, its type, how to make its default."""

    name: str
    parameter: str
    annotation: Any
    default: Callable[[], Any] | None


class RecordShape:
    """A dataclass or attrs class, read strictly: an unknown field is a fault.

    The shapes of its fields are filled in after it is made, so that a class may contain itself.
    """

    def __init__(self, kind: type, fields: tuple[RecordField, ...]) -> None:
        self.kind = kind
        self.shapes: dict[str, Shape] = {}
        self._fields = fields

    def schema(self, definitions: Definitions) -> dict[str, Any]:
        """Give a reference to the class among *definitions*."""
        return definitions.refer(self.kind, lambda: self.describe(definitions))

    def describe(self, definitions: Definitions) -> dict[str, Any]:
        """Give the schema of the class itself."""
        properties = {
            field.name: {**self.shapes[field.name].schema(definitions), **self._default_of(field)}
            for field in self._fields
        }
        return {
            "title": self.kind.__name__,
            "type": "object",
            "properties": properties,
            "required": [field.name for field in self._fields if field.default is None],
            "additionalProperties": False,
        }

    def read(self, value: object, at: str, problems: list[str]) -> Any:
        """Give an instance of the class."""
        found = as_object(value)
        if found is None:
            problems.append(f"{at or 'value'}: expected an object, got {kind_of(value)}")
            return ABSENT
        before = len(problems)
        arguments = self._arguments(found, at, problems)
        if len(problems) > before:
            return ABSENT
        return self._made_of(arguments, at, problems)

    def glimpse(self, value: object) -> Any:
        """Give an instance made without `__init__`: what arrived, over the defaults.

        A field that has neither is not set at all, so reading it raises AttributeError.
        """
        found = as_object(value)
        if found is None:
            return ABSENT
        values: dict[str, Any] = {}
        for field in self._fields:
            part = ABSENT
            if field.name in found:
                part = self.shapes[field.name].glimpse(found[field.name])
            if part is ABSENT and field.default is not None:
                part = _made_by(field.default)
            if part is not ABSENT:
                values[field.name] = part
        return partial_object(self.kind, values)

    def plain(self, value: Any) -> Any:
        """Give the fields as a dict."""
        return {
            field.name: self.shapes[field.name].plain(getattr(value, field.name))
            for field in self._fields
        }

    def _arguments(self, value: Mapping[str, Any], at: str, problems: list[str]) -> dict[str, Any]:
        known = {field.name for field in self._fields}
        problems.extend(
            f"{join_path(at, key)}: unexpected field" for key in value if key not in known
        )
        arguments: dict[str, Any] = {}
        for field in self._fields:
            path = join_path(at, field.name)
            if field.name in value:
                arguments[field.parameter] = self.shapes[field.name].read(
                    value[field.name], path, problems
                )
            elif field.default is None:
                problems.append(f"{path}: required field is missing")
        return arguments

    def _made_of(self, arguments: dict[str, Any], at: str, problems: list[str]) -> Any:
        try:
            return self.kind(**arguments)
        except Cancelled:
            raise
        except Exception as exc:  # noqa: BLE001 - the class's own checks refuse the values
            problems.append(refusal_of(exc, at))
            return ABSENT

    def _default_of(self, field: RecordField) -> dict[str, Any]:
        if field.default is None:
            return {}
        default = _made_by(field.default)
        try:
            return {"default": self.shapes[field.name].plain(default)}
        except Exception:  # noqa: BLE001 - a default of another type than its field is not shown
            return {}


def is_record_class(annotation: Any) -> bool:
    """Say whether *annotation* is a dataclass or an attrs class."""
    return isinstance(annotation, type) and (
        dataclasses.is_dataclass(annotation) or is_attrs_class(annotation)
    )


def is_attrs_class(annotation: Any) -> bool:
    """Say whether *annotation* is an attrs class, told without importing attrs."""
    return isinstance(annotation, type) and hasattr(annotation, "__attrs_attrs__")


def record_fields(kind: type, hints: Mapping[str, Any]) -> tuple[RecordField, ...]:
    """Give the fields of *kind* that its `__init__` takes, their types from *hints*.

    Raises:
        TypeError: No answer could make a *kind*: its `__init__` needs what is no field, or does not
            take a field.

    """
    find = _attrs_fields if is_attrs_class(kind) else _dataclass_fields
    fields = find(kind, hints)
    _check_init(kind, {field.parameter for field in fields})
    return fields


def _check_init(kind: Any, given: set[str]) -> None:
    parameters = list(inspect.signature(kind.__init__).parameters.values())[1:]
    named = {p.name: p for p in parameters if p.kind in _BY_NAME}
    needed = {p.name for p in parameters if p.default is p.empty and p.kind not in _VARIADIC}
    takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters)
    if missing := sorted(needed - given):
        raise TypeError(
            f"no answer makes a {kind.__name__}: its __init__ needs {missing}, which are no fields"
        )
    if not takes_any and (strange := sorted(given - named.keys())):
        raise TypeError(f"no answer makes a {kind.__name__}: its __init__ takes no {strange}")


def _dataclass_fields(kind: Any, hints: Mapping[str, Any]) -> tuple[RecordField, ...]:
    return tuple(
        RecordField(
            name=field.name,
            parameter=field.name,
            annotation=hints[field.name],
            default=_dataclass_default(field),
        )
        for field in dataclasses.fields(kind)
        if field.init
    )


def _dataclass_default(field: "dataclasses.Field[Any]") -> Callable[[], Any] | None:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory
    if field.default is dataclasses.MISSING:
        return None
    default = field.default
    return lambda: default


def _attrs_fields(kind: Any, hints: Mapping[str, Any]) -> tuple[RecordField, ...]:
    attr: Any = sys.modules["attr"]  # whoever made an attrs class has imported it
    return tuple(
        RecordField(
            name=field.name,
            parameter=field.alias,
            annotation=hints.get(field.name, field.type or Any),
            default=_attrs_default(field.default, attr),
        )
        for field in kind.__attrs_attrs__
        if field.init
    )


def _attrs_default(default: Any, attr: Any) -> Callable[[], Any] | None:
    if default is attr.NOTHING:
        return None
    if not isinstance(default, attr.Factory):
        return lambda: default
    if default.takes_self:
        return lambda: ABSENT  # computed from the other fields: only `__init__` can
    made: Callable[[], Any] = default.factory
    return made


def _made_by(factory: Callable[[], Any]) -> Any:
    try:
        return factory()
    except Exception:  # noqa: BLE001 - a default that cannot be made now is simply not there yet
        return ABSENT
