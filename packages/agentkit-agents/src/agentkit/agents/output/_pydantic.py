"""Output declared as a pydantic model."""

from collections.abc import Mapping
from typing import Any, Final

from pydantic import BaseModel, PydanticUserError, RootModel

from agentkit.agents._shapes import Definitions, shape_of
from agentkit.agents.output._base import ShapeAdapter

__all__ = ["PydanticAdapter"]

_NARROWER: Final = frozenset({"$ref", "anyOf", "oneOf", "allOf", "enum", "const"})
"""Keywords beside which a schema that names no type does not take any."""


class PydanticAdapter(ShapeAdapter):
    """A pydantic model as output; a partial object tells by `model_fields_set` what has arrived.

    Raises:
        TypeError: A field has a type with no JSON form, or the model is one of another type whose
            JSON is never an object.

    """

    def __init__(self, model: type[BaseModel], *, name: str | None = None) -> None:
        super().__init__(model, shape_of(model), name=name)
        if issubclass(model, RootModel) and not _may_be_object(self.json_schema()):
            raise TypeError(
                f"{model.__name__} is never written as a JSON object, and an answer is one: "
                "make it a field of a model"
            )

    def json_schema(self) -> dict[str, Any]:
        """Give the model's schema, without a `default` on required fields.

        Raises:
            TypeError: A field that only the model's own configuration allows has none.

        """
        definitions = Definitions()
        try:
            return definitions.attach_to(self._shape.schema(definitions))
        except PydanticUserError as exc:
            reason = str(exc).partition("\n")[0]
            raise TypeError(f"{self.name} cannot be described to a model: {reason}") from None


def _may_be_object(schema: Mapping[str, Any]) -> bool:
    """Say whether any object fits a *schema* that pydantic has made of a type."""
    definitions: Mapping[str, Any] = schema.get("$defs", {})
    waiting, seen = [schema], set[str]()
    while waiting:
        part = waiting.pop()
        name = str(part.get("$ref", "")).rpartition("/")[2]
        if name and name not in seen:
            seen.add(name)
            waiting.append(definitions[name])
        waiting.extend(part.get("anyOf", part.get("oneOf", part.get("allOf", ()))))
        if part.get("type", "object") == "object" and not _NARROWER & part.keys():
            return True
    return False
