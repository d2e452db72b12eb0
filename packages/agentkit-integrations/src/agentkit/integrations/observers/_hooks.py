"""Handlers for what happens in a run."""

from collections.abc import Callable
from inspect import isawaitable
from typing import Any

from agentkit.core.contracts.errors import Cancelled
from agentkit.core.contracts.observation import Observation, ObserverPort
from agentkit.core.telemetry import NoopObserver
from agentkit.integrations.observers._wrapper import Wrapper

__all__ = ["Hooks"]

_ANY = "*"


class Hooks(Wrapper):
    """Calls handlers for observations, and hands every observation on to *inner* if there is one.

    What *inner* or a handler raises stays here and is counted in `failures`: a hook never hurts the
    run it watches. *inner* comes first, so that a slow handler holds no result back.
    """

    def __init__(self, inner: ObserverPort | None = None) -> None:
        super().__init__(NoopObserver() if inner is None else inner)
        self._handlers: dict[str, list[Callable[[Observation], Any]]] = {}

    def on(self, stage: str, handler: Callable[[Observation], Any]) -> "Hooks":
        """Call *handler*, which may be async, with observations of the kind *stage*; `*` is any.

        Handlers of the kind come before those of any, each in the order they were added. The hooks
        themselves are given, so that calls chain.
        """
        self._handlers.setdefault(stage, []).append(handler)
        return self

    async def emit(self, obs: Observation) -> None:
        """Hand *obs* on, then call its handlers, one after the other."""
        await self._hand_on(obs)
        stages = (obs.kind,) if obs.kind == _ANY else (obs.kind, _ANY)
        for handler in [h for stage in stages for h in self._handlers.get(stage, ())]:
            await self._call(handler, obs)

    async def _call(self, handler: Callable[[Observation], Any], obs: Observation) -> None:
        try:
            answer = handler(obs)
            if isawaitable(answer):
                await answer
        except Cancelled:
            raise
        except Exception as exc:  # noqa: BLE001 - a handler is not ours and must not hurt the run
            self._note(exc)
