"""A context for code that runs outside of any run."""

from asyncio import Semaphore
from typing import Any

from agentkit.core.contracts.observation import TracePort
from agentkit.core.contracts.protocols import AutonomyLevel
from agentkit.core.contracts.types import Scope
from agentkit.core.telemetry import NoopTrace

__all__ = ["NullCtx"]

_NO_RUN = "there is no run here: make one with run_context(llm=...)"


class _NullInvoker:
    """Refuses to run anything."""

    __slots__ = ()

    def stream(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError(_NO_RUN)

    async def chat(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError(_NO_RUN)

    async def invoke_tool(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError(_NO_RUN)


class NullCtx:
    """A `Ctx` that records nothing and runs nothing; everything in it needs a person's word."""

    __slots__ = ("_semaphore", "invoker", "scope", "trace")

    correlation_id: str = "null"
    autonomy: AutonomyLevel = "manual"
    store: None = None
    checkpointer: None = None
    cancel: None = None

    def __init__(self, scope: Scope | None = None) -> None:
        self.scope: Scope = scope or Scope()
        self.trace: TracePort = NoopTrace()
        self.invoker: Any = _NullInvoker()
        self._semaphore = Semaphore(1)

    def check_cancelled(self) -> None:
        """Return: nothing cancels what is no run."""

    def semaphore(self) -> Semaphore:
        """Give a pool of one."""
        return self._semaphore

    def child(self) -> "NullCtx":
        """Give this context."""
        return self

    async def emit(
        self,
        kind: str,
        render: str = "",
        *,
        payload: Any = None,
        agent: str = "",
        parent_id: str | None = None,
    ) -> None:
        """Tell nobody."""
