"""What a condition is, and how conditions combine."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from agentkit.core.contracts.types import Message
from agentkit.core.serialization import FrozenDict, deep_freeze

__all__ = ["Stop", "TerminationCondition"]


@dataclass(frozen=True, slots=True)
class Stop:
    """A condition's verdict: why to stop, with details."""

    reason: str
    detail: dict[str, Any] = field(default_factory=FrozenDict[str, Any])

    def __post_init__(self) -> None:
        object.__setattr__(self, "detail", deep_freeze(self.detail))

    def __hash__(self) -> int:
        return hash(self.reason)


class TerminationCondition(ABC):
    """Looks at each new message and may end the run; `a | b` stops on any, `a & b` on all.

    It is called with the messages that are new since the last call, and stays stopped once it
    has. A run uses a deep copy, so one condition can serve many runs.
    """

    def __init__(self) -> None:
        self._stop: Stop | None = None

    @property
    def terminated(self) -> bool:
        """Whether it has said stop."""
        return self._stop is not None

    async def __call__(self, delta_messages: Sequence[Message], ctx: Any = None) -> Stop | None:
        """Give the verdict on *delta_messages*, None to go on."""
        if self._stop is None:
            self._stop = await self.decide(delta_messages, ctx)
        return self._stop

    @abstractmethod
    async def decide(self, messages: Sequence[Message], ctx: Any) -> Stop | None:
        """Give the verdict on new *messages*; called until it says stop."""

    async def reset(self) -> None:
        """Begin anew."""
        self._stop = None

    async def replay(  # noqa: B027 - most conditions remember nothing
        self, messages: Sequence[Message]
    ) -> None:
        """Take note of *messages* of a run that is resumed, without a verdict.

        A condition that counts overrides this.
        """

    def __or__(self, other: "TerminationCondition") -> "TerminationCondition":
        return _Combined((self, other), needs_all=False)

    def __and__(self, other: "TerminationCondition") -> "TerminationCondition":
        return _Combined((self, other), needs_all=True)


class _Combined(TerminationCondition):
    """Any or all of some conditions."""

    def __init__(self, parts: tuple[TerminationCondition, ...], *, needs_all: bool) -> None:
        super().__init__()
        self._parts = parts
        self._needs_all = needs_all

    async def decide(self, messages: Sequence[Message], ctx: Any) -> Stop | None:
        verdicts = [await part(messages, ctx) for part in self._parts]
        stops = [verdict for verdict in verdicts if verdict is not None]
        if not self._needs_all:
            return stops[0] if stops else None
        if len(stops) < len(verdicts):
            return None
        return Stop("all", {"reasons": [stop.reason for stop in stops]})

    async def reset(self) -> None:
        await super().reset()
        for part in self._parts:
            await part.reset()

    async def replay(self, messages: Sequence[Message]) -> None:
        for part in self._parts:
            await part.replay(messages)
