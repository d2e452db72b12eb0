"""The tree behind cancellation tokens: who is cancelled, and who has to be told."""

import logging
import threading
from collections.abc import Callable

__all__ = ["Node"]

_LOG = logging.getLogger(__name__)


class Node:
    """One token's place in its tree.

    Being cancelled is looked up towards the root; only being told goes the other way. So a parent
    knows just the children that somebody listens to, and keeps no other alive.
    """

    __slots__ = ("_callbacks", "_listeners", "_lock", "_parent", "_reason")

    def __init__(self, parent: "Node | None" = None) -> None:
        self._parent = parent
        self._reason: str | None = None
        self._callbacks: dict[object, Callable[[], object]] = {}
        self._listeners: dict[Node, None] = {}
        # One lock per tree, so that a branch is cancelled in one step; re-entrant, because a signal
        # handler may cancel while its own thread is in here.
        self._lock: threading.RLock = threading.RLock() if parent is None else parent.lock

    @property
    def lock(self) -> threading.RLock:
        """The lock of the whole tree."""
        return self._lock

    @property
    def reason(self) -> str | None:
        """Why this node or the nearest of its parents was cancelled, or None."""
        if self._reason is not None or self._parent is None:
            return self._reason
        return self._parent.reason

    def cancel(self, reason: str) -> None:
        """Cancel the branch from here, unless it is already, and run what its callbacks are."""
        with self._lock:
            callbacks = [] if self.reason is not None else self.take(reason)
        for callback in callbacks:
            run_callback(callback)

    def take(self, reason: str) -> list[Callable[[], object]]:
        """Mark the branch from here, and take from it what has to be told."""
        if self._reason is None:
            self._reason = reason
        taken = list(self._callbacks.values())
        self._callbacks.clear()
        listeners = list(self._listeners)
        self._listeners.clear()
        for listener in listeners:
            taken += listener.take(reason)
        return taken

    def add(self, key: object, callback: Callable[[], object]) -> None:
        """Put *callback* where a cancellation finds it, or run it now if that is past."""
        with self._lock:
            self._callbacks[key] = callback
            if self._parent is not None:
                self._parent.hear(self)
            missed = None if self.reason is None else self._callbacks.pop(key, None)
        if missed is not None:
            run_callback(missed)

    def discard(self, key: object) -> None:
        """Forget the callback at *key*, if it is there."""
        with self._lock:
            self._callbacks.pop(key, None)
            self._leave_if_idle()

    def hear(self, child: "Node") -> None:
        """Remember that somebody listens to *child*."""
        if child not in self._listeners:
            self._listeners[child] = None
            if self._parent is not None:
                self._parent.hear(self)

    def unhear(self, child: "Node") -> None:
        """Forget *child*: nobody listens to it any more."""
        self._listeners.pop(child, None)
        self._leave_if_idle()

    def _leave_if_idle(self) -> None:
        if self._parent is not None and not self._callbacks and not self._listeners:
            self._parent.unhear(self)


def run_callback(callback: Callable[[], object]) -> None:
    """Run *callback*, and log what it raises."""
    try:
        callback()
    except Exception:  # noqa: BLE001 - a caller's code must not keep the others from running
        _LOG.exception("a callback on cancellation failed")
