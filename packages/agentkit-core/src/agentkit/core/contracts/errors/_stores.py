"""Errors of stores and checkpoints."""

from agentkit.core.contracts.errors._base import AgentkitError

__all__ = ["CheckpointConflict", "CheckpointerError", "StoreUnavailable", "StoreValueError"]


class StoreUnavailable(AgentkitError):
    """A store could not reach what backs it; trying again usually helps."""


class StoreValueError(AgentkitError, ValueError):
    """A key, value, ttl or amount that no store takes; trying again never helps."""


class CheckpointerError(AgentkitError):
    """A checkpoint could not be read or written; trying again may help."""


class CheckpointConflict(CheckpointerError):
    """Another writer has saved this version of the run with other content.

    The run has two producers; the one that gets this stops. Trying again never helps.
    """

    def __init__(self, message: str = "", *, run_id: str = "", version: int = 0) -> None:
        super().__init__(message)
        self.run_id = run_id
        self.version = version
