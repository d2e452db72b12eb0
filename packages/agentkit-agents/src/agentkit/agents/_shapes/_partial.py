"""Objects in progress: instances of a record class of which some fields are not set yet."""

import contextlib
import dataclasses
import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar
from weakref import WeakKeyDictionary

from pydantic import BaseModel

from agentkit.agents._shapes._base import ABSENT

__all__ = ["partial_model", "partial_object"]

T = TypeVar("T")


def partial_object(kind: type[Any], values: Mapping[str, Any]) -> Any:
    """Give an instance of *kind* that has *values* and nothing else, made without `__init__`.

    Reading what is not set raises AttributeError. While anything is not set the object is of a
    subclass that has the name of *kind*, and can be shown, compared, copied and pickled all the
    same. `ABSENT` where Python lets nobody make a bare instance.
    """
    complete = all(name in values or _has_default(kind, name) for name in _field_names(kind))
    try:
        instance = object.__new__(kind if complete else _partial_class(kind))
        for name, value in values.items():
            object.__setattr__(instance, name, value)
    except (TypeError, AttributeError):  # an abstract class, or one over a builtin
        return ABSENT
    return instance


def partial_model(kind: type[BaseModel], values: Mapping[str, Any]) -> BaseModel:
    """Give an unvalidated instance of a pydantic model that has *values* and what has a default.

    While a required field is not set, an object whose class has code of its own for showing and
    comparing is of a subclass, as above.
    """
    required = (name for name, field in kind.model_fields.items() if field.is_required())
    is_safe = _is_plain(kind) or all(name in values for name in required)
    made = kind if is_safe else _partial_class(kind)
    return made.model_construct(_fields_set=set(values), **values)


class _Partial:
    """What an object in progress does otherwise than its class does."""

    __slots__ = ()

    def __init_subclass__(cls, **_: Any) -> None:
        """Keep a hook of the class, a registry say, from seeing what is no class of its users."""

    def __repr__(self) -> str:
        shown: str = _unless_absent(_kind_of(self).__repr__, self, _listed)
        return shown

    def __str__(self) -> str:
        shown: str = _unless_absent(_kind_of(self).__str__, self, repr)
        return shown

    def __eq__(self, other: object) -> bool:
        kind = _kind_of(self)
        if kind.__eq__ is object.__eq__ or not isinstance(other, kind):
            return NotImplemented if self is not other else True
        return _compared(kind, self) == _compared(kind, other)

    def __hash__(self) -> int:
        kind = _kind_of(self)
        if kind.__hash__ is None:
            raise TypeError(f"unhashable type: {kind.__name__!r}")
        own: int = _unless_absent(kind.__hash__, self, lambda _: hash(_compared(kind, self)))
        return own

    def __getattr__(self, name: str) -> Any:
        """Give what the class gives for a name that is not set, unless that is one of its fields.

        What looks into a field there would else look for that field here, and so for ever.
        """
        kind = _kind_of(self)
        if hasattr(kind, "__getattr__") and name not in _field_names(kind):
            with contextlib.suppress(Exception):  # the class's own code counts on every field
                return kind.__getattr__(self, name)
        raise AttributeError(f"{kind.__name__!r} object in progress has no {name!r}")

    def __reduce__(self) -> tuple[Any, ...]:
        kind = _kind_of(self)
        return partial_object, (kind, _values(self, _field_names(kind)))


class _PartialModel(_Partial):
    """The same for a pydantic model."""

    __slots__ = ()

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        """Keep pydantic's hook from seeing it, too."""

    def __repr_args__(self) -> list[tuple[str | None, Any]]:
        def own(instance: Any) -> list[tuple[str | None, Any]]:
            return list(_kind_of(instance).__repr_args__(instance))

        return _unless_absent(own, self, _shown)

    def __reduce__(self) -> tuple[Any, ...]:
        instance: Any = self
        return partial_model, (_kind_of(self), _values(self, sorted(instance.model_fields_set)))


_OWN: Final = ("__repr__", "__repr_args__", "__str__", "__eq__", "__hash__", "__getattr__")
_CLASSES: Final[WeakKeyDictionary[type, type]] = WeakKeyDictionary()


def _partial_class(kind: type[Any]) -> type[Any]:
    known = _CLASSES.get(kind)
    if known is None:
        known = _CLASSES[kind] = _made_from(kind)
    return known


def _made_from(kind: type[Any]) -> type[Any]:
    like = {"__module__": kind.__module__, "__qualname__": kind.__qualname__}
    metaclass: Any = type(kind)
    behaviour = _PartialModel if issubclass(kind, BaseModel) else _Partial
    try:
        made: type[Any] = metaclass(kind.__name__, (behaviour, kind), {**like, "__slots__": ()})
    except Exception:  # noqa: BLE001 - a class that lets nothing inherit is shown as it can be
        return kind
    return made


def _kind_of(instance: object) -> Any:
    """Give the class that an object in progress is one of: the one after `_Partial`."""
    order = type(instance).__mro__
    return order[order.index(_Partial) + 1]


def _is_plain(model: type[BaseModel]) -> bool:
    """Say whether showing and comparing is left to pydantic, which asks for what is set only."""
    if model.model_computed_fields:
        return False
    return all(getattr(model, name, None) is getattr(BaseModel, name, None) for name in _OWN)


def _unless_absent(own: Callable[[Any], T], instance: Any, other: Callable[[Any], T]) -> T:
    """Give what the class's *own* method does, or what *other* does where a field is missed."""
    try:
        return own(instance)
    except Exception:  # noqa: BLE001 - the class's own code counts on every field
        return other(instance)


def _listed(instance: Any) -> str:
    told = ", ".join(f"{name}={value!r}" for name, value in _shown(instance))
    return f"{_kind_of(instance).__qualname__}({told})"


def _shown(instance: Any) -> list[tuple[str | None, Any]]:
    names = [name for name, field in _fields_of(_kind_of(instance)) if field.repr]
    return [*_values(instance, names).items()]


def _compared(kind: type[Any], instance: Any) -> tuple[tuple[str, Any], ...]:
    names = [name for name, field in _fields_of(kind) if _takes_part(field)]
    return tuple(_values(instance, names).items())


def _takes_part(field: Any) -> bool:
    return bool(getattr(field, "compare", True) and getattr(field, "eq", True))


def _has_default(kind: type[Any], name: str) -> bool:
    """Say whether reading *name* of a bare instance gives what the class itself holds."""
    held: object = inspect.getattr_static(kind, name, ABSENT)
    return held is not ABSENT and not hasattr(held, "__get__")  # no slot


def _values(instance: Any, names: list[str]) -> dict[str, Any]:
    found = {name: getattr(instance, name, ABSENT) for name in names}
    return {name: value for name, value in found.items() if value is not ABSENT}


def _field_names(kind: type[Any]) -> list[str]:
    return [name for name, _ in _fields_of(kind)]


def _fields_of(kind: Any) -> list[tuple[str, Any]]:
    if issubclass(kind, BaseModel):
        return [*kind.model_fields.items()]
    fields = getattr(kind, "__attrs_attrs__", None)
    return [(field.name, field) for field in fields or dataclasses.fields(kind)]
