"""Arrays, mappings and unions of other shapes."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from agentkit.agents._shapes._base import ABSENT, Shape, as_array, as_object, kind_of
from agentkit.agents._shapes._definitions import Definitions
from agentkit.agents._shapes._leaf import join_path

__all__ = ["ArrayShape", "MappingShape", "TupleShape", "UnionShape"]


class ArrayShape:
    """A list, set, frozenset or tuple of any length whose items have one shape."""

    def __init__(self, item: Shape, make: Callable[[Iterable[Any]], Any], *, unique: bool) -> None:
        self._item = item
        self._make = make
        self._unique = unique

    def schema(self, definitions: Definitions) -> dict[str, Any]:
        """Give an array schema with the schema of its items."""
        unique = {"uniqueItems": True} if self._unique else {}
        return {"type": "array", "items": self._item.schema(definitions), **unique}

    def read(self, value: object, at: str, problems: list[str]) -> Any:
        """Give the container of every item."""
        found = as_array(value)
        if found is None:
            problems.append(f"{at or 'value'}: expected an array, got {kind_of(value)}")
            return ABSENT
        before = len(problems)
        items = [self._item.read(item, join_path(at, i), problems) for i, item in enumerate(found)]
        return ABSENT if len(problems) > before else self._make(items)

    def glimpse(self, value: object) -> Any:
        """Give the container of the items that have arrived."""
        found = as_array(value)
        if found is None:
            return ABSENT
        items = (self._item.glimpse(item) for item in found)
        return self._make([item for item in items if item is not ABSENT])

    def plain(self, value: Any) -> Any:
        """Give the items as a list; those of a set in a stable order."""
        items = [self._item.plain(item) for item in value]
        return sorted(items, key=repr) if self._unique else items


class TupleShape:
    """A tuple of fixed length, each item with its own shape."""

    def __init__(self, items: Sequence[Shape]) -> None:
        self._items = tuple(items)

    def schema(self, definitions: Definitions) -> dict[str, Any]:
        """Give an array schema of exactly these items."""
        count = len(self._items)
        items = [item.schema(definitions) for item in self._items]
        return {"type": "array", "prefixItems": items, "minItems": count, "maxItems": count}

    def read(self, value: object, at: str, problems: list[str]) -> Any:
        """Give the tuple."""
        found = as_array(value)
        if found is None or len(found) != len(self._items):
            problems.append(f"{at or 'value'}: expected an array of {len(self._items)} items")
            return ABSENT
        before = len(problems)
        pairs = enumerate(zip(self._items, found, strict=True))
        items = tuple(shape.read(item, join_path(at, i), problems) for i, (shape, item) in pairs)
        return ABSENT if len(problems) > before else items

    def glimpse(self, value: object) -> Any:
        """Give the tuple once all of it has arrived."""
        return self.read(value, "", [])

    def plain(self, value: Any) -> Any:
        """Give the items as a list."""
        return [shape.plain(item) for shape, item in zip(self._items, value, strict=True)]


class MappingShape:
    """A dict with string keys whose values have one shape."""

    def __init__(self, item: Shape) -> None:
        self._item = item

    def schema(self, definitions: Definitions) -> dict[str, Any]:
        """Give an object schema with the schema of its values."""
        return {"type": "object", "additionalProperties": self._item.schema(definitions)}

    def read(self, value: object, at: str, problems: list[str]) -> Any:
        """Give the dict."""
        found = as_object(value)
        if found is None:
            problems.append(f"{at or 'value'}: expected an object, got {kind_of(value)}")
            return ABSENT
        before = len(problems)
        items = {
            key: self._item.read(item, join_path(at, key), problems) for key, item in found.items()
        }
        return ABSENT if len(problems) > before else items

    def glimpse(self, value: object) -> Any:
        """Give the dict of the values that have arrived."""
        found = as_object(value)
        if found is None:
            return ABSENT
        items = {key: self._item.glimpse(item) for key, item in found.items()}
        return {key: item for key, item in items.items() if item is not ABSENT}

    def plain(self, value: Any) -> Any:
        """Give the dict with plain values."""
        return {key: self._item.plain(item) for key, item in value.items()}


class UnionShape:
    """One of several shapes, the first that fits; perhaps also null."""

    def __init__(self, arms: Sequence[Shape], *, nullable: bool) -> None:
        self._arms = tuple(arms)
        self._nullable = nullable

    def schema(self, definitions: Definitions) -> dict[str, Any]:
        """Give the schemas of the arms under `anyOf`."""
        arms = [arm.schema(definitions) for arm in self._arms]
        return {"anyOf": [*arms, {"type": "null"}] if self._nullable else arms}

    def read(self, value: object, at: str, problems: list[str]) -> Any:
        """Give *value* as the first arm that takes it."""
        if value is None and self._nullable:
            return None
        tried: list[list[str]] = []
        for arm in self._arms:
            tried.append([])
            read = arm.read(value, at, tried[-1])
            if not tried[-1]:
                return read
        closest = min(tried, key=len)
        problems.extend(closest)
        return ABSENT

    def glimpse(self, value: object) -> Any:
        """Give the whole value where an arm takes it, else what an arm makes of a part."""
        whole = self.read(value, "", [])
        if whole is not ABSENT or value is None:
            return whole
        glimpses = (arm.glimpse(value) for arm in self._arms)
        return next((part for part in glimpses if part is not ABSENT), ABSENT)

    def plain(self, value: Any) -> Any:
        """Give *value* as the first arm writes it whose reader takes that back unchanged."""
        if value is None:
            return None
        for arm in self._arms:
            written = _written_by(arm, value)
            problems: list[str] = []
            if written is not ABSENT and arm.read(written, "", problems) == value and not problems:
                return written
        return self._arms[0].plain(value)


def _written_by(arm: Shape, value: Any) -> Any:
    try:
        return arm.plain(value)
    except Exception:  # noqa: BLE001 - the value belongs to another arm, whose classes are not ours
        return ABSENT
