"""Errors about content: what a model or a caller handed over does not fit."""

from collections.abc import Sequence

from agentkit.core.contracts.errors._base import AgentkitError

__all__ = [
    "BlockValidationError",
    "OutputCoercionError",
    "ScriptExhausted",
    "ToolArgumentError",
    "ToolDefinitionError",
    "ToolShapeError",
]


class OutputCoercionError(AgentkitError, ValueError):
    """A model's answer does not fit the declared output; asking it to repair may help.

    Attributes:
        raw: The answer as it came.
        errors: One line per fault, each beginning with its path.

    """

    def __init__(
        self, message: str = "", *, raw: str = "", errors: Sequence[str] | None = None
    ) -> None:
        super().__init__(message)
        self.raw = raw
        self.errors: tuple[str, ...] = tuple(errors or ())


class BlockValidationError(AgentkitError, ValueError):
    """A content block of a known type is malformed."""


class ToolArgumentError(ValueError):
    """A model called a tool with arguments that the tool does not take.

    It is a value problem and inherits ValueError alone, because callers already catch that
    around argument handling. Telling the model usually helps.
    """

    def __init__(
        self,
        message: str = "",
        *,
        tool_name: str = "",
        unexpected: Sequence[str] = (),
        missing: Sequence[str] = (),
        accepted: Sequence[str] = (),
    ) -> None:
        super().__init__(message)
        self.tool_name = tool_name
        self.unexpected: tuple[str, ...] = tuple(unexpected)
        self.missing: tuple[str, ...] = tuple(missing)
        self.accepted: tuple[str, ...] = tuple(accepted)


class ToolDefinitionError(ValueError):
    """A function cannot be made a tool as it is written; raised where the tool is defined."""


class ToolShapeError(ValueError):
    """A tool returned something other than its declared output.

    Attributes:
        tool_name: The tool.
        expected: What it declares, as text.
        raw: What came back, as text.
        errors: One line per fault.

    """

    def __init__(
        self,
        message: str = "",
        *,
        tool_name: str = "",
        expected: str = "",
        raw: str = "",
        errors: Sequence[str] = (),
    ) -> None:
        super().__init__(message)
        self.tool_name = tool_name
        self.expected = expected
        self.raw = raw
        self.errors: tuple[str, ...] = tuple(errors)


class ScriptExhausted(BaseException):
    """A scripted test double was asked for more than its script holds.

    It is a BaseException so that no error handling of the code under test hides a wrong script.
    """
