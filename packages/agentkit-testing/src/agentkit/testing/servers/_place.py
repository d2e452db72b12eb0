"""What a test needs to know of a server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

__all__ = ["GivenServer", "Server"]


class Server(Protocol):
    """A server that a test may use."""

    @property
    def url(self) -> str:
        """Where it is, as its clients take it."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenServer:
    """A server of the user's own, which nobody here starts or stops."""

    url: str
