"""The suite of SamplerPort."""

from typing import ClassVar
from uuid import UUID

from agentkit.core.contracts.sampling import SamplerPort
from agentkit.testing.suites._clause import clause, hook
from agentkit.testing.suites._samples import NOT_JSON
from agentkit.testing.suites._suite import Suite

__all__ = ["SamplerSuite"]

MANY = 2000
FEW = 200
RUNS = [f"run-{n}" for n in range(FEW)]
"""Ids that differ in their last characters only."""
ODD_IDS = ["", "\x00", "\ud800", "\u00e9", "x" * 100_000, " "]
OPERATIONS = ("chat", "execute_tool", "invoke_agent", "")


class SamplerClauses(Suite):
    """A run is traced wholly or not at all, by whoever decides."""

    @hook
    def ratio(self) -> float:
        """Give the part of the runs that is to be traced."""
        raise NotImplementedError

    @clause("SAMPLER-PORT-01", since="1.0")
    async def an_adapter_has_the_verb_of_its_port(self, sampler: SamplerPort) -> None:
        assert callable(sampler.should_sample)

    @clause("SAMPLER-DECIDE-01", since="1.0")
    async def a_decision_is_yes_or_no(self, sampler: SamplerPort) -> None:
        for run in RUNS[:50]:
            decided = sampler.should_sample(operation="chat", correlation_id=run)

            assert type(decided) is bool

    @clause("SAMPLER-DECIDE-02", since="1.0")
    async def a_run_has_one_answer(self, sampler: SamplerPort) -> None:
        for run in RUNS:
            answers = {
                sampler.should_sample(operation=operation, correlation_id=run, attrs=attrs)
                for operation in OPERATIONS
                for attrs in (None, {}, {"gen_ai.request.model": "m"})
            }
            assert len(answers) == 1

    @clause("SAMPLER-DECIDE-03", since="1.0")
    async def two_samplers_decide_alike(self, one: SamplerPort, other: SamplerPort) -> None:
        for run in RUNS:
            first = one.should_sample(operation="chat", correlation_id=run)

            assert other.should_sample(operation="chat", correlation_id=run) is first

    @clause("SAMPLER-DECIDE-04", since="1.0")
    async def any_id_and_any_attributes_are_decided(self, sampler: SamplerPort) -> None:
        for run in ODD_IDS:
            attrs = {"odd": NOT_JSON}
            sampler.should_sample(operation="chat", correlation_id=run, attrs=attrs)

    @clause("SAMPLER-RATIO-01", since="1.0", hook="ratio")
    async def of_runs_that_look_alike_the_part_is_right(self, sampler: SamplerPort) -> None:
        for prefix in range(12):
            runs = [f"{prefix}-run-{n}" for n in range(FEW)]
            kept = [sampler.should_sample(operation="chat", correlation_id=run) for run in runs]

            assert abs(sum(kept) / FEW - self.ratio()) < 0.15

    @clause("SAMPLER-RATIO-02", since="1.0", hook="ratio")
    async def of_random_runs_the_part_is_right(self, sampler: SamplerPort) -> None:
        runs = [UUID(int=n * 0x9E3779B97F4A7C15F39CC0605CEDC835 % 2**128).hex for n in range(MANY)]
        kept = [sampler.should_sample(operation="chat", correlation_id=run) for run in runs]

        assert abs(sum(kept) / MANY - self.ratio()) < 0.05


class SamplerSuite(SamplerClauses):
    """What a sampler promises; subclass it and define the `adapter` fixture.

    Hook: `ratio`.
    """

    port: ClassVar[str] = "SamplerPort"
    version: ClassVar[str] = "1.0"
