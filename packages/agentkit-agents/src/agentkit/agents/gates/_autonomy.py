"""How much a run may do without asking."""

from enum import StrEnum

__all__ = ["Autonomy", "should_gate"]


class Autonomy(StrEnum):
    """How much a run may do without asking."""

    AUTO = "auto"
    """Everything but what says that it requires approval."""
    GATED = "gated"
    """What changes nothing outside."""
    MANUAL = "manual"
    """Nothing."""


def should_gate(autonomy: str, *, requires_approval: bool = False, key_step: bool = False) -> bool:
    """Say whether a person decides about a step; *key_step* is one with a side effect.

    Raises:
        ValueError: *autonomy* is none of the three levels.

    """
    level = Autonomy(autonomy)
    if level is Autonomy.MANUAL:
        return True
    return requires_approval or (level is Autonomy.GATED and key_step)
