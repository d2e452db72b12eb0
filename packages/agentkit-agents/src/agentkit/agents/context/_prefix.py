"""The part of a context that stays the same from turn to turn."""

from dataclasses import dataclass

from agentkit.core.contracts.types import Message

__all__ = ["PrefixContext"]


@dataclass(frozen=True, slots=True)
class PrefixContext:
    """System prompt, grounding and output schema: sent first and unchanged, hence cached."""

    system_prompt: str = ""
    grounding: tuple[str, ...] = ()
    schema_block: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "grounding", tuple(self.grounding))

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing in it."""
        return not (self.system_prompt or self.grounding or self.schema_block)

    def as_messages(self) -> list[Message]:
        """Give it as system messages; the parts after the prompt are named."""
        messages: list[Message] = []
        if self.system_prompt:
            messages.append(Message("system", self.system_prompt))
        if self.grounding:
            text = "\n".join(["Relevant context:", *self.grounding])
            messages.append(Message("system", text, name="grounding"))
        if self.schema_block:
            messages.append(Message("system", self.schema_block, name="schema"))
        return messages
