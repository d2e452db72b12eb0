"""Human gates: which calls a person decides about, and how the decision is asked for and taken."""

from agentkit.agents.gates._autonomy import Autonomy, should_gate
from agentkit.agents.gates._decisions import Decision, DecisionKind, DecisionLike, as_decision
from agentkit.agents.gates._elicitation import Asker, Elicitation, ElicitationKind, elicit

__all__ = [
    "Asker",
    "Autonomy",
    "Decision",
    "DecisionKind",
    "DecisionLike",
    "Elicitation",
    "ElicitationKind",
    "as_decision",
    "elicit",
    "should_gate",
]
