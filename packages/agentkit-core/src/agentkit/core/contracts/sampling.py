"""The seam to the head-sampling decision."""

from typing import Any, Protocol, runtime_checkable

__all__ = ["SamplerPort"]


@runtime_checkable
class SamplerPort(Protocol):
    """Decides, when a span would open, whether it does."""

    def should_sample(
        self, *, operation: str, correlation_id: str, attrs: dict[str, Any] | None = None
    ) -> bool:
        """Tell whether to trace *operation*; one run gets one answer. A raise counts as yes."""
        ...
