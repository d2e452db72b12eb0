"""Structured output, as callers ask for it: in the form of the chat-completions API."""

import json
from collections.abc import Mapping
from typing import Any

from agentkit.models.codecs._json import is_dict

__all__ = ["json_instruction", "schema_of"]


def schema_of(wanted: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Give the JSON Schema that *wanted* asks for: an empty one for any object, None for text.

    Raises:
        ValueError: *wanted* is none of the known forms.

    """
    kind = None if wanted is None else wanted.get("type")
    if wanted is None or kind == "text":
        return None
    if kind == "json_object":
        return {}
    if kind != "json_schema":
        raise ValueError(
            f"response_format has the type text, json_object or json_schema; got {kind!r}"
        )
    described = wanted.get("json_schema")
    schema = described.get("schema") if is_dict(described) else None
    if not is_dict(schema):
        raise ValueError("a response_format of type json_schema has its schema in json_schema")
    return schema


def json_instruction(schema: Mapping[str, Any] | None) -> str:
    """Give the words that stand in for a mode that the provider does not have; none for None."""
    if schema is None:
        return ""
    only = "Answer with one JSON object and nothing else."
    if not schema:
        return only
    return f"{only} It conforms to this JSON Schema:\n{json.dumps(schema, sort_keys=True)}"
