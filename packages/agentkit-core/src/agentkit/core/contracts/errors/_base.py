"""The root of the tree and the verdict on retrying."""

from enum import StrEnum

__all__ = ["AgentkitError", "ErrorClass"]


class AgentkitError(Exception):
    """Base of the errors that agentkit raises: catch this one name at an application's boundary."""


class ErrorClass(StrEnum):
    """Whether trying again is worth anything."""

    TRANSIENT = "transient"
    """A timeout, a 429, a 5xx: back off and try again."""
    PERMANENT = "permanent"
    """A 401, a malformed request: give up at once."""
    UNKNOWN = "unknown"
    """Anything unrecognised: give up, since guessing costs money."""
