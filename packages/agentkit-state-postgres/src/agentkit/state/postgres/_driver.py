"""What the adapters ask of a driver, and what it may answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

__all__ = ["Driver", "Trouble"]


class Trouble(Exception):
    """A statement failed; *sqlstate* is the server's code, empty where the server is not there.

    The message holds the server's own words or ours, never the driver's: those may tell a password.
    """

    def __init__(self, message: str, *, sqlstate: str = "") -> None:
        super().__init__(message)
        self.sqlstate: str = sqlstate


class Driver(Protocol):
    """A pool of connections. Nothing is left in a session: poolers per transaction do as well."""

    async def open(self) -> None:
        """Connect, where the pool is ours."""
        ...

    async def close(self) -> None:
        """Close the connections, where the pool is ours."""
        ...

    async def fetch(self, sql: str, *arguments: Any) -> list[Sequence[Any]]:
        """Run one statement as a transaction of its own, in one round trip, and give its rows.

        Raises:
            Trouble: It failed. If the server said so, nothing is written; otherwise the statement
                was carried out once or not at all.

        """
        ...

    async def script(self, sql: str) -> None:
        """Run statements that begin and end a transaction; undo it if one fails.

        Raises:
            Trouble: One failed.

        """
        ...
