"""The seam to durable run state."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

from agentkit.core.contracts._checks import no_data
from agentkit.core.serialization import deep_freeze

__all__ = ["Checkpoint", "CheckpointPort", "CheckpointStatus"]


class CheckpointStatus(StrEnum):
    """Where a run stands."""

    RUNNING = "running"
    """The engine is in motion."""
    SUSPENDED = "suspended"
    """It waits for a human."""
    DONE = "done"
    """It ended well."""
    FAILED = "failed"
    """It ended badly."""

    def is_terminal(self) -> bool:
        """Whether the run is over: `DONE` or `FAILED`."""
        return self in (CheckpointStatus.DONE, CheckpointStatus.FAILED)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """One version of a run's state; `created_at` is in unix seconds.

    What no store keeps, such as a version below 1 or a state that is no JSON, is refused with
    `StoreValueError` when it is to be saved.
    """

    run_id: str
    version: int
    state: dict[str, Any]
    created_at: float
    status: CheckpointStatus
    metadata: dict[str, Any] = field(default_factory=no_data)

    def __post_init__(self) -> None:
        object.__setattr__(self, "state", deep_freeze(self.state))
        object.__setattr__(self, "metadata", deep_freeze(self.metadata))

    def __hash__(self) -> int:
        return hash((self.run_id, self.version))


@runtime_checkable
class CheckpointPort(Protocol):
    """Durable run state: versions of a run, each written once.

    `state` and `metadata` are JSON and never aliased; what comes out is frozen. Every method raises
    `StoreValueError` for a run id that is no key, before anything is touched, and
    `CheckpointerError` when the backend fails.
    """

    async def save(self, cp: Checkpoint) -> None:
        """Write *cp*; saving an equal one again changes nothing.

        Raises:
            CheckpointConflict: This version of the run is there with other content.
            StoreValueError: `state` or `metadata` is not JSON, or the version is below 1.

        """
        ...

    async def latest(self, run_id: str) -> Checkpoint | None:
        """Give the highest version of *run_id*, or None."""
        ...

    async def at_version(self, run_id: str, version: int) -> Checkpoint | None:
        """Give this *version* of *run_id*, or None."""
        ...

    async def list_versions(self, run_id: str) -> list[int]:
        """Give the versions of *run_id* in ascending order."""
        ...

    async def delete(self, run_id: str) -> None:
        """Remove every version of *run_id*; doing it again changes nothing."""
        ...
