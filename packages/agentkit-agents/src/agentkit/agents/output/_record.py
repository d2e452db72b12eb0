"""Output declared as a dataclass or an attrs class."""

from typing import Any, cast

from agentkit.agents._shapes import Definitions, RecordShape, shape_of
from agentkit.agents.output._base import ShapeAdapter

__all__ = ["RecordAdapter"]


class RecordAdapter(ShapeAdapter):
    """A dataclass or attrs class as output, read strictly.

    A partial object is made without `__init__`: a field that has neither arrived nor a default is
    absent, so look with `getattr(obj, "title", None)`.

    Raises:
        TypeError: A field has a type with no JSON form.

    """

    def __init__(self, kind: type, *, name: str | None = None) -> None:
        super().__init__(kind, shape_of(kind), name=name)

    def json_schema(self) -> dict[str, Any]:
        """Give the schema of the class; it takes no additional properties."""
        definitions = Definitions()
        shape = cast("RecordShape", self._shape)  # the shape of a record class is a record's
        return definitions.attach_to(shape.describe(definitions))
