"""Replay records as JSON text, and back as data."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from types import UnionType
from typing import Any

from agentkit.core.contracts.replay import ReplayRecord
from agentkit.core.contracts.store_rules import decode_value
from agentkit.core.serialization import canonical_json, to_json

__all__ = ["as_data", "from_text", "to_text"]


def as_data(record: ReplayRecord) -> ReplayRecord:
    """Give *record* with payloads of plain JSON; a part without JSON form becomes its type's name.

    So a typed `parsed`, or a cache hint of the caller's, costs nobody the rest of the record.
    """
    return dataclasses.replace(
        record, request=_data(record.request), response=_data(record.response)
    )


def to_text(record: ReplayRecord) -> str:
    """Give the JSON text of *record*; raises `TypeError` or `ValueError` for what is not JSON."""
    return canonical_json(to_json(record))


def from_text(text: bytes) -> ReplayRecord:
    """Give the record that *text* holds; raises `ValueError` when it holds none."""
    fields = decode_value(text)
    try:
        return ReplayRecord(**fields)
    except TypeError:
        raise ValueError("this is no replay record") from None


def _data(value: Any) -> Any:
    try:
        return to_json(value)
    except (TypeError, ValueError):
        return _data_by_parts(value)


def _data_by_parts(value: Any) -> Any:
    if _is_a(value, Mapping):
        return {str(key): _data(item) for key, item in value.items()}
    if _is_a(value, list | tuple):
        return [_data(item) for item in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: _data(getattr(value, f.name)) for f in dataclasses.fields(value)}
    return {"not_json": type(value).__qualname__}


def _is_a(value: object, kind: type | UnionType) -> bool:
    """Do as `isinstance`, without making a type checker forget that *value* holds anything."""
    return isinstance(value, kind)
