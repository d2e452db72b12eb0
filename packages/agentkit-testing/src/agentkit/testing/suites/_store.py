"""The suite of StorePort."""

from typing import ClassVar

from agentkit.testing.suites._clause import Feature
from agentkit.testing.suites._store_changes import CounterClauses, LogClauses, SwapClauses
from agentkit.testing.suites._store_faults import CancelClauses, FaultClauses
from agentkit.testing.suites._store_flight import FlightClauses
from agentkit.testing.suites._store_keys import KeyClauses, ScanClauses
from agentkit.testing.suites._store_laws import LawClauses, LinearClauses
from agentkit.testing.suites._store_ttl import (
    IgnoredTtlClauses,
    LackedTtlClauses,
    TtlClauses,
    WindowClauses,
)
from agentkit.testing.suites._store_values import NINE, BasicClauses, ValueClauses

__all__ = ["StoreSuite"]


class StoreSuite(
    LinearClauses,
    LawClauses,
    CancelClauses,
    FaultClauses,
    IgnoredTtlClauses,
    LackedTtlClauses,
    WindowClauses,
    TtlClauses,
    LogClauses,
    CounterClauses,
    SwapClauses,
    FlightClauses,
    ScanClauses,
    KeyClauses,
    ValueClauses,
    BasicClauses,
):
    """What a store promises; subclass it and define the `adapter` fixture.

    Feature: `TTL`. Hooks: `advance`, `other_namespace`, `break_connection` with `restore`,
    `backend_version`.
    """

    port: ClassVar[str] = "StorePort"
    version: ClassVar[str] = "1.0"
    features: ClassVar[frozenset[Feature]] = frozenset({Feature.TTL})
    verbs: ClassVar[frozenset[str]] = frozenset(NINE)
