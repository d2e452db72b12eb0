"""The conformance kit: what decides whether an adapter may call itself one.

Subclass the suite of your port, give it an `adapter` fixture, run pytest. The names below come when
they are asked for, so that the pytest plugin, which lives in this package, loads nothing else.
"""

import importlib
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from agentkit.testing._play import Cut, Played, failing, provider_error
    from agentkit.testing.suites import (
        CheckpointSuite,
        Clause,
        ClockSuite,
        EmbeddingSuite,
        Feature,
        FetchSuite,
        LLMClientSuite,
        LLMSuite,
        MetricsSuite,
        ObserverSuite,
        Opener,
        Outcome,
        ReplaySuite,
        SamplerSuite,
        SearchSuite,
        Spanned,
        StoreSuite,
        Suite,
        ToolSuite,
        TraceSuite,
        VectorSuite,
        clause,
    )

__all__ = [
    "CheckpointSuite",
    "Clause",
    "ClockSuite",
    "Cut",
    "EmbeddingSuite",
    "Feature",
    "FetchSuite",
    "LLMClientSuite",
    "LLMSuite",
    "MetricsSuite",
    "ObserverSuite",
    "Opener",
    "Outcome",
    "Played",
    "ReplaySuite",
    "SamplerSuite",
    "SearchSuite",
    "Spanned",
    "StoreSuite",
    "Suite",
    "ToolSuite",
    "TraceSuite",
    "VectorSuite",
    "clause",
    "failing",
    "provider_error",
]

_PLAYED = ("Cut", "Played", "failing", "provider_error")

# pytest finds what to rewrite by counting slashes in a wheel's file list and misses a namespace
# package; without this line a failed clause says `AssertionError` and not one value.
pytest.register_assert_rewrite("agentkit.testing.suites")

if not TYPE_CHECKING:  # a checker that saw this would accept any name

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        home = "agentkit.testing._play" if name in _PLAYED else "agentkit.testing.suites"
        return getattr(importlib.import_module(home), name)
