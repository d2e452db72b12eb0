"""From a declared output to its adapter."""

import dataclasses
from typing import Any, cast

from pydantic import BaseModel

from agentkit.agents._shapes import is_attrs_class
from agentkit.agents.output._json_schema import JsonSchemaAdapter
from agentkit.agents.output._pydantic import PydanticAdapter
from agentkit.agents.output._record import RecordAdapter
from agentkit.core.contracts.protocols import SchemaAdapter

__all__ = ["adapt"]


def adapt(output: Any, *, name: str | None = None) -> SchemaAdapter:
    """Give the adapter of *output*, called *name* unless it should be the type's own name.

    Taken are a pydantic model, an attrs class, a dataclass, a JSON Schema with `"type": "object"`,
    and an adapter, which comes back as it is.

    What it is given is looked at, not trusted.

    Raises:
        TypeError: *output* is none of them, or a field of it has no JSON form.
        NotImplementedError: It is a msgspec struct.
        ImportError: It is a JSON Schema and the extra `[jsonschema]` is missing.

    """
    if isinstance(output, type):
        return _adapt_class(cast("type[Any]", output), name)
    if isinstance(output, dict):
        return _adapt_schema(cast("dict[str, Any]", output), name)
    if isinstance(output, SchemaAdapter):
        return output
    raise _unsupported(output)


def _adapt_class(output: Any, name: str | None) -> SchemaAdapter:
    if issubclass(output, BaseModel):
        return PydanticAdapter(output, name=name)
    if hasattr(output, "__struct_fields__"):
        raise NotImplementedError(
            f"output={output.__name__} is a msgspec struct, which is not supported; "
            "declare a pydantic model, a dataclass or an attrs class"
        )
    if is_attrs_class(output) or dataclasses.is_dataclass(output):
        record: Any = output
        return RecordAdapter(record, name=name)
    raise _unsupported(output)


def _adapt_schema(output: dict[str, Any], name: str | None) -> SchemaAdapter:
    if output.get("type") != "object":
        raise TypeError(
            f'a JSON Schema as output has "type": "object"; got "type": {output.get("type")!r}'
        )
    return JsonSchemaAdapter(output, name=name)


def _unsupported(output: Any) -> TypeError:
    return TypeError(
        "output is a pydantic model, a dataclass, an attrs class or a JSON Schema of an object; "
        f"got {output!r}"
    )
