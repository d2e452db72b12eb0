"""How an argument is advertised: its type's schema, with its default."""

import inspect
from typing import Any

from agentkit.agents._shapes import Definitions, Shape

__all__ = ["advertised"]


def advertised(shape: Shape, default: Any, definitions: Definitions) -> dict[str, Any]:
    """Give the schema of an argument that is *default* when left out.

    Null is not advertised where leaving the argument out means the same.
    """
    schema = shape.schema(definitions)
    if default is inspect.Parameter.empty:
        return schema
    if default is None:
        return _without_null(schema)
    try:
        return {**schema, "default": shape.plain(default)}
    except Exception:  # noqa: BLE001 - a default of a foreign type is simply not shown
        return schema


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    arms: list[Any] = [arm for arm in schema.get("anyOf", []) if arm != {"type": "null"}]
    rest = {key: value for key, value in schema.items() if key != "anyOf"}
    if len(arms) == 1:
        return {**arms[0], **rest}
    return {**rest, "anyOf": arms} if arms else schema
