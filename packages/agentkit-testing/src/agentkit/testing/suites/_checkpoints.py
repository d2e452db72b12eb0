"""The suite of CheckpointPort."""

from typing import ClassVar

from agentkit.testing.suites._checkpoint_laws import CheckpointLawClauses
from agentkit.testing.suites._checkpoint_saves import (
    VERBS,
    ConflictClauses,
    DeletingClauses,
    SavingClauses,
)
from agentkit.testing.suites._checkpoint_states import (
    CheckpointFaultClauses,
    RunClauses,
    StateClauses,
)

__all__ = ["CheckpointSuite"]


class CheckpointSuite(
    CheckpointLawClauses,
    CheckpointFaultClauses,
    StateClauses,
    RunClauses,
    DeletingClauses,
    ConflictClauses,
    SavingClauses,
):
    """What a checkpoint store promises; subclass it and define the `adapter` fixture.

    Hooks: `other_namespace`, `break_connection` with `restore`, `backend_version`.
    """

    port: ClassVar[str] = "CheckpointPort"
    version: ClassVar[str] = "1.0"
    verbs: ClassVar[frozenset[str]] = frozenset(VERBS)
