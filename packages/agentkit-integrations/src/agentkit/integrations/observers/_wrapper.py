"""What every observer that stands in front of another does alike."""

import logging

from agentkit.core.contracts.errors import Cancelled
from agentkit.core.contracts.observation import CRITICAL_KINDS, Observation, ObserverPort

__all__ = ["ALWAYS", "Wrapper"]

ALWAYS = frozenset({*CRITICAL_KINDS, "interrupt"})
"""The kinds that are handed on whatever the cadence: results, errors and human gates."""

_log = logging.getLogger("agentkit.integrations.observers")


class Wrapper:
    """An observer in front of *inner*, whose failures stay here: `failures` counts them.

    The first failure of each type is logged too, so that a broken sink shows and floods nothing.
    """

    def __init__(self, inner: ObserverPort) -> None:
        self.failures: int = 0
        self._inner = inner
        self._logged: set[type[Exception]] = set()

    async def close(self) -> None:
        """Close what is behind; it raises what that raises."""
        await self._inner.close()

    async def _hand_on(self, obs: Observation) -> bool:
        """Give *obs* to what is behind, at once, and tell whether that took it."""
        try:
            await self._inner.emit(obs)
        except Cancelled:
            raise
        except Exception as exc:  # noqa: BLE001 - a sink is not ours and must not hurt the run
            self._note(exc)
            return False
        return True

    def _note(self, exc: Exception) -> None:
        self.failures += 1
        if type(exc) not in self._logged:
            self._logged.add(type(exc))
            _log.warning("%s: what it calls failed", type(self).__name__, exc_info=exc)
