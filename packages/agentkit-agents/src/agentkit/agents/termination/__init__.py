"""Conditions that end a run gracefully."""

from agentkit.agents.termination._base import Stop, TerminationCondition
from agentkit.agents.termination._conditions import (
    ExternalTermination,
    FunctionalTermination,
    FunctionCall,
    MaxMessages,
    MaxTurns,
    SourceMatch,
    TextMention,
    Timeout,
    judge_termination,
)

__all__ = [
    "ExternalTermination",
    "FunctionCall",
    "FunctionalTermination",
    "MaxMessages",
    "MaxTurns",
    "SourceMatch",
    "Stop",
    "TerminationCondition",
    "TextMention",
    "Timeout",
    "judge_termination",
]
