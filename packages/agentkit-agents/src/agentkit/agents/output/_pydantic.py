"""Output declared as a pydantic model."""

from typing import Any

from pydantic import BaseModel

from agentkit.agents._shapes import Definitions, shape_of
from agentkit.agents.output._base import ShapeAdapter

__all__ = ["PydanticAdapter"]


class PydanticAdapter(ShapeAdapter):
    """A pydantic model as output; a partial object tells by `model_fields_set` what has arrived."""

    def __init__(self, model: type[BaseModel], *, name: str | None = None) -> None:
        super().__init__(model, shape_of(model), name=name)

    def json_schema(self) -> dict[str, Any]:
        """Give the model's schema, without a `default` on required fields."""
        definitions = Definitions()
        return definitions.attach_to(self._shape.schema(definitions))
