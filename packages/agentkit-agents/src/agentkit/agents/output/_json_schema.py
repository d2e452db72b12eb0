"""Output declared as a JSON Schema, for which there is no Python class."""

import importlib
import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from agentkit.agents._json import is_json
from agentkit.agents._shapes import as_object
from agentkit.agents.output._fences import decode_object
from agentkit.core.contracts.errors import OutputCoercionError
from agentkit.core.serialization import deep_freeze
from agentkit.core.serialization.partial_json import read_partial

__all__ = ["JsonSchemaAdapter"]

_DATA: Final = frozenset({"const", "enum", "default", "examples"})
"""Keywords whose value is data, in which `$ref` means nothing."""


class JsonSchemaAdapter:
    """A JSON Schema of an object as output; the answer is a dict.

    Raises:
        ImportError: The extra `agentkit-agents[jsonschema]` is not installed.
        TypeError: *schema* is no valid JSON Schema, or refers to what is not in it.

    """

    def __init__(self, schema: Mapping[str, Any], *, name: str | None = None) -> None:
        self._schema: dict[str, Any] = deep_freeze(dict(schema))
        self._validator = _validator_of(self._schema)
        self._name = name or str(schema.get("title") or "Output")

    @property
    def name(self) -> str:
        """The output's name: the schema's title, unless told otherwise."""
        return self._name

    @property
    def python_type(self) -> type:
        """Always dict."""
        return dict

    def json_schema(self) -> dict[str, Any]:
        """Give a copy of the schema."""
        copied: dict[str, Any] = json.loads(json.dumps(self._schema))
        return copied

    def parse(self, raw: str | Mapping[str, Any]) -> dict[str, Any]:
        """Give the object in *raw*, a JSON text (fenced or not) or a decoded object.

        Raises:
            OutputCoercionError: *raw* is no JSON object, or does not fit the schema.

        """
        decoded = decode_object(raw, name=self._name)
        problems = self._problems_of(decoded)
        if not (problems or isinstance(raw, str) or is_json(decoded)):
            problems = ["value: no JSON value"]
        if problems:
            shown = raw if isinstance(raw, str) else json.dumps(raw, default=repr)
            message = f"{self._name}: {'; '.join(problems)}"
            raise OutputCoercionError(message, raw=shown, errors=problems)
        return decoded

    def _problems_of(self, decoded: dict[str, Any]) -> list[str]:
        try:
            return [_told(fault) for fault in self._validator.iter_errors(decoded)]
        except Exception as exc:  # noqa: BLE001 - a pattern, say, that the answer cannot be tried with
            return [f"value: cannot be checked: {str(exc) or type(exc).__name__}"]

    def partial_parse(self, raw: str) -> dict[str, Any] | None:
        """Give the part of the object that has arrived, or None."""
        return self.partial_from(read_partial(raw))

    def partial_from(self, value: Any) -> dict[str, Any] | None:
        """Give the unfinished JSON *value* if it is an object, else None."""
        return as_object(value)

    def serialize(self, value: Any) -> dict[str, Any]:
        """Give *value* as a plain dict."""
        plain: dict[str, Any] = json.loads(json.dumps(value))
        return plain

    def validate(self, value: Any) -> dict[str, Any]:
        """Give *value* if it fits the schema.

        Raises:
            OutputCoercionError: It does not.

        """
        return self.parse(value)


def _validator_of(schema: dict[str, Any]) -> Any:
    try:
        library: Any = importlib.import_module("jsonschema")
    except ImportError:
        raise ImportError(
            "output declared as a JSON Schema needs jsonschema: "
            "pip install 'agentkit-agents[jsonschema]'"
        ) from None
    kind = library.validators.validator_for(schema, default=library.Draft202012Validator)
    try:
        kind.check_schema(schema)
    except library.SchemaError as exc:
        raise TypeError(f"output is no valid JSON Schema: {exc.message}") from None
    # With a registry of its own it looks nothing up in the network.
    validator = kind(schema, registry=importlib.import_module("referencing").Registry())
    _check_references(validator, schema)
    return validator


def _check_references(validator: Any, schema: dict[str, Any]) -> None:
    """Refuse a reference to what is not there; one below a part with an id of its own is let be."""
    for reference in _references_in({k: v for k, v in schema.items() if k != "$id"}):
        try:
            list(validator.evolve(schema={"$ref": reference}).iter_errors(None))
        except Exception:  # noqa: BLE001 - however the library says that it leads nowhere
            raise TypeError(
                f'output is no valid JSON Schema: nothing is at "$ref": {reference!r}'
            ) from None


def _references_in(node: Any) -> Iterator[str]:
    if isinstance(node, list | tuple):
        for item in cast("list[Any]", node):
            yield from _references_in(item)
        return
    found = as_object(node)
    if found is None or "$id" in found:
        return
    for key, item in found.items():
        if key == "$ref" and isinstance(item, str):
            yield item
        elif key not in _DATA:
            yield from _references_in(item)


def _told(fault: Any) -> str:
    path = str(fault.json_path).removeprefix("$").removeprefix(".")
    return f"{path or 'value'}: {fault.message}"
