"""What the adapters over a shape have in common."""

from collections.abc import Mapping
from typing import Any

from agentkit.agents._shapes import ABSENT, Shape
from agentkit.agents.output._fences import decode_object
from agentkit.core.contracts.errors import OutputCoercionError
from agentkit.core.serialization.partial_json import read_partial

__all__ = ["ShapeAdapter"]


class ShapeAdapter:
    """A `SchemaAdapter` over the shape of a Python class."""

    def __init__(self, kind: type, shape: Shape, *, name: str | None) -> None:
        self._kind = kind
        self._shape = shape
        self._name = name or kind.__name__

    @property
    def name(self) -> str:
        """The output's name: the class's, unless told otherwise."""
        return self._name

    @property
    def python_type(self) -> type:
        """The class."""
        return self._kind

    def parse(self, raw: str | Mapping[str, Any]) -> Any:
        """Give the object in *raw*, a JSON text (fenced or not) or a decoded object.

        Raises:
            OutputCoercionError: *raw* is no JSON object, or does not fit the class.

        """
        decoded = decode_object(raw, name=self._name)
        return self._read(decoded, raw if isinstance(raw, str) else repr(raw))

    def partial_parse(self, raw: str) -> Any | None:
        """Give an object with the fields that have arrived, or None; see `partial_from`."""
        return self.partial_from(read_partial(raw))

    def partial_from(self, value: Any) -> Any | None:
        """Give an object with what the unfinished JSON *value* holds, or None.

        It is made without the class's own initialiser and may lack required fields.
        """
        part = self._shape.glimpse(value)
        return None if part is ABSENT else part

    def serialize(self, value: Any) -> dict[str, Any]:
        """Give *value* as JSON that `parse` gives back."""
        plain: dict[str, Any] = self._shape.plain(value)
        return plain

    def validate(self, value: Any) -> Any:
        """Give *value* if it is a valid object of the class; a decoded JSON object becomes one.

        Raises:
            OutputCoercionError: It is neither.

        """
        if not isinstance(value, self._kind):
            return self.parse(value)
        try:
            plain = self.serialize(value)
        except Exception as exc:  # noqa: BLE001 - whatever its parts raise, they do not fit
            fault = str(exc) or type(exc).__name__
            message = f"{self._name}: {fault}"
            raise OutputCoercionError(message, raw=repr(value), errors=[fault]) from None
        self._read(plain, repr(value))
        return value

    def _read(self, decoded: dict[str, Any], raw: str) -> Any:
        problems: list[str] = []
        read = self._shape.read(decoded, "", problems)
        if problems:
            told = "; ".join(problems)
            raise OutputCoercionError(f"{self._name}: {told}", raw=raw, errors=problems)
        return read
