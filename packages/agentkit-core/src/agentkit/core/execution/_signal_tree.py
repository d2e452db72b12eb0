"""The tree behind cancellation tokens: who is cancelled, and who has to be told."""

import logging
import threading
from asyncio import CancelledError
from collections.abc import Callable

__all__ = ["Node"]

_LOG = logging.getLogger(__name__)


class Node:
    """One token's place in its tree.

    Being cancelled is looked up towards the root; only being told goes the other way. So a parent
    knows just the children that somebody listens to, and keeps no other alive.
    """

    __slots__ = ("callbacks", "listeners", "lock", "own_reason", "parent")

    def __init__(self, parent: "Node | None" = None) -> None:
        self.parent: Node | None = parent
        self.own_reason: str | None = None
        self.callbacks: dict[object, Callable[[], object]] = {}
        self.listeners: dict[Node, None] = {}
        # One lock per tree, so that a branch is cancelled in one step; re-entrant, because a signal
        # handler may cancel while its own thread is in here.
        self.lock: threading.RLock = threading.RLock() if parent is None else parent.lock

    # Trees may be as deep as a run is long, so none of these recurses.

    @property
    def reason(self) -> str | None:
        """Why this node or the nearest of its parents was cancelled, or None."""
        node: Node | None = self
        while node is not None:
            if node.own_reason is not None:
                return node.own_reason
            node = node.parent
        return None

    def cancel(self, reason: str) -> None:
        """Cancel the branch from here, unless it is already, and run what its callbacks are."""
        with self.lock:
            callbacks = [] if self.reason is not None else self.take(reason)
        run_callbacks(callbacks)

    def take(self, reason: str) -> list[Callable[[], object]]:
        """Mark the branch from here, and take from it what has to be told."""
        taken: list[Callable[[], object]] = []
        branch: list[Node] = [self]
        while branch:
            node = branch.pop()
            if node.own_reason is None:
                node.own_reason = reason
            taken += node.callbacks.values()
            branch += reversed(node.listeners)
            node.callbacks.clear()
            node.listeners.clear()
        return taken

    def add(self, key: object, callback: Callable[[], object]) -> None:
        """Put *callback* where a cancellation finds it, or run it now if that is past."""
        with self.lock:
            self.callbacks[key] = callback
            if self.parent is not None:
                self.parent.hear(self)
            missed = None if self.reason is None else self.callbacks.pop(key, None)
        if missed is not None:
            run_callbacks([missed])

    def discard(self, key: object) -> None:
        """Forget the callback at *key*, if it is there."""
        with self.lock:
            self.callbacks.pop(key, None)
            if self.parent is not None and self.is_idle:
                self.parent.unhear(self)

    def hear(self, child: "Node") -> None:
        """Remember that somebody listens to *child*, all the way to the root."""
        node: Node | None = self
        while node is not None and child not in node.listeners:
            node.listeners[child] = None
            child, node = node, node.parent

    def unhear(self, child: "Node") -> None:
        """Forget *child*: nobody listens to it any more, nor to those that knew only of it."""
        node: Node | None = self
        while node is not None:
            node.listeners.pop(child, None)
            if not node.is_idle:
                return
            child, node = node, node.parent

    @property
    def is_idle(self) -> bool:
        """Whether nobody listens to this node or to one below it."""
        return not self.callbacks and not self.listeners


def run_callbacks(callbacks: list[Callable[[], object]]) -> None:
    """Run all of *callbacks*, logging what one raises; what ends the program waits for the others.

    A callback that raises `CancelledError`, as asking a future may, has failed like any other: it
    is not who runs it that was cancelled.
    """
    for index, callback in enumerate(callbacks):
        try:
            callback()
        except (Exception, CancelledError):  # noqa: BLE001 - a caller's code must not hurt others
            _LOG.exception("a callback on cancellation failed")
        except BaseException:
            run_callbacks(callbacks[index + 1 :])
            raise
