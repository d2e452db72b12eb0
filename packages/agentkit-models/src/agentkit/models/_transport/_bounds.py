"""How long a call may wait, and what ends its waits."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

from agentkit.core.contracts.errors import Cancelled, ErrorClass
from agentkit.core.contracts.llm import RunMeta
from agentkit.core.execution.cancellation import interrupt_on
from agentkit.models._transport._errors import request_failed
from agentkit.models._transport._settings import check_seconds

__all__ = ["Bounds", "Timeouts"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeouts:
    """How long a call may take, in seconds; None is for ever.

    Attributes:
        connect: To connect.
        idle: To wait for the next bytes, the first ones included.
        total: From the request to the last byte.

    Raises:
        ClientSettingError: One is no finite number above 0.

    """

    connect: float | None = 10.0
    idle: float | None = 60.0
    total: float | None = None

    def __post_init__(self) -> None:
        for name in ("connect", "idle", "total"):
            check_seconds(getattr(self, name), name)


class Bounds:
    """What bounds every wait of one call: the run that it belongs to, and its total timeout."""

    def __init__(self, ctx: RunMeta | None, *, total: float | None) -> None:
        self._ctx = ctx
        self._total = total
        now = asyncio.get_running_loop().time()
        self._run_until: float | None = None
        if ctx is not None and ctx.deadline is not None:
            self._run_until = now + (ctx.deadline - datetime.now(UTC)).total_seconds()
        moments = [self._run_until, None if total is None else now + total]
        self._until = min((m for m in moments if m is not None), default=None)

    @property
    def are_any(self) -> bool:
        """Whether a wait can end in any other way than by itself."""
        return self._ctx is not None or self._until is not None

    async def wait(self, act: Callable[[], Awaitable[T]]) -> T:
        """Await what *act* gives.

        Raises:
            ProviderError: The total timeout has passed.
            Cancelled: The run is cancelled or past its deadline.

        """
        if not self.are_any:
            return await act()
        if self._ctx is not None:
            self._ctx.check()
        try:
            with interrupt_on(self._ctx.cancellation if self._ctx else None):
                async with asyncio.timeout_at(self._until):
                    return await act()
        except TimeoutError:
            if self._run_until is not None and self._run_until == self._until:
                raise Cancelled("deadline exceeded") from None
        raise request_failed(
            "total_timeout", f"it took longer than {self._total} s", ErrorClass.TRANSIENT
        )
