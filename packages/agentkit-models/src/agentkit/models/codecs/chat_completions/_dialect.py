"""What differs between providers of the same API, as data."""

from dataclasses import dataclass

__all__ = ["Dialect"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """One provider's ways; the defaults are those that most servers share.

    Attributes:
        provider: The provider's name, which results and errors carry.
        max_tokens: The field for the ceiling on output tokens.
        seed: The field for the seed.
        reasoning_effort: Where the reasoning effort goes, key by key; empty where it cannot.
        has_json_schema: Whether an answer can be held to a JSON Schema.

    """

    provider: str = "openai_compatible"
    max_tokens: str = "max_tokens"
    seed: str = "seed"
    reasoning_effort: tuple[str, ...] = ("reasoning_effort",)
    has_json_schema: bool = True
