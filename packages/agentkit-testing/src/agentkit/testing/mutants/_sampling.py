"""A correct sampler, and those that decide anew, or unevenly."""

import hashlib
import itertools
from typing import Any

from agentkit.testing.mutants._trial import Trial, breaks, tries
from agentkit.testing.suites import SamplerSuite

__all__ = ["ReferenceSampler"]

RATIO = 0.25
_SEEDS = itertools.count()


class ReferenceSampler:
    """A `SamplerPort` that keeps every clause."""

    def should_sample(
        self, *, operation: str, correlation_id: str, attrs: dict[str, Any] | None = None
    ) -> bool:
        """Tell whether the run is among the traced."""
        return self.place(self.raw(correlation_id)) < RATIO

    def raw(self, correlation_id: str) -> bytes:
        """Give the bytes of an id."""
        return correlation_id.encode("utf-8", "surrogatepass")

    def place(self, raw: bytes) -> float:
        """Give a number from 0 to 1 that follows from *raw*, and looks like chance."""
        digest = hashlib.blake2b(raw, digest_size=8).digest()
        return int.from_bytes(digest, "big") / 2**64


@tries(ReferenceSampler)
class _SamplerTrial(Trial, SamplerSuite):
    def ratio(self) -> float:
        return RATIO


@breaks("SAMPLER-PORT-01")
class DecidesNothing(ReferenceSampler):
    """It leaves out the verb of the port."""

    should_sample = None  # type: ignore[assignment]


@breaks("SAMPLER-DECIDE-01")
class DecidesInNumbers(ReferenceSampler):
    """It gives one and zero."""

    def should_sample(self, **asked: Any) -> Any:
        return int(super().should_sample(**asked))


@breaks("SAMPLER-DECIDE-02")
class DecidesByOperation(ReferenceSampler):
    """It decides for each span anew."""

    def should_sample(self, *, operation: str, correlation_id: str, attrs: Any = None) -> bool:
        return super().should_sample(operation="", correlation_id=operation + correlation_id)


@breaks("SAMPLER-DECIDE-03")
class ThrowsItsOwnDice(ReferenceSampler):
    """It has a seed of its own in every process."""

    def __init__(self) -> None:
        self.seed = f"{next(_SEEDS)}".encode()

    def raw(self, correlation_id: str) -> bytes:
        return self.seed + super().raw(correlation_id)


@breaks("SAMPLER-DECIDE-04")
class WantsPlainIds(ReferenceSampler):
    """It fails for an id that is not plain text."""

    def raw(self, correlation_id: str) -> bytes:
        return correlation_id.encode("ascii")


@breaks("SAMPLER-RATIO-01")
class MixesBadly(ReferenceSampler):
    """It mixes 32 bits of FNV-1a, whose upper ones hardly see the last characters."""

    def place(self, raw: bytes) -> float:
        mixed = 0x811C9DC5
        for byte in raw:
            mixed = (mixed ^ byte) * 0x01000193 % 2**32
        return mixed / 2**32


@breaks("SAMPLER-RATIO-02", "SAMPLER-RATIO-01")
class TracesEverything(ReferenceSampler):
    """It takes a ratio, and traces every run."""

    def place(self, raw: bytes) -> float:
        return 0.0
