"""One call of the model, and its repairs."""

from agentkit.agents.cognition._looping import Looping
from agentkit.agents.cognition._plan import LoopPlan

__all__ = ["SingleCallCognition"]


class SingleCallCognition(Looping):
    """One call without tools, and up to `Agent.max_repairs` more where the output does not fit."""

    def __init__(self) -> None:
        super().__init__(LoopPlan(cognition="single_call"))
