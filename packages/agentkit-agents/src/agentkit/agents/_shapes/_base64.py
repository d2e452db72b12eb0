"""Bytes, written as base64 in both directions: JSON has text only."""

import base64
import binascii
from typing import Any, Final

from agentkit.agents._shapes._base import ABSENT, kind_of
from agentkit.agents._shapes._definitions import Definitions

__all__ = ["BytesShape"]

_SCHEMA: Final = {"type": "string", "format": "base64"}


class BytesShape:
    """Bytes, as text in base64."""

    def schema(self, definitions: Definitions) -> dict[str, Any]:  # noqa: ARG002 - the protocol's
        """Give the schema of such a text."""
        return dict(_SCHEMA)

    def read(self, value: object, at: str, problems: list[str]) -> Any:
        """Give the bytes."""
        if not isinstance(value, str):
            problems.append(f"{at or 'value'}: expected base64 text, got {kind_of(value)}")
            return ABSENT
        try:
            return base64.b64decode(value, validate=True)
        except (binascii.Error, ValueError) as exc:
            problems.append(f"{at or 'value'}: no base64: {exc}")
            return ABSENT

    def glimpse(self, value: object) -> Any:
        """Give the bytes once their text is whole enough to be read."""
        return self.read(value, "", [])

    def plain(self, value: Any) -> Any:
        """Give *value* as base64."""
        return base64.b64encode(value).decode("ascii")
