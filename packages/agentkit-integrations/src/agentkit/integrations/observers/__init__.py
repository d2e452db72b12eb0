"""Observers: sinks, and wrappers that decide how often a product hears of a run.

Wrappers stack in any order. Each hands a `result`, an `error` or an `interrupt` on before it does
anything that waits: none is dropped, held back, or overtaken by another on its way to the sink.
"""

from agentkit.integrations.observers._collecting import CollectingObserver
from agentkit.integrations.observers._hooks import Hooks
from agentkit.integrations.observers._policy import PolicyObserver
from agentkit.integrations.observers._queue import QueueObserver
from agentkit.integrations.observers._rollup import RollupObserver

__all__ = ["CollectingObserver", "Hooks", "PolicyObserver", "QueueObserver", "RollupObserver"]
