"""From a type hint to the codec of its values: how each goes to JSON and comes back."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from functools import cached_property, lru_cache
from typing import Any, Literal, TypeVar

from agentkit.core.serialization._immutable import FrozenDict, FrozenList
from agentkit.core.serialization._kinds import is_a, kind_of
from agentkit.core.serialization._plain import Misfit, copy_part
from agentkit.core.serialization._scalar_codecs import (
    ANY,
    NONE,
    SCALARS,
    Codec,
    Simple,
    enum,
    literal,
    refusal,
    refusing,
)

__all__ = ["codec_of"]

_FALLBACK_TYPE = "unknown"
_DICTS = (dict, FrozenDict)
_LISTS = (list, FrozenList)
_SEQUENCES: dict[Any, type] = {list: list, Sequence: list, FrozenList: FrozenList}
_MAPPINGS: dict[Any, type] = {dict: dict, Mapping: dict, FrozenDict: FrozenDict}


def codec_of(hint: Any) -> Codec:
    """Give the codec of the values that the type *hint* describes, made once per hint.

    A hint that has no JSON form gives a codec that refuses every value.
    """
    return SCALARS.get(hint) or _made(hint)


@lru_cache(maxsize=1024)
def _made(hint: Any) -> Codec:
    origin = typing.get_origin(hint) or hint
    if hint is Any or hint is object or isinstance(hint, TypeVar):
        return ANY
    if origin is Literal:
        return literal(typing.get_args(hint))
    if origin is typing.Union or isinstance(hint, types.UnionType):
        return _union(typing.get_args(hint))
    if not isinstance(origin, type):
        return refusing(hint)
    return _class_codec(hint, origin)


def _class_codec(hint: Any, origin: type) -> Codec:
    arguments = typing.get_args(hint)
    if dataclasses.is_dataclass(origin):
        return _Dataclass(origin)
    if issubclass(origin, Enum):
        return enum(origin)
    if origin is tuple and (not arguments or arguments[1:] == (...,)):
        return _sequence(tuple, arguments[:1])
    if origin in _SEQUENCES:
        return _sequence(_SEQUENCES[origin], arguments)
    return _mapping(_MAPPINGS[origin], arguments) if origin in _MAPPINGS else refusing(hint)


def _sequence(kind: Callable[[list[Any]], Any], arguments: tuple[Any, ...]) -> Codec:
    item = codec_of(arguments[0] if arguments else Any)

    def encode(value: Any) -> list[Any]:
        if not is_a(value, list | tuple):
            raise refusal("a list or tuple", value)
        return _each(item.encode, value)

    def decode(data: Any) -> Any:
        if type(data) not in _LISTS:
            raise refusal("a list", data)
        items = _each(item.decode, data)
        return items if kind is list else kind(items)

    return Simple(encode, decode, (list, tuple), frozenset(_LISTS))


def _each(turn: Callable[[Any], Any], values: Iterable[Any]) -> list[Any]:
    turned: list[Any] = []
    try:
        for value in values:
            turned.append(turn(value))  # noqa: PERF401 - its length is the index that failed
    except Misfit as misfit:
        misfit.path.append(f"[{len(turned)}]")
        raise
    return turned


def _mapping(kind: Callable[[dict[str, Any]], Any], arguments: tuple[Any, ...]) -> Codec:
    if arguments and arguments[0] is not str:
        return refusing(kind)
    item = codec_of(arguments[1] if arguments else Any)

    def encode(value: Any) -> dict[str, Any]:
        if not is_a(value, Mapping):
            raise refusal("a mapping", value)
        return _each_value(item.encode, value)

    def decode(data: Any) -> Any:
        if type(data) not in _DICTS:
            raise refusal("an object", data)
        values = _each_value(item.decode, data)
        return values if kind is dict else kind(values)

    return Simple(encode, decode, (dict, Mapping), frozenset(_DICTS))


def _each_value(turn: Callable[[Any], Any], values: Mapping[Any, Any]) -> dict[str, Any]:
    turned: dict[str, Any] = {}
    for key, value in values.items():
        if type(key) is not str:
            raise refusal("a str as key", key)
        try:
            turned[key] = turn(value)
        except Misfit as misfit:
            misfit.path.append(f"[{key!r}]")
            raise
    return turned


class _Dataclass:
    """The codec of a dataclass: its fields, and its class attribute `type` where it has one."""

    def __init__(self, cls: Any) -> None:
        self.cls = cls
        self.takes: tuple[type, ...] = (cls,)
        self.reads: frozenset[type] = frozenset(_DICTS)
        names = {field.name for field in dataclasses.fields(cls)}
        tag = getattr(cls, "type", None)
        self.tag: str | None = tag if isinstance(tag, str) and "type" not in names else None

    # On first use, not when made: a class may mention itself.
    @cached_property
    def fields(self) -> dict[str, Codec]:
        hints = typing.get_type_hints(self.cls)
        return {f.name: codec_of(hints[f.name]) for f in dataclasses.fields(self.cls) if f.init}

    @cached_property
    def required(self) -> frozenset[str]:
        missing = dataclasses.MISSING
        return frozenset(
            f.name
            for f in dataclasses.fields(self.cls)
            if f.init and f.default is missing and f.default_factory is missing
        )

    def encode(self, value: Any) -> dict[str, Any]:
        if type(value) is not self.cls:
            raise refusal(self.cls.__qualname__, value)
        data: dict[str, Any] = {} if self.tag is None else {"type": self.tag}
        for name, codec in self.fields.items():
            try:
                data[name] = codec.encode(getattr(value, name))
            except Misfit as misfit:
                misfit.path.append(f".{name}")
                raise
        return data

    def decode(self, data: Any) -> Any:
        if type(data) not in _DICTS:
            raise refusal(f"an object for {self.cls.__qualname__}", data)
        if self.tag is not None and data.get("type") != self.tag:
            raise Misfit(ValueError, f"expected type {self.tag!r}; got {data.get('type')!r}")
        values = self._values(data)
        if missing := self.required - values.keys():
            raise Misfit(ValueError, f"{self.cls.__qualname__} lacks {', '.join(sorted(missing))}")
        return self._build(values)

    def _values(self, data: dict[str, Any]) -> dict[str, Any]:
        fields = self.fields
        values: dict[str, Any] = {}
        for name, item in data.items():
            codec = fields.get(name)
            if codec is None:
                if name == "type" and self.tag is not None:
                    continue
                raise Misfit(ValueError, f"{self.cls.__qualname__} has no field {name!r}")
            try:
                values[name] = codec.decode(item)
            except Misfit as misfit:
                misfit.path.append(f".{name}")
                raise
        return values

    def _build(self, values: dict[str, Any]) -> Any:
        try:
            return self.cls(**values)
        except (TypeError, ValueError) as problem:
            raise Misfit(ValueError, str(problem)) from None


def _union(hints: tuple[Any, ...]) -> Codec:
    members = [codec_of(hint) for hint in hints]
    if ANY in members:
        return ANY
    tagged = [m for m in members if isinstance(m, _Dataclass) and m.tag is not None]
    others = [m for m in members if m not in tagged]
    if not tagged and len(others) == 2 and NONE in others:  # noqa: PLR2004 - X | None
        return _optional(others[others[0] is NONE])
    return _Union(tagged, others)


def _optional(member: Codec) -> Codec:
    encode, decode = member.encode, member.decode

    def encode_it(value: Any) -> Any:
        return None if value is None else encode(value)

    def decode_it(data: Any) -> Any:
        return None if data is None else decode(data)

    takes = (*member.takes, types.NoneType) if member.takes else ()
    return Simple(encode_it, decode_it, takes, member.reads | {types.NoneType})


class _Union:
    """The codec of a union: the member is told by `type`, or else by the kind of JSON."""

    def __init__(self, tagged: list[_Dataclass], others: list[Codec]) -> None:
        self.takes = tuple(kind for member in (*tagged, *others) for kind in member.takes)
        self.by_tag = {member.tag: member for member in tagged}
        self.fallback = self.by_tag.get(_FALLBACK_TYPE)
        self.by_class: dict[type, Codec] = {member.cls: member for member in tagged}
        self.others = others
        self.by_kind: dict[type, Codec] = {}
        self.ambiguous: set[type] = set()
        for member in others:
            self.ambiguous |= member.reads & self.by_kind.keys()
            self.by_kind |= dict.fromkeys(member.reads, member)
        if tagged:
            self.ambiguous |= self.by_kind.keys() & set(_DICTS)
        objects: tuple[type, ...] = _DICTS if tagged else ()
        self.reads: frozenset[type] = frozenset((*self.by_kind, *objects))

    def encode(self, value: Any) -> Any:
        member = self.by_class.get(kind_of(value))
        if member is not None:
            return member.encode(value)
        for other in self._exact_first(value):
            data = other.encode(value)
            self._check_one_form(data)
            return data
        raise refusal("a member of the union", value)

    def _exact_first(self, value: Any) -> list[Codec]:
        matching = [other for other in self.others if isinstance(value, other.takes)]
        return sorted(matching, key=lambda other: type(value) not in other.takes)

    def _check_one_form(self, data: Any) -> None:
        if type(data) in self.ambiguous:
            raise Misfit(TypeError, f"two members of the union look like {type(data).__name__}")

    def decode(self, data: Any) -> Any:
        kind = kind_of(data)
        self._check_one_form(data)
        if self.by_tag and kind in _DICTS:
            return self._tagged(data)
        member = self.by_kind.get(kind)
        if member is None:
            raise refusal("a member of the union", data)
        return member.decode(data)

    def _tagged(self, data: dict[str, Any]) -> Any:
        tag = data.get("type")
        if not isinstance(tag, str):
            raise Misfit(ValueError, f"expected a `type` that is text; got {tag!r}")
        member = self.by_tag.get(tag)
        if member is not None:
            return member.decode(data)
        if self.fallback is None:
            raise Misfit(ValueError, f"type {tag!r} is none of {sorted(map(str, self.by_tag))}")
        return self.fallback.cls(raw=copy_part(data))
