"""The model-neutral contract: messages and options in, one response out, or its stream."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, Protocol, runtime_checkable
from uuid import uuid4

from agentkit.core.contracts._checks import (
    check_counts,
    check_kinds,
    check_number,
    check_texts,
    freeze_items,
    freeze_mappings,
    no_data,
)
from agentkit.core.contracts.content import ChatMessage, ContentBlock
from agentkit.core.contracts.errors import Cancelled
from agentkit.core.contracts.protocols import CancellationSignal
from agentkit.core.contracts.types import ModelUsage, ToolSchema

__all__ = [
    "CompletionEvent",
    "EmbeddingClient",
    "EmbeddingResult",
    "GenerationOptions",
    "LLMClient",
    "LLMResponse",
    "LLMStreamEvent",
    "ModelUsage",
    "ReasoningDelta",
    "RunMeta",
    "StopKind",
    "TextDelta",
]

StopKind = Literal["stop", "length", "tool_use", "content_filter", "refusal", "other"]
"""Why a model stopped, in our words: the answer is whole, cut at a limit, a call, withheld."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationOptions:
    """What tunes a call beyond its messages; a field left None is not sent.

    `tool_choice` is `auto`, `required`, `none`, a tool's name, or the provider's own dict.
    `response_format` is a JSON Schema in the chat-completions form. `cache` is advice: `5m` or
    `1h`. `extra` goes to the provider as it is.

    Raises:
        TypeError: A field is of another type.
        ValueError: A number is negative or not finite.

    """

    tools: list[ToolSchema] | None = None
    system_instructions: str = ""
    temperature: float | None = None
    max_tokens: int | None = None
    tool_choice: str | dict[str, Any] | None = None
    response_format: dict[str, Any] | None = None
    stop: list[str] | None = None
    seed: int | None = None
    reasoning_effort: str | None = None
    cache: str | None = None
    extra: dict[str, Any] = field(default_factory=no_data)

    def __post_init__(self) -> None:
        check_texts(self, "system_instructions")
        check_texts(self, "reasoning_effort", "cache", optional=True)
        check_number(self, "temperature", optional=True)
        check_counts(self, "max_tokens", optional=True)
        check_kinds(self, "seed", int, wanted="a whole number", optional=True)
        if self.tools is not None:
            freeze_items(self, "tools", ToolSchema, wanted="a ToolSchema")
        if self.stop is not None:
            freeze_items(self, "stop", str, wanted="text")
        if not isinstance(self.tool_choice, str):
            freeze_mappings(self, "tool_choice", optional=True)
        freeze_mappings(self, "response_format", optional=True)
        freeze_mappings(self, "extra")

    def __hash__(self) -> int:
        return hash((self.system_instructions, self.temperature, self.max_tokens, self.seed))


@dataclass(frozen=True, slots=True)
class LLMResponse:
    """A model's whole reply; `finish_reason` is the provider's word and `stop_kind` ours.

    Raises:
        TypeError: `content` is no list of blocks, or `usage` no `ModelUsage`.

    """

    content: list[ContentBlock]
    usage: ModelUsage
    finish_reason: str | None = field(default=None, kw_only=True)
    stop_kind: StopKind | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        freeze_items(self, "content", ContentBlock, wanted="a content block")
        check_kinds(self, "usage", ModelUsage, wanted="a ModelUsage")
        check_texts(self, "finish_reason", optional=True)

    def __hash__(self) -> int:
        return hash((tuple(self.content), self.usage, self.finish_reason))


@dataclass(frozen=True, slots=True)
class EmbeddingResult:
    """Vectors, one for each text and in its order, and what they cost in tokens.

    Raises:
        TypeError: `embeddings` is no list of lists, or `usage_tokens` no whole number.

    """

    embeddings: list[list[float]]
    model: str
    usage_tokens: int = 0

    def __post_init__(self) -> None:
        check_texts(self, "model")
        check_counts(self, "usage_tokens")
        freeze_items(self, "embeddings", (list, tuple), wanted="a list of numbers")

    def __hash__(self) -> int:
        return hash((self.model, self.usage_tokens, len(self.embeddings)))


@dataclass(frozen=True, slots=True)
class TextDelta:
    """An increment of visible text.

    Raises:
        TypeError: `text` is no text.

    """

    text: str
    agent_id: str | None = None
    run_id: str = ""
    seq: int = 0

    def __post_init__(self) -> None:
        if type(self.text) is not str:
            check_texts(self, "text")


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """An increment of the model's reasoning.

    Raises:
        TypeError: `text` is no text.

    """

    text: str
    agent_id: str | None = None
    run_id: str = ""
    seq: int = 0

    def __post_init__(self) -> None:
        if type(self.text) is not str:
            check_texts(self, "text")


