"""The seam to a vector index."""

from typing import Any, Protocol, runtime_checkable

from agentkit.core.contracts.types import Chunk, Scope

__all__ = ["VectorPort"]


@runtime_checkable
class VectorPort(Protocol):
    """A vector index; the scope isolates tenants and is no filter that a caller may forget."""

    async def upsert(self, scope: Scope, chunks: list[Chunk]) -> None:
        """Put *chunks* into the index of *scope*, replacing those with the same id.

        Raises:
            StoreValueError: A chunk's metadata is not JSON; nothing is written.
            StoreUnavailable: The backend cannot be reached.

        """
        ...

    async def search(  # noqa: PLR0917 - as the specification has it
        self, scope: Scope, query: str, k: int = 5, where: dict[str, Any] | None = None
    ) -> list[tuple[float, Chunk]]:
        """Give at most *k* chunks of *scope* with their scores, best first.

        *where* keeps the chunks whose metadata has every one of its items. Where *k* matches exist,
        *k* are given.

        Raises:
            StoreUnavailable: The backend cannot be reached.

        """
        ...
