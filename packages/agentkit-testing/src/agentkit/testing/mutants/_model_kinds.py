"""Models without features, and how one fault makes a mutant of every kind of model."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from agentkit.testing.mutants._model_reference import ReferenceClient, ReferenceLLM
from agentkit.testing.mutants._trial import breaks
from agentkit.testing.suites import Feature

__all__ = [
    "EVERY",
    "IgnoringClient",
    "IgnoringLLM",
    "LackingClient",
    "LackingLLM",
    "breaks_both",
    "breaks_ignoring",
    "breaks_lacking",
]

MixinT = TypeVar("MixinT", bound=type)

EVERY = frozenset({Feature.TOOLS, Feature.STRUCTURED_OUTPUT, Feature.VISION, Feature.REASONING})


class LackingLLM(ReferenceLLM):
    """An `LLMPort` that has no feature and says so."""

    lacked = EVERY


class LackingClient(ReferenceClient):
    """An `LLMClient` that has no feature and says so."""

    lacked = EVERY


class IgnoringLLM(ReferenceLLM):
    """An `LLMPort` that ignores every feature and warns once."""

    ignored = EVERY


class IgnoringClient(ReferenceClient):
    """An `LLMClient` that ignores every feature and warns once."""

    ignored = EVERY


def breaks_both(*clauses: str) -> Callable[[MixinT], MixinT]:
    """Enter a mixin's fault among the mutants of both contracts."""
    return _entering(clauses, ReferenceLLM, ReferenceClient)


def breaks_lacking(*clauses: str) -> Callable[[MixinT], MixinT]:
    """Enter a mixin's fault among the mutants that lack every feature."""
    return _entering(clauses, LackingLLM, LackingClient)


def breaks_ignoring(*clauses: str) -> Callable[[MixinT], MixinT]:
    """Enter a mixin's fault among the mutants that ignore every feature."""
    return _entering(clauses, IgnoringLLM, IgnoringClient)


def _entering(clauses: Sequence[str], *references: type) -> Callable[[MixinT], MixinT]:
    def enter(mixin: MixinT) -> MixinT:
        for reference in references:
            name = f"{mixin.__name__}As{reference.__name__}"
            made = type(name, (mixin, reference), {"__doc__": mixin.__doc__})
            breaks(*clauses)(made)
        return mixin

    return enter
