"""Look-ups under way, and whether what they miss may have been stored meanwhile."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

__all__ = ["Looks"]

T = TypeVar("T")


class Looks:
    """Looks again where something was stored while a look-up that found nothing was under way.

    Connections overtake each other: the answer that there is nothing may come after the value was
    produced and stored, and would have it produced a second time.
    """

    def __init__(self) -> None:
        self._under_way: dict[str, _Look] = {}

    def __len__(self) -> int:
        """Give how many keys are looked for."""
        return len(self._under_way)

    async def look(self, key: str, read: Callable[[str], Awaitable[T | None]]) -> T | None:
        """Give what *read* gives of *key*, read again if that is None and no longer sure."""
        while True:
            look = self._under_way.setdefault(key, _Look())
            look.sharing += 1
            try:
                found = await read(key)
            finally:
                look.sharing -= 1
                if not look.sharing and not look.is_stale:
                    del self._under_way[key]
            if found is not None or not look.is_stale:
                return found

    def stored(self, key: str) -> None:
        """Note that something was stored at *key*."""
        look = self._under_way.pop(key, None)
        if look is not None:
            look.is_stale = True


@dataclass(slots=True)
class _Look:
    """The look-ups for one key that began since something was last stored there."""

    sharing: int = 0
    is_stale: bool = False
