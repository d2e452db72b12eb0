"""The `$defs` of one JSON Schema under construction."""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeGuard, cast

__all__ = ["Definitions"]

_PREFIX: Final = "#/$defs/"


class Definitions:
    """The named parts of one schema; two types of one name get two names."""

    def __init__(self) -> None:
        self._bodies: dict[str, dict[str, Any]] = {}
        self._names: dict[type, str] = {}

    def refer(self, kind: type, describe: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Give a reference to *kind*, described once; a type may refer to itself."""
        if kind not in self._names:
            name = self._free_name(kind.__name__)
            self._names[kind] = name
            self._bodies[name] = {}
            self._bodies[name] = describe()
        return {"$ref": _PREFIX + self._names[kind]}

    def absorb(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Take over the `$defs` of *schema* and give the rest of it, its references adapted."""
        parts: dict[str, dict[str, Any]] = schema.pop("$defs", {})
        renamed = {
            name: self._free_name(name)
            for name, body in parts.items()
            if self._bodies.get(name, body) != body
        }
        for name, body in parts.items():
            self._bodies[renamed.get(name, name)] = _with_references(body, renamed)
        rest: dict[str, Any] = _with_references(schema, renamed)
        return rest

    def attach_to(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Give *schema* with the definitions it refers to."""
        return {**schema, "$defs": self._bodies} if self._bodies else schema

    def _free_name(self, name: str) -> str:
        taken = sum(1 for other in self._bodies if other.partition("__")[0] == name)
        return f"{name}__{taken + 1}" if taken else name


def _with_references(node: Any, renamed: Mapping[str, str]) -> Any:
    """Give *node*, decoded JSON of which nothing more is known, with its references renamed."""
    if not renamed:
        return node
    if _is_array(node):
        return [_with_references(item, renamed) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        key: _renamed(value, renamed) if key == "$ref" else _with_references(value, renamed)
        for key, value in cast("dict[str, Any]", node).items()
    }


def _is_array(node: object) -> TypeGuard[list[Any]]:
    return isinstance(node, list)


def _renamed(reference: str, renamed: Mapping[str, str]) -> str:
    name = reference.removeprefix(_PREFIX)
    return _PREFIX + renamed.get(name, name)
