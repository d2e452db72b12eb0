"""A store as simple as can be, to compare real ones with: verbs over dicts, one step each."""

from __future__ import annotations

from typing import Any

from agentkit.core.contracts.errors import StoreValueError
from agentkit.core.contracts.ports import StorePort
from agentkit.core.contracts.store_rules import add_to_counter
from agentkit.testing.suites._samples import same
from agentkit.testing.suites._steps import gives
from agentkit.testing.suites._steps import keys as scanned

__all__ = ["Operation", "StoreModel", "operations", "perform", "timed_operations"]

Operation = tuple[Any, ...]
"""A verb, the name of a key, and its arguments."""

NAMES = ("a", "b", "ab")
VALUES: tuple[Any, ...] = (None, 0, 1, True, 1.0, "", "1", [], {"a": 1, "b": [2]}, 2**63 - 1)
AMOUNTS = (1, -1, 0, 5, 2**62)
TTLS = (1, 2, 5)
WAITS = (0.61, 1.13, 2.71)
REFUSED = "refused"
_TIMED = {"set", "get_or_set", "compare_and_set", "increment"}


class StoreModel:
    """What a store holds, and until when."""

    def __init__(self) -> None:
        self.now = 0.0
        self.values: dict[str, Any] = {}
        self.ends: dict[str, float] = {}
        self.logs: dict[str, list[Any]] = {}

    def perform(self, operation: Operation) -> Any:
        """Do *operation* and give what a store must give, or `refused`."""
        verb, *args = operation
        for key in [key for key, end in self.ends.items() if end <= self.now]:
            del self.values[key], self.ends[key]
        try:
            return getattr(self, verb)(*args)
        except StoreValueError:
            return REFUSED

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds

    def get(self, key: str) -> Any:
        """Give the value."""
        return self.values.get(key)

    def set(self, key: str, value: Any, ttl: int | None) -> None:
        """Put the value."""
        self.values[key] = value
        self.ends.pop(key, None)
        if ttl is not None:
            self.ends[key] = self.now + ttl

    def delete(self, key: str) -> None:
        """Remove the value."""
        self.values.pop(key, None)
        self.ends.pop(key, None)

    def get_or_set(self, key: str, value: Any, ttl: int | None) -> Any:
        """Give the value, or put one."""
        if key not in self.values:
            self.set(key, value, ttl)
        return self.values[key]

    def compare_and_set(  # noqa: PLR0917 - as the port has it
        self, key: str, expected: Any, value: Any, ttl: int | None
    ) -> bool:
        """Put the value if the old one is as expected."""
        if not same(self.values.get(key), expected):
            return False
        self.set(key, value, ttl)
        return True

    def increment(self, key: str, by: int, ttl: int | None) -> int:
        """Add to the counter."""
        total, end = add_to_counter(key, self.values.get(key, 0), by), self.ends.get(key)
        self.set(key, total, ttl)
        if end is not None:
            self.ends[key] = end
        return total

    def append(self, key: str, value: Any) -> None:
        """Add to the log."""
        self.logs.setdefault(key, []).append(value)

    def list(self, key: str) -> Any:
        """Give the log."""
        return [*self.logs.get(key, ())]

    def scan(self, prefix: str) -> Any:
        """Give the keys."""
        return sorted(key for key in self.values if key.startswith(prefix))


async def perform(store: StorePort, space: str, operation: Operation) -> Any:
    """Do *operation* on a store, below the prefix *space*, and give what the model gives."""
    verb, name, *args = operation
    key = space + name
    if verb == "scan":
        return [found.removeprefix(space) for found in await scanned(store, key)]
    limited = {}
    if verb in _TIMED and args.pop() is not None:
        limited = {"ttl": operation[-1]}
    if verb == "get_or_set":
        args = [gives(args[0])]
    try:
        return await getattr(store, verb)(key, *args, **limited)
    except StoreValueError:
        return REFUSED


def operations(st: Any) -> Any:
    """Draw what is done to a store, one operation after the other."""
    key, value, never = st.sampled_from(NAMES), st.sampled_from(VALUES), st.none()
    return _some(
        st,
        ("get", key),
        ("set", key, value, never),
        ("delete", key),
        ("get_or_set", key, value, never),
        ("compare_and_set", key, value, value, never),
        ("increment", key, st.sampled_from(AMOUNTS), never),
        ("append", key, value),
        ("list", key),
        ("scan", st.sampled_from(("", *NAMES))),
    )


def timed_operations(st: Any) -> Any:
    """Draw what is done to one key of a store while time passes."""
    key, value, ttl = st.just(NAMES[0]), st.sampled_from((0, 1)), st.sampled_from((*TTLS, None))
    return _some(
        st,
        ("get", key),
        ("set", key, value, ttl),
        ("get_or_set", key, value, ttl),
        ("compare_and_set", key, value, value, ttl),
        ("increment", key, st.just(1), ttl),
        ("scan", key),
        ("advance", st.sampled_from(WAITS)),
        ("advance", st.sampled_from(WAITS)),
    )


def _some(st: Any, *kinds: tuple[Any, ...]) -> Any:
    each = [st.tuples(st.just(verb), *arguments) for verb, *arguments in kinds]
    return st.lists(st.one_of(each), min_size=6, max_size=16)
