"""What differs between the servers and models of this API, as data."""

from dataclasses import dataclass

__all__ = ["Dialect"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """One server's ways; the defaults are those that every model of Anthropic's understands.

    Attributes:
        provider: The provider's name, which results and errors carry.
        has_json_schema: Whether an answer can be held to a JSON Schema; older models cannot. The
            API wants `additionalProperties: false` in every object of such a schema.
        has_adaptive_thinking: Whether the model takes a reasoning effort as it is; otherwise the
            effort becomes a budget of tokens, which the newest models refuse.

    """

    provider: str = "anthropic"
    has_json_schema: bool = False
    has_adaptive_thinking: bool = False
