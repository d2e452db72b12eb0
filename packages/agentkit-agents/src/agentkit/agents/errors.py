"""The errors that running an agent can raise, gathered from core in one place."""

from agentkit.core.contracts.errors import (
    ApprovalUnavailable,
    BudgetExhausted,
    Cancelled,
    CheckpointConflict,
    CheckpointerError,
    MeterExceeded,
    OutputCoercionError,
    RunUnfinished,
    ToolArgumentError,
    ToolDefinitionError,
    ToolShapeError,
    UnsupportedOption,
)

__all__ = [
    "ApprovalUnavailable",
    "BudgetExhausted",
    "Cancelled",
    "CheckpointConflict",
    "CheckpointerError",
    "MeterExceeded",
    "OutputCoercionError",
    "RunUnfinished",
    "ToolArgumentError",
    "ToolDefinitionError",
    "ToolShapeError",
    "UnsupportedOption",
]
