"""Every error that core raises, in one tree.

    Exception
    ├── AgentkitError                   the one name to catch at a boundary
    │   ├── StoreUnavailable            the store cannot be reached           try again
    │   ├── StoreValueError             (ValueError) no store takes this      never
    │   ├── CheckpointerError           a checkpoint failed                   perhaps
    │   │   └── CheckpointConflict      the run has another writer            never
    │   ├── ProviderError               a model provider failed               see error_class
    │   │   └── ProviderAuthError       the credential is not accepted        never
    │   ├── UnsupportedOption           (NotImplementedError) cannot honour   never
    │   ├── Cancelled                   (RuntimeError) the run is aborted     never
    │   ├── CircuitOpen                 (RuntimeError) a breaker is open      after its cooldown
    │   ├── MeterExceeded               (RuntimeError) a ceiling is reached   never
    │   ├── BudgetExhausted             (RuntimeError) an envelope is empty   never
    │   ├── MoneyPrecisionError         (ValueError) no amount of money       never
    │   ├── Blocked                     a middleware refuses                  never
    │   ├── EgressDenied                (PermissionError) address refused     never
    │   ├── Stuck                       the same failure came back            never
    │   ├── OutcomeUnknown              a side effect may have happened       never by itself
    │   ├── RunUnfinished               resume it first                       never
    │   ├── ApprovalUnavailable         nobody can decide                     never
    │   ├── OutputCoercionError         (ValueError) answer does not fit      after a repair
    │   └── BlockValidationError        (ValueError) malformed block          never
    └── ValueError
        ├── ToolArgumentError           the model called a tool wrongly       after a repair
        ├── ToolDefinitionError         a function is no tool                 never
        └── ToolShapeError              a tool broke its own promise          never
    BaseException
    └── ScriptExhausted                 a test double's script ran out

Each takes its message first and its facts by keyword, and pickles.
"""

from agentkit.core.contracts.errors._base import AgentkitError, ErrorClass
from agentkit.core.contracts.errors._classify import classify, classify_status
from agentkit.core.contracts.errors._control import (
    ApprovalUnavailable,
    Blocked,
    BudgetExhausted,
    Cancelled,
    CircuitOpen,
    EgressDenied,
    MeterExceeded,
    MoneyPrecisionError,
    OutcomeUnknown,
    RunUnfinished,
    Stuck,
)
from agentkit.core.contracts.errors._failure import Failure, compose_failures
from agentkit.core.contracts.errors._providers import (
    ProviderAuthError,
    ProviderError,
    UnsupportedOption,
)
from agentkit.core.contracts.errors._stores import (
    CheckpointConflict,
    CheckpointerError,
    StoreUnavailable,
    StoreValueError,
)
from agentkit.core.contracts.errors._values import (
    BlockValidationError,
    OutputCoercionError,
    ScriptExhausted,
    ToolArgumentError,
    ToolDefinitionError,
    ToolShapeError,
)

__all__ = [
    "AgentkitError",
    "ApprovalUnavailable",
    "BlockValidationError",
    "Blocked",
    "BudgetExhausted",
    "Cancelled",
    "CheckpointConflict",
    "CheckpointerError",
    "CircuitOpen",
    "EgressDenied",
    "ErrorClass",
    "Failure",
    "MeterExceeded",
    "MoneyPrecisionError",
    "OutcomeUnknown",
    "OutputCoercionError",
    "ProviderAuthError",
    "ProviderError",
    "RunUnfinished",
    "ScriptExhausted",
    "StoreUnavailable",
    "StoreValueError",
    "Stuck",
    "ToolArgumentError",
    "ToolDefinitionError",
    "ToolShapeError",
    "UnsupportedOption",
    "classify",
    "classify_status",
    "compose_failures",
]
