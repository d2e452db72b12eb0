"""Clauses: laws of checkpoint stores, tried on many cases."""

import itertools
from functools import cached_property
from typing import Any

from agentkit.core.contracts.errors import CheckpointConflict
from agentkit.core.contracts.ports import CheckpointPort
from agentkit.testing.suites._checkpoint_saves import checkpoint
from agentkit.testing.suites._clause import clause
from agentkit.testing.suites._laws import EXTRA, for_all, json_lists
from agentkit.testing.suites._samples import same
from agentkit.testing.suites._suite import Suite

__all__ = ["CheckpointLawClauses"]

Model = dict[int, Any]
"""The state of each version."""


class CheckpointLawClauses(Suite):
    """What holds for any state, and any sequence of saves and deletions."""

    @cached_property
    def runs(self) -> Any:
        """Run ids, a fresh one for each case."""
        return (f"{self.key}:{n}" for n in itertools.count())

    async def follows_the_model(self, port: CheckpointPort, done: list[tuple[Any, ...]]) -> None:
        """Check that after each of *done* a run is what the model says."""
        run, model = next(self.runs), Model()
        for verb, *given in done:
            if verb == "delete":
                await port.delete(run)
                model.clear()
            else:
                await self.saves_as_the_model(port, model, checkpoint(run, *given))
            await self.holds_what_the_model_holds(port, model, run)

    async def saves_as_the_model(self, port: CheckpointPort, model: Model, saved: Any) -> None:
        """Save, and check that it is a conflict exactly where the model has another state."""
        held = model.setdefault(saved.version, saved.state)
        try:
            await port.save(saved)
        except CheckpointConflict:
            assert not same(held, saved.state)
        else:
            assert same(held, saved.state)

    async def holds_what_the_model_holds(
        self, port: CheckpointPort, model: Model, run: str
    ) -> None:
        """Check the versions of a run, and its latest state."""
        latest = await port.latest(run)
        assert await port.list_versions(run) == sorted(model)
        assert same(latest and latest.state, model[max(model)] if model else None)

    @clause("CHECKPOINT-LAW-01", since="1.0", extra=EXTRA)
    async def any_state_is_read_back(self, port: CheckpointPort) -> None:
        async def law(value: Any) -> None:
            run = next(self.runs)
            await port.save(checkpoint(run, 1, {"state": value}, metadata={"more": value}))
            found = await port.latest(run)
            assert found is not None
            assert same([found.state["state"], found.metadata["more"]], [value, value])

        await for_all(json_lists, law)

    @clause("CHECKPOINT-LAW-02", since="1.0", extra=EXTRA)
    async def any_saves_give_what_a_model_gives(self, port: CheckpointPort) -> None:
        async def law(done: list[tuple[Any, ...]]) -> None:
            await self.follows_the_model(port, done)

        await for_all(_saves_and_deletions, law)


def _saves_and_deletions(st: Any) -> Any:
    version = st.sampled_from((1, 2, 3, 9, 10))
    state = st.sampled_from(({"a": 1}, {"a": True}, {"a": 1.0}, {"b": 2, "a": 1}))
    save = st.tuples(st.just("save"), version, state)
    return st.lists(save | save | st.just(("delete",)), max_size=8)
