"""What a model can do, where that is known."""

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["CAPABILITY_NAMES", "Capability", "ModelCapabilities"]


class Capability(StrEnum):
    """Whether a model has a capability; the third value is not a guess at either of the others."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


CAPABILITY_NAMES = ("tools", "structured_output", "native_json_schema", "streaming", "vision")
"""The capabilities that can be declared and required."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCapabilities:
    """What a model declares; nothing is guessed, so the defaults say that nothing is known.

    Attributes:
        tools: It takes tools.
        structured_output: It can be steered to JSON at all, by a mode or by an instruction.
        native_json_schema: The server can hold its answer to a JSON Schema.
        streaming: Its answer can be streamed.
        vision: It sees images.
        context_window: The tokens that it can hold, or None.

    """

    tools: Capability = Capability.UNKNOWN
    structured_output: Capability = Capability.UNKNOWN
    native_json_schema: Capability = Capability.UNKNOWN
    streaming: Capability = Capability.UNKNOWN
    vision: Capability = Capability.UNKNOWN
    context_window: int | None = None

    def get(self, name: str) -> Capability:
        """Give the capability called *name*.

        Raises:
            ValueError: There is none of that name: a typo, which must not read as unknown.

        """
        if name not in CAPABILITY_NAMES:
            known = ", ".join(CAPABILITY_NAMES)
            raise ValueError(f"there is no capability {name!r}; the capabilities are {known}")
        value: Capability = getattr(self, name)
        return value

    @property
    def all_unknown(self) -> bool:
        """Whether no capability is known."""
        return all(self.get(name) is Capability.UNKNOWN for name in CAPABILITY_NAMES)
