"""Adapters that are wrong on purpose, one fault each, and the trial that must convict them.

A clause is worth nothing until an adapter has failed it. `MUTANTS` has, for every clause, at least
one adapter that breaks it; `faults_of` tries an adapter and gives the clauses it breaks; the
`REFERENCES`, from which the mutants are made, break none.
"""

from agentkit.testing.mutants import (
    _checkpoint_saves,
    _checkpoint_states,
    _clocks,
    _embeddings,
    _metrics,
    _model_answers,
    _model_cancel,
    _model_clients,
    _model_errors,
    _model_features,
    _model_trials,
    _observers,
    _replay,
    _sampling,
    _store_changes,
    _store_faults,
    _store_flight,
    _store_keys,
    _store_trials,
    _store_ttl,
    _store_values,
    _tools,
    _traces,
    _vector_finding,
    _vector_putting,
    _vector_where,
    _web,
)
from agentkit.testing.mutants._backend import Backend
from agentkit.testing.mutants._reference import (
    IgnoringStore,
    LackingStore,
    ReferenceCheckpoints,
    ReferenceStore,
)
from agentkit.testing.mutants._trial import (
    MUTANTS,
    REFERENCES,
    Mutant,
    Trial,
    breaks,
    faults_of,
    trial_of,
    tries,
)

__all__ = [
    "MUTANTS",
    "REFERENCES",
    "Backend",
    "IgnoringStore",
    "LackingStore",
    "Mutant",
    "ReferenceCheckpoints",
    "ReferenceStore",
    "Trial",
    "breaks",
    "faults_of",
    "trial_of",
    "tries",
]

# Each enters its mutants, or its trials, when it is imported.
_HOLDERS = (
    _checkpoint_saves,
    _checkpoint_states,
    _web,
    _traces,
    _tools,
    _sampling,
    _metrics,
    _clocks,
    _embeddings,
    _model_answers,
    _model_cancel,
    _model_clients,
    _model_errors,
    _model_features,
    _model_trials,
    _observers,
    _replay,
    _store_changes,
    _store_faults,
    _store_flight,
    _store_keys,
    _store_trials,
    _store_ttl,
    _store_values,
    _vector_finding,
    _vector_putting,
    _vector_where,
)
