"""Which runs are traced."""

import hashlib
from typing import Any

from agentkit.core.serialization._kinds import is_a

__all__ = ["AlwaysOnSampler", "TraceIdRatioSampler"]

_HASH_BYTES = 8
_HASH_RANGE = 2 ** (8 * _HASH_BYTES)


class AlwaysOnSampler:
    """Traces everything."""

    __slots__ = ()

    def should_sample(
        self,
        *,
        operation: str,  # noqa: ARG002 - the port's
        correlation_id: str,  # noqa: ARG002 - the port's
        attrs: dict[str, Any] | None = None,  # noqa: ARG002 - the port's
    ) -> bool:
        """Say yes."""
        return True


class TraceIdRatioSampler:
    """Traces a *ratio* of the runs, each run wholly or not at all.

    The decision hashes the run's id, so every process decides alike, and ids that differ in their
    last character only fall out as evenly as random ones.

    Raises:
        TypeError: *ratio* is no number; a bool is none.
        ValueError: *ratio* is outside 0 to 1.

    """

    __slots__ = ("_below", "ratio")

    def __init__(self, ratio: float) -> None:
        if isinstance(ratio, bool) or not is_a(ratio, int | float):
            raise TypeError(f"a sampling ratio is a number; got {ratio!r}")
        if not 0 <= ratio <= 1:
            raise ValueError(f"a sampling ratio is from 0 to 1; got {ratio!r}")
        self.ratio: float = ratio
        self._below = int(ratio * _HASH_RANGE)

    def should_sample(
        self,
        *,
        operation: str,  # noqa: ARG002 - one answer for the whole run
        correlation_id: str,
        attrs: dict[str, Any] | None = None,  # noqa: ARG002 - one answer for the whole run
    ) -> bool:
        """Tell whether the run *correlation_id* is among the traced."""
        # A run id from outside may hold a lone surrogate, which plain UTF-8 refuses.
        raw = correlation_id.encode("utf-8", "surrogatepass")
        digest = hashlib.blake2b(raw, digest_size=_HASH_BYTES).digest()
        return int.from_bytes(digest, "big") < self._below
