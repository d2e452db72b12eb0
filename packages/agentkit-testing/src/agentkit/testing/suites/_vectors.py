"""The suite of VectorPort."""

from typing import ClassVar

from agentkit.testing.suites._clause import Feature
from agentkit.testing.suites._vector_faults import VectorFaultClauses
from agentkit.testing.suites._vector_finding import VERBS, FindingClauses, ScopeClauses
from agentkit.testing.suites._vector_putting import MetadataClauses, UpsertClauses
from agentkit.testing.suites._vector_where import (
    IgnoredWhereClauses,
    LackedWhereClauses,
    WhereClauses,
)

__all__ = ["VectorSuite"]


class VectorSuite(
    VectorFaultClauses,
    IgnoredWhereClauses,
    LackedWhereClauses,
    WhereClauses,
    MetadataClauses,
    UpsertClauses,
    ScopeClauses,
    FindingClauses,
):
    """What a vector index promises; subclass it and define the `adapter` fixture.

    An index may use any embedding under which a text is most like itself, and texts that share a
    word are matches. Feature: `WHERE`. Hooks: `other_namespace`, `break_connection` with `restore`,
    `backend_version`.
    """

    port: ClassVar[str] = "VectorPort"
    version: ClassVar[str] = "1.0"
    features: ClassVar[frozenset[Feature]] = frozenset({Feature.WHERE})
    verbs: ClassVar[frozenset[str]] = frozenset(VERBS)
