"""The proof: every clause catches a fault, and what is right passes every clause."""

import pytest

from agentkit.testing import Suite
from agentkit.testing.mutants import MUTANTS, REFERENCES, Mutant, faults_of, trial_of

from .the_suites import SUITES


def named(mutant: Mutant) -> str:
    return f"{mutant.breaks[0].partition('-')[0].lower()}-{mutant.name}"


@pytest.mark.parametrize("reference", REFERENCES)
def test_a_reference_breaks_no_clause(reference: type) -> None:
    assert faults_of(reference) == []


@pytest.mark.parametrize("mutant", MUTANTS, ids=named)
def test_a_mutant_is_caught_by_every_clause_it_names(mutant: Mutant) -> None:
    assert faults_of(mutant.adapter, *mutant.breaks) == list(mutant.breaks)


@pytest.mark.parametrize("suite", SUITES)
def test_every_clause_is_named_by_a_mutant(suite: type[Suite]) -> None:
    tried = [mutant for mutant in MUTANTS if issubclass(trial_of(mutant.adapter), suite)]

    assert sorted(suite.clauses.keys() - {id_ for each in tried for id_ in each.breaks}) == []


def test_mutants_have_names_of_their_own() -> None:
    names = [named(mutant) for mutant in MUTANTS]

    assert len(set(names)) == len(names)


@pytest.mark.parametrize("mutant", MUTANTS, ids=named)
def test_a_mutant_says_what_it_does(mutant: Mutant) -> None:
    assert mutant.adapter.__doc__
