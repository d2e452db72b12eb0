"""What an agent needs of its model, held against what the registry knows of it."""

import re
from typing import TYPE_CHECKING, Any, Final

from agentkit.core.contracts.protocols import SchemaAdapter
from agentkit.models import Capability, model_capabilities, require_capabilities

if TYPE_CHECKING:
    from agentkit.agents._agent import Agent

__all__ = ["check_capabilities", "native_format"]

_LONGEST_NAME: Final = 64


def check_capabilities(agent: "Agent") -> None:
    """Return if the model of *agent* can do what it requires, and what its wiring implies.

    Raises:
        CapabilityMismatch: It cannot, or it is unknown and the agent refuses that.
        ValueError: Something is required and no model is named.

    """
    if agent.model is None:
        if agent.requires or agent.min_context_window is not None:
            raise ValueError(f"agent {agent.name!r} requires something of a model: name the model")
        return
    require_capabilities(
        agent.model,
        agent.requires,
        derived=_implied(agent),
        min_context_window=agent.min_context_window,
        on_unknown=agent.on_unknown_capability,
        subject=agent.name,
    )


def native_format(model: str | None, adapter: SchemaAdapter | None) -> dict[str, Any] | None:
    """Give the `response_format` of *adapter* where *model* is known to take one, else None."""
    if adapter is None or model is None:
        return None
    if model_capabilities(model).native_json_schema is not Capability.YES:
        return None
    schema = adapter.json_schema()
    name = re.sub(r"[^A-Za-z0-9_-]", "_", adapter.name)[:_LONGEST_NAME]
    described = {"name": name, "schema": schema, "strict": _is_strict(schema)}
    return {"type": "json_schema", "json_schema": described}


def _implied(agent: "Agent") -> tuple[str, ...]:
    registry = getattr(agent.cognition, "registry", None)
    tools = ("tools",) if registry is not None and registry.schemas() else ()
    return (*tools, "structured_output") if agent.adapter is not None else tools


def _is_strict(node: Any) -> bool:
    """Say whether a schema is one that strict modes take: no object in it leaves anything open."""
    if hasattr(node, "append"):
        return all(_is_strict(item) for item in node)
    if not hasattr(node, "items"):
        return True
    properties = node.get("properties")
    if node.get("type") == "object" or properties is not None:
        closed = node.get("additionalProperties") is False
        if not closed or set(node.get("required", ())) != set(properties or ()):
            return False
    return all(_is_strict(part) for part in node.values())
