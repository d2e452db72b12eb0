"""How an agent thinks: in one call, or in a loop of calls and tools."""

from agentkit.agents.cognition._protocol import Cognition, Resumable
from agentkit.agents.cognition._react import ReActCognition
from agentkit.agents.cognition._single_call import SingleCallCognition

__all__ = ["Cognition", "ReActCognition", "Resumable", "SingleCallCognition"]