@dataclass(frozen=True, slots=True)
class CompletionEvent:
    """The last event of a stream: the content and usage that `generate` would have given.

    Raises:
        TypeError: `content` is no list of blocks, `usage` no `ModelUsage`, `metadata` no dict.

    """

    content: list[ContentBlock]
    usage: ModelUsage = field(default_factory=ModelUsage)
    metadata: dict[str, str] = field(default_factory=no_data)
    agent_id: str | None = None
    run_id: str = ""
    seq: int = 0
    finish_reason: str | None = field(default=None, kw_only=True)
    stop_kind: StopKind | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        freeze_items(self, "content", ContentBlock, wanted="a content block")
        check_kinds(self, "usage", ModelUsage, wanted="a ModelUsage")
        check_texts(self, "finish_reason", optional=True)
        freeze_mappings(self, "metadata")

    def __hash__(self) -> int:
        return hash((tuple(self.content), self.usage, self.run_id, self.seq))


LLMStreamEvent = TextDelta | ReasoningDelta | CompletionEvent
"""What a model's stream yields: deltas first, exactly one completion event last."""


@dataclass(frozen=True, slots=True)
class RunMeta:
    """What a call knows of the run it belongs to: its id, how it is stopped, and by when.

    `deadline` has a time zone. `cancellation` is shared down the run tree.

    Raises:
        TypeError: `run_id` is no text, or `deadline` no datetime.
        ValueError: `deadline` has no time zone.

    """

    run_id: str
    cancellation: CancellationSignal
    deadline: datetime | None = None
    trace_id: str = field(default_factory=lambda: uuid4().hex)
    tenant_id: str | None = None

    def __post_init__(self) -> None:
        check_texts(self, "run_id")
        check_kinds(self, "deadline", datetime, wanted="a datetime", optional=True)
        if self.deadline is not None and self.deadline.utcoffset() is None:
            raise ValueError(
                f"RunMeta.deadline needs a time zone, as datetime.now(UTC) has; "
                f"got {self.deadline!r}"
            )

    def __hash__(self) -> int:
        return hash((self.run_id, self.deadline, self.trace_id, self.tenant_id))

    def check(self) -> None:
        """Return if the run may go on.

        Raises:
            Cancelled: It is cancelled or past its deadline.

        """
        self.cancellation.check()
        if self._is_late():
            raise Cancelled("deadline exceeded")

    def is_expired(self) -> bool:
        """Whether the run is cancelled or past its deadline."""
        return self.cancellation.is_cancelled or self._is_late()

    def child_token(self) -> CancellationSignal:
        """Give a signal that is cancelled with this run and does not cancel it."""
        return self.cancellation.child()

    def _is_late(self) -> bool:
        return self.deadline is not None and datetime.now(UTC) >= self.deadline


@runtime_checkable
class LLMClient(Protocol):
    """What every model provider's client does; `model` names the model it speaks to."""

    model: str

    async def generate(
        self,
        messages: list[ChatMessage],
        *,
        options: GenerationOptions = GenerationOptions(),
        ctx: RunMeta | None = None,
    ) -> LLMResponse:
        """Give the whole response; exactly one request is made.

        *ctx* is checked before the request, and its cancellation interrupts the call.

        Raises:
            ProviderError: The provider refused, failed, or cut the answer.
            ProviderAuthError: It does not accept the credential.
            UnsupportedOption: An option cannot be honoured; nothing was sent.
            Cancelled: *ctx* is cancelled or past its deadline.

        """
        ...

    def generate_stream(
        self,
        messages: list[ChatMessage],
        *,
        options: GenerationOptions = GenerationOptions(),
        ctx: RunMeta | None = None,
    ) -> AsyncIterator[LLMStreamEvent]:
        """Give the response as it arrives: deltas, then one `CompletionEvent` with all of it.

        Closing the iterator closes the connection. It raises what `generate` raises.
        """
        ...

    async def count_tokens(self, messages: list[ChatMessage]) -> int:
        """Give how many input tokens *messages* come to, by the provider where it can tell.

        Raises:
            ProviderError: The provider was asked and failed.

        """
        ...


@runtime_checkable
class EmbeddingClient(Protocol):
    """What turns text into vectors."""

    async def embed(self, texts: list[str]) -> EmbeddingResult:
        """Give one vector for each of *texts*, in one call.

        Raises:
            ProviderError: The provider refused or failed.

        """
        ...

    async def embed_single(self, text: str) -> list[float]:
        """Give the vector of *text*; it raises what `embed` raises."""
        ...
