"""Model clients, the registry that picks one, and what they cost.

Importing it loads no driver: the clients in `providers` need the extra `http`, this does not.
"""

from agentkit.models._callable import CallableLLM
from agentkit.models._names import normalize_model_name

__all__ = ["CallableLLM", "normalize_model_name"]
