"""Python types as shapes: the JSON Schema of a type, and values read strictly from JSON."""

from agentkit.agents._shapes._base import ABSENT, Shape, as_object
from agentkit.agents._shapes._compile import shape_of
from agentkit.agents._shapes._definitions import Definitions
from agentkit.agents._shapes._record import RecordShape, is_attrs_class, is_record_class

__all__ = [
    "ABSENT",
    "Definitions",
    "RecordShape",
    "Shape",
    "as_object",
    "is_attrs_class",
    "is_record_class",
    "shape_of",
]
