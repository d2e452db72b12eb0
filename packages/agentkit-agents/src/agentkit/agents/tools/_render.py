"""A tool's result as the text a model reads."""

import base64
import json
from collections.abc import Mapping
from enum import Enum
from typing import Any

from pydantic import BaseModel

from agentkit.agents._shapes import is_record_class

__all__ = ["render_result"]


def render_result(value: Any) -> str:
    """Give *value* as text: a string as it is, everything else as JSON, else by its `str`."""
    if isinstance(value, str):
        return str(value)
    try:
        return json.dumps(value, ensure_ascii=False, default=_plainer)
    except (TypeError, ValueError):  # keys that are no JSON, or a value that contains itself
        return str(value)


def _plainer(value: Any) -> Any:
    """Give what JSON has no form for as something closer to it."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if is_record_class(type(value)):
        return {name: getattr(value, name) for name in _field_names(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, bytes | bytearray):
        return base64.b64encode(value).decode()
    return _plainer_container(value)


def _plainer_container(value: Any) -> Any:
    found: Any = value
    if isinstance(value, Mapping):
        return {str(key): found[key] for key in found}
    if isinstance(value, set | frozenset):
        return sorted(found, key=str)
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _field_names(value: Any) -> list[str]:
    if hasattr(value, "__attrs_attrs__"):
        return [field.name for field in value.__attrs_attrs__]
    return list(value.__dataclass_fields__)
