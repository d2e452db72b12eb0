"""What a message is made of: text, reasoning, tool calls and results, media.

A block with a field of another type than it declares is refused with `TypeError`.
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar

from agentkit.core.contracts._checks import (
    check_flags,
    check_kinds,
    check_texts,
    freeze_items,
    freeze_mappings,
    no_data,
    no_items,
)

__all__ = [
    "AudioBlock",
    "CodeBlock",
    "ContentBlock",
    "DataBlock",
    "DocumentBlock",
    "ErrorBlock",
    "ImageBlock",
    "TextBlock",
    "ThinkingBlock",
    "ToolResultBlock",
    "ToolUseBlock",
    "UnknownBlock",
    "VideoBlock",
]


def _check_media(block: object, names: tuple[str, ...], *, exactly: bool) -> None:
    """Check that *block* says what its media are and where: once, or at least once."""
    check_texts(block, "media_type")
    check_texts(block, *[name for name in names if name != "data"], optional=True)
    check_kinds(block, "data", bytes, wanted="bytes", optional=True)
    given = [name for name in names if getattr(block, name) is not None]
    if len(given) == 1 or (given and not exactly):
        return
    kind, count = type(block).__name__, "exactly one" if exactly else "at least one"
    raise ValueError(f"{kind} needs {count} of {', '.join(names)}; got {given or 'none'}")


def _check_origin(block: object) -> None:
    check_texts(block, "provider")
    check_texts(block, "signature", optional=True)


@dataclass(frozen=True, slots=True)
class TextBlock:
    """Visible text.

    `signature` is what *provider* attached to the text and wants back untouched.
    """

    type: ClassVar[str] = "text"

    text: str
    signature: str | None = field(default=None, kw_only=True)
    provider: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        if type(self.text) is not str:
            check_texts(self, "text")
        if self.signature is not None or self.provider:
            _check_origin(self)

    def to_text_repr(self) -> str:
        """Give the block as text."""
        return self.text


@dataclass(frozen=True, slots=True)
class ThinkingBlock:
    """Reasoning that the model showed, or the sealed form of reasoning that it did not.

    `signature` and `opaque` are what *provider* made and wants back byte for byte; they are sent to
    no other provider.
    """

    type: ClassVar[str] = "reasoning"

    text: str = ""
    signature: str | None = None
    redacted: bool = False
    provider: str = field(default="", kw_only=True)
    opaque: dict[str, Any] = field(default_factory=no_data, kw_only=True)

    def __post_init__(self) -> None:
        check_texts(self, "text")
        check_flags(self, "redacted")
        _check_origin(self)
        freeze_mappings(self, "opaque")

    def __hash__(self) -> int:
        return hash((self.type, self.text, self.signature))

    def to_text_repr(self) -> str:
        """Give the reasoning as text, empty when it is sealed."""
        return self.text


@dataclass(frozen=True, slots=True)
class ToolUseBlock:
    """A tool call that the model asked for; `signature` as in `TextBlock`."""

    type: ClassVar[str] = "tool_use"

    call_id: str
    tool_name: str
    arguments: dict[str, Any] = field(default_factory=no_data)
    signature: str | None = field(default=None, kw_only=True)
    provider: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        check_texts(self, "call_id", "tool_name")
        _check_origin(self)
        freeze_mappings(self, "arguments")

    def __hash__(self) -> int:
        return hash((self.type, self.call_id, self.tool_name))

    def to_text_repr(self) -> str:
        """Give the call as text, without its arguments."""
        return f"[tool call {self.tool_name}]"


@dataclass(frozen=True, slots=True)
class ToolResultBlock:
    """What a tool call came to."""

    type: ClassVar[str] = "tool_result"

    call_id: str
    name: str = ""
    content: list["ContentBlock"] = field(default_factory=no_items)
    is_error: bool = False

    def __post_init__(self) -> None:
        check_texts(self, "call_id", "name")
        check_flags(self, "is_error")
        freeze_items(self, "content", ContentBlock, wanted="a content block")

    def __hash__(self) -> int:
        return hash((self.type, self.call_id, self.name))

    def to_text_repr(self) -> str:
        """Give the content as text."""
        return "".join(block.to_text_repr() for block in self.content)


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """Source code."""

    type: ClassVar[str] = "code"

    code: str
    language: str = "python"

    def __post_init__(self) -> None:
        check_texts(self, "code", "language")

    def to_text_repr(self) -> str:
        """Give the code in a fence."""
        return f"```{self.language}\n{self.code}\n```"


@dataclass(frozen=True, slots=True)
class DataBlock:
    """A JSON object; `schema_id` names what it conforms to."""

    type: ClassVar[str] = "data"

    data: dict[str, Any] = field(default_factory=no_data)
    schema_id: str | None = None

    def __post_init__(self) -> None:
        check_texts(self, "schema_id", optional=True)
        freeze_mappings(self, "data")

    def __hash__(self) -> int:
        return hash((self.type, self.schema_id))

    def to_text_repr(self) -> str:
        """Give the data as text."""
        return f"[data {self.schema_id}]" if self.schema_id else "[data]"


@dataclass(frozen=True, slots=True)
class ErrorBlock:
    """An error told as content."""

    type: ClassVar[str] = "error"

    error_type: str
    message: str
    details: dict[str, Any] | None = None
    recoverable: bool = True

    def __post_init__(self) -> None:
        check_texts(self, "error_type", "message")
        check_flags(self, "recoverable")
        freeze_mappings(self, "details", optional=True)

    def __hash__(self) -> int:
        return hash((self.type, self.error_type, self.message))

    def to_text_repr(self) -> str:
        """Give type and message."""
        return f"{self.error_type}: {self.message}"


@dataclass(frozen=True, slots=True)
class ImageBlock:
    """An image, from exactly one of *url*, *data* and *file_id*."""

    type: ClassVar[str] = "image"

    url: str | None = None
    data: bytes | None = field(default=None, repr=False)
    file_id: str | None = None
    storage_key: str | None = None
    media_type: str = "image/jpeg"
    detail: str = "auto"

    def __post_init__(self) -> None:
        check_texts(self, "detail")
        check_texts(self, "storage_key", optional=True)
        _check_media(self, ("url", "data", "file_id"), exactly=True)

    def to_text_repr(self) -> str:
        """Give a placeholder."""
        return f"[image {self.media_type}]"


@dataclass(frozen=True, slots=True)
class AudioBlock:
    """Sound, from *url* or *data*."""

    type: ClassVar[str] = "audio"

    url: str | None = None
    data: bytes | None = field(default=None, repr=False)
    media_type: str = "audio/wav"
    transcript: str | None = None

    def __post_init__(self) -> None:
        check_texts(self, "transcript", optional=True)
        _check_media(self, ("url", "data"), exactly=False)

    def to_text_repr(self) -> str:
        """Give the transcript, or a placeholder."""
        return self.transcript or f"[audio {self.media_type}]"


@dataclass(frozen=True, slots=True)
class VideoBlock:
    """Moving pictures, from *url* or *data*."""

    type: ClassVar[str] = "video"

    url: str | None = None
    data: bytes | None = field(default=None, repr=False)
    media_type: str = "video/mp4"

    def __post_init__(self) -> None:
        _check_media(self, ("url", "data"), exactly=False)

    def to_text_repr(self) -> str:
        """Give a placeholder."""
        return f"[video {self.media_type}]"


@dataclass(frozen=True, slots=True)
class DocumentBlock:
    """A document, from exactly one of *url*, *data* and *file_id*."""

    type: ClassVar[str] = "document"

    url: str | None = None
    data: bytes | None = field(default=None, repr=False)
    file_id: str | None = None
    media_type: str = "application/pdf"
    filename: str | None = None

    def __post_init__(self) -> None:
        check_texts(self, "filename", optional=True)
        _check_media(self, ("url", "data", "file_id"), exactly=True)

    def to_text_repr(self) -> str:
        """Give the file's name, or a placeholder."""
        return f"[document {self.filename or self.media_type}]"


@dataclass(frozen=True, slots=True)
class UnknownBlock:
    """A block of a type that this version does not know, kept as it came.

    `provider` is who made it; it is sent back to that provider only.
    """

    type: ClassVar[str] = "unknown"

    raw: dict[str, Any] = field(default_factory=no_data)
    provider: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        check_texts(self, "provider")
        freeze_mappings(self, "raw")

    def __hash__(self) -> int:
        return hash((self.type, self.provider))

    def to_text_repr(self) -> str:
        """Give a placeholder."""
        return "[unknown block]"


ContentBlock = (
    TextBlock
    | ThinkingBlock
    | ToolUseBlock
    | ToolResultBlock
    | CodeBlock
    | DataBlock
    | ErrorBlock
    | ImageBlock
    | AudioBlock
    | VideoBlock
    | DocumentBlock
    | UnknownBlock
)
"""Any block; each has a class attribute `type` that names it in JSON."""
