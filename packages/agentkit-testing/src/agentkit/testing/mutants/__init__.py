"""Adapters that are wrong on purpose, one fault each, and the trial that must convict them.

A clause is worth nothing until an adapter has failed it. `MUTANTS` has, for every clause, at least
one adapter that breaks it; `faults_of` tries an adapter and gives the clauses it breaks; the
references, from which the mutants are made, break none.
"""

from agentkit.testing.mutants import (
    _checkpoint_saves,
    _checkpoint_states,
    _store_changes,
    _store_faults,
    _store_flight,
    _store_keys,
    _store_ttl,
    _store_values,
)
from agentkit.testing.mutants._backend import Backend
from agentkit.testing.mutants._reference import (
    IgnoringStore,
    LackingStore,
    ReferenceCheckpoints,
    ReferenceStore,
)
from agentkit.testing.mutants._trial import MUTANTS, Mutant, breaks, faults_of, trial_of

__all__ = [
    "MUTANTS",
    "Backend",
    "IgnoringStore",
    "LackingStore",
    "Mutant",
    "ReferenceCheckpoints",
    "ReferenceStore",
    "breaks",
    "faults_of",
    "trial_of",
]

# Each enters its mutants when it is imported.
_HOLDERS = (
    _checkpoint_saves,
    _checkpoint_states,
    _store_changes,
    _store_faults,
    _store_flight,
    _store_keys,
    _store_ttl,
    _store_values,
)
