"""The seams to systems that agentkit cannot implement itself.

A port says what shape such a thing must have; whatever has the methods satisfies it, and
`isinstance` looks for every one of them. Observing seams are in `observation`, `metrics`,
`sampling` and `replay` beside this package.
"""

from typing import TYPE_CHECKING

from agentkit.core import _on_demand

if TYPE_CHECKING:
    from agentkit.core.contracts.ports._checkpoint import (
        Checkpoint,
        CheckpointPort,
        CheckpointStatus,
    )
    from agentkit.core.contracts.ports._clock import ClockPort
    from agentkit.core.contracts.ports._models import LLMPort, ToolPort
    from agentkit.core.contracts.ports._store import StorePort
    from agentkit.core.contracts.ports._vector import VectorPort
    from agentkit.core.contracts.ports._web import FetchPort, FetchResponse, SearchHit, SearchPort
else:
    __getattr__, __dir__ = _on_demand.names(
        __name__,
        _checkpoint="Checkpoint CheckpointPort CheckpointStatus",
        _clock="ClockPort",
        _models="LLMPort ToolPort",
        _store="StorePort",
        _vector="VectorPort",
        _web="FetchPort FetchResponse SearchHit SearchPort",
    )

__all__ = [
    "Checkpoint",
    "CheckpointPort",
    "CheckpointStatus",
    "ClockPort",
    "FetchPort",
    "FetchResponse",
    "LLMPort",
    "SearchHit",
    "SearchPort",
    "StorePort",
    "ToolPort",
    "VectorPort",
]
