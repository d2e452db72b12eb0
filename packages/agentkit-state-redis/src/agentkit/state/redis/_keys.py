"""The only place where keys of the server are built and read."""

from __future__ import annotations

import re

from agentkit.core.contracts.errors import StoreValueError

__all__ = ["Keys"]

_NAMESPACE_ESCAPES = str.maketrans({"%": "%25", ":": "%3A", "{": "%7B", "}": "%7D"})
_GLOB = re.compile(rb"([*?\[\]\\])")


class Keys:
    """The keys of one *namespace*, whose first part no other namespace's can be.

    A colon in a namespace is escaped, so the first one ends it and two namespaces share no key;
    so are braces, so that a cluster's slot depends on the rest. What comes after the kind of a key
    is the caller's text, unchanged.
    """

    def __init__(self, namespace: str) -> None:
        if not namespace or not namespace.isprintable():
            raise StoreValueError(f"a namespace must be printable text; got {namespace!r}")
        self._values = f"{namespace.translate(_NAMESPACE_ESCAPES)}:kv:".encode()
        self._logs = f"{namespace.translate(_NAMESPACE_ESCAPES)}:log:".encode()
        self._runs = f"{namespace.translate(_NAMESPACE_ESCAPES)}:run:".encode()

    def value(self, key: str) -> bytes:
        """Give where the value at *key* is."""
        return self._values + key.encode()

    def log(self, key: str) -> bytes:
        """Give where the log *key* is."""
        return self._logs + key.encode()

    def run(self, run_id: str) -> bytes:
        """Give where the checkpoints of *run_id* are."""
        return self._runs + run_id.encode()

    def values_pattern(self, prefix: str) -> bytes:
        """Give the pattern of all values whose keys begin with *prefix*, taken literally."""
        return _GLOB.sub(rb"\\\1", self.value(prefix)) + b"*"

    def key_of(self, value: bytes) -> str:
        """Give the caller's key of what `value` gave."""
        return value[len(self._values) :].decode()
