"""The only place where names of the database are built."""

from __future__ import annotations

from agentkit.core.contracts.errors import StoreValueError

__all__ = ["quoted", "schema_name"]

_LONGEST = 63  # a longer name would be cut, and two become one


def schema_name(name: str) -> str:
    """Give *name* back, or raise `StoreValueError` if it names no schema."""
    if not name or not name.isprintable() or "$" in name or len(name.encode()) > _LONGEST:
        raise StoreValueError(
            f"a schema's name must be printable text without $, at most {_LONGEST} bytes; "
            f"got {name!r}"
        )
    return name


def quoted(name: str) -> str:
    """Give *name* as an identifier."""
    return '"' + name.replace('"', '""') + '"'
