"""Which kinds a view hears of."""

from collections.abc import Iterable

from agentkit.core.contracts.observation import Observation, ObserverPort
from agentkit.integrations.observers._wrapper import ALWAYS, Wrapper

__all__ = ["PolicyObserver"]


class PolicyObserver(Wrapper):
    """Hands on to *inner* the kinds in *allow*; without it, every kind.

    `result`, `error` and `interrupt` are handed on in any case. What *inner* raises stays here and
    is counted in `failures`.

    Raises:
        TypeError: *allow* is one str; a set of one is `{"step"}`.

    """

    def __init__(self, inner: ObserverPort, *, allow: Iterable[str] | None = None) -> None:
        if isinstance(allow, str):
            raise TypeError(f"allow is a collection of kinds; for one write {{{allow!r}}}")
        super().__init__(inner)
        self._allow = None if allow is None else ALWAYS.union(allow)

    @classmethod
    def everything(cls, inner: ObserverPort) -> "PolicyObserver":
        """Hand on every kind."""
        return cls(inner)

    @classmethod
    def summaries(cls, inner: ObserverPort) -> "PolicyObserver":
        """Hand on summaries and progress, beside what is always handed on."""
        return cls(inner, allow=("summary", "progress"))

    @classmethod
    def result_only(cls, inner: ObserverPort) -> "PolicyObserver":
        """Hand on results, errors and interrupts alone."""
        return cls(inner, allow=())

    async def emit(self, obs: Observation) -> None:
        """Hand *obs* on if its kind is allowed."""
        if self._allow is None or obs.kind in self._allow:
            await self._hand_on(obs)
