"""The only place where keys of the server are built and read."""

from __future__ import annotations

import re

from agentkit.core.contracts.errors import StoreValueError

__all__ = ["Keys"]

_RUN_ESCAPES = str.maketrans({"%": "%25", "{": "%7B", "}": "%7D"})
_NAMESPACE_ESCAPES = _RUN_ESCAPES | str.maketrans({":": "%3A"})
_GLOB = re.compile(rb"([*?\[\]\\])")


class Keys:
    """The keys of one *namespace*, whose first part no other namespace's can be.

    A colon in a namespace is escaped, so the first one ends it and two namespaces share no key;
    so are braces, so that a cluster's slot depends on the rest. What comes after the kind of a key
    is the caller's text, unchanged; a run is put in braces, so that all its keys have one slot.
    """

    def __init__(self, namespace: str) -> None:
        if not namespace or not namespace.isprintable():
            raise StoreValueError(f"a namespace must be printable text; got {namespace!r}")
        self._prefix = f"{namespace.translate(_NAMESPACE_ESCAPES)}:".encode()
        self._values = self._prefix + b"kv:"

    def value(self, key: str) -> bytes:
        """Give where the value at *key* is."""
        return self._values + key.encode()

    def log(self, key: str) -> bytes:
        """Give where the log *key* is."""
        return self._prefix + b"log:" + key.encode()

    def run(self, run_id: str) -> bytes:
        """Give where the checkpoints of *run_id* are."""
        return self._prefix + b"run:" + _tag(run_id)

    def gone(self, run_id: str) -> bytes:
        """Give where the checkpoints of *run_id* are while they are being deleted."""
        return self._prefix + b"gone:" + _tag(run_id)

    def values_pattern(self, prefix: str) -> bytes:
        """Give the pattern of all values whose keys begin with *prefix*, taken literally."""
        return _GLOB.sub(rb"\\\1", self.value(prefix)) + b"*"

    def key_of(self, value: bytes) -> str:
        """Give the caller's key of what `value` gave."""
        return value[len(self._values) :].decode()


def _tag(run_id: str) -> bytes:
    return f"{{{run_id.translate(_RUN_ESCAPES)}}}".encode()
