"""The policies that wrap calls: each gives a middleware for `Invoker`, one concern apiece.

Outermost first, a chat chain is tracing, output_coerce, compaction, meter, fallback, retry; a tool
chain is tracing, meter, egress, idempotent, audit, retry. There, audit logs each tool that ran. To
have it log each attempt, put it after retry; to have it log calls that idempotent answered from the
store as well, as `deduped`, put it before idempotent.
"""

from typing import TYPE_CHECKING

from agentkit.core import _on_demand

if TYPE_CHECKING:
    from agentkit.core.policies._audit import audit
    from agentkit.core.policies._compaction import compaction
    from agentkit.core.policies._compactors import SlidingWindowCompactor, TruncationCompactor
    from agentkit.core.policies._egress import egress
    from agentkit.core.policies._fallback import fallback
    from agentkit.core.policies._guardrail import Guardrail
    from agentkit.core.policies._idempotent import idempotent
    from agentkit.core.policies._memoize import memoize
    from agentkit.core.policies._meter import meter
    from agentkit.core.policies._model_compactors import (
        ImportanceFilteringCompactor,
        SummarizationCompactor,
    )
    from agentkit.core.policies._output_coerce import PartialBuilder, output_coerce
    from agentkit.core.policies._retry import retry
    from agentkit.core.policies._semantic import semantic_memoize
    from agentkit.core.policies._tokens import estimate_message_tokens
    from agentkit.core.policies._tracing import tracing
else:
    __getattr__, __dir__ = _on_demand.names(
        __name__,
        _audit="audit",
        _compaction="compaction",
        _compactors="SlidingWindowCompactor TruncationCompactor",
        _egress="egress",
        _fallback="fallback",
        _guardrail="Guardrail",
        _idempotent="idempotent",
        _memoize="memoize",
        _meter="meter",
        _model_compactors="ImportanceFilteringCompactor SummarizationCompactor",
        _output_coerce="PartialBuilder output_coerce",
        _retry="retry",
        _semantic="semantic_memoize",
        _tokens="estimate_message_tokens",
        _tracing="tracing",
    )

__all__ = [
    "Guardrail",
    "ImportanceFilteringCompactor",
    "PartialBuilder",
    "SlidingWindowCompactor",
    "SummarizationCompactor",
    "TruncationCompactor",
    "audit",
    "compaction",
    "egress",
    "estimate_message_tokens",
    "fallback",
    "idempotent",
    "memoize",
    "meter",
    "output_coerce",
    "retry",
    "semantic_memoize",
    "tracing",
]
