"""Pydantic models: read by their own rules, glimpsed field by field."""

from typing import Any

from pydantic import AliasChoices, BaseModel
from pydantic import ValidationError as PydanticError
from pydantic.fields import FieldInfo

from agentkit.agents._shapes._base import ABSENT, Shape, as_object
from agentkit.agents._shapes._definitions import Definitions
from agentkit.agents._shapes._leaf import json_text, problems_of, refusal_of
from agentkit.agents._shapes._partial import partial_model
from agentkit.core.contracts.errors import Cancelled

__all__ = ["ModelShape"]


class ModelShape:
    """A pydantic model; its own configuration decides how strictly it is read."""

    def __init__(self, model: type[BaseModel], fields: dict[str, Shape]) -> None:
        self._model = model
        self._fields = fields

    def schema(self, definitions: Definitions) -> dict[str, Any]:
        """Give the model's schema."""
        return definitions.absorb(_without_spurious_defaults(self._model.model_json_schema()))

    def read(self, value: object, at: str, problems: list[str]) -> Any:
        """Give *value* as an instance of the model."""
        text = json_text(value, at, problems)
        if text is None:
            return ABSENT
        try:
            return self._model.model_validate_json(text)
        except PydanticError as exc:
            problems.extend(problems_of(exc, at))
        except Cancelled:
            raise
        except Exception as exc:  # noqa: BLE001 - the model's own validators refuse the value
            problems.append(refusal_of(exc, at))
        return ABSENT

    def glimpse(self, value: object) -> Any:
        """Give an unvalidated instance that holds the fields that have arrived, and no others."""
        found = as_object(value)
        if found is None:
            return ABSENT
        arrived: dict[str, Any] = {}
        for name, info in self._model.model_fields.items():
            key = next((key for key in _keys_of(name, info) if key in found), None)
            part = ABSENT if key is None else self._fields[name].glimpse(found[key])
            if part is not ABSENT:
                arrived[name] = part
        return partial_model(self._model, arrived)

    def plain(self, value: Any) -> Any:
        """Give *value* under the keys that validation takes."""
        dumped: Any = value.model_dump(mode="json", by_alias=False)
        fields = as_object(dumped)  # a model may have a serializer of its own
        return dumped if fields is None else self._under_validation_keys(fields, value)

    def _under_validation_keys(self, dumped: dict[str, Any], value: BaseModel) -> dict[str, Any]:
        renamed: dict[str, Any] = {}
        for name, content in dumped.items():
            info = self._model.model_fields.get(name)
            if info is None:
                if name not in self._model.model_computed_fields:
                    renamed[name] = content
                continue
            shape = self._fields[name]
            renamed[_keys_of(name, info)[0]] = shape.plain(getattr(value, name))
        return renamed


def _keys_of(name: str, info: FieldInfo) -> list[str]:
    """Give the keys under which a field is found in JSON, the one validation prefers first."""
    alias = info.validation_alias
    aliases = alias.choices if isinstance(alias, AliasChoices) else [alias]
    return [*(key for key in aliases if isinstance(key, str)), name]


def _without_spurious_defaults(schema: dict[str, Any]) -> dict[str, Any]:
    """Drop `default` from required fields, where it would contradict itself."""
    for part in [schema, *schema.get("$defs", {}).values()]:
        required = set(part.get("required", ()))
        for name, field in part.get("properties", {}).items():
            if name in required:
                field.pop("default", None)
    return schema
