"""Clauses: a version of a run is saved once, read back, and gone when the run is deleted."""

import asyncio
from typing import Any

import pytest

from agentkit.core.contracts.errors import CheckpointConflict, StoreValueError
from agentkit.core.contracts.ports import Checkpoint, CheckpointPort, CheckpointStatus
from agentkit.testing.suites._clause import clause
from agentkit.testing.suites._judging import Opener
from agentkit.testing.suites._samples import ODD_NAMES
from agentkit.testing.suites._suite import Suite

__all__ = ["VERBS", "ConflictClauses", "DeletingClauses", "SavingClauses", "checkpoint"]

RUNNING, DONE = CheckpointStatus.RUNNING, CheckpointStatus.DONE

VERBS = ("save", "latest", "at_version", "list_versions", "delete")


def checkpoint(run: str, version: int = 1, state: Any = None, **fields: Any) -> Checkpoint:
    """Make a checkpoint of *run*; *fields* are those that a clause is about."""
    filled: dict[str, Any] = {"created_at": 1.7e9, "status": RUNNING, "metadata": {"by": "w"}}
    given = {"turn": version} if state is None else state
    return Checkpoint(run, version, given, **filled | fields)


class SavingClauses(Suite):
    """What is saved is read back, in order of its versions."""

    @clause("CHECKPOINT-PORT-01", since="1.0")
    async def an_adapter_has_the_verbs_of_its_port(self, port: CheckpointPort) -> None:
        verbs = [verb for verb in VERBS if verb not in self.partial]

        assert [verb for verb in verbs if not callable(getattr(port, verb, None))] == []

    @clause("CHECKPOINT-SAVE-01", since="1.0")
    async def every_field_is_read_back(self, port: CheckpointPort) -> None:
        saved = checkpoint(self.key, 3, {"a": [1]}, created_at=0.1, status=DONE, metadata={"b": 2})
        await port.save(saved)

        assert await port.latest(self.key) == saved
        assert await port.at_version(self.key, 3) == saved

    @clause("CHECKPOINT-SAVE-02", since="1.0")
    async def an_unknown_run_has_nothing(self, port: CheckpointPort) -> None:
        assert await port.latest(self.key) is None
        assert await port.at_version(self.key, 1) is None
        assert await port.list_versions(self.key) == []

    @clause("CHECKPOINT-SAVE-03", since="1.0")
    async def the_latest_is_the_highest_version(self, port: CheckpointPort) -> None:
        for version in (1, 2, 10, 9):
            await port.save(checkpoint(self.key, version, created_at=100.0 - version))

        assert await port.latest(self.key) == checkpoint(self.key, 10, created_at=90.0)

    @clause("CHECKPOINT-SAVE-04", since="1.0")
    async def versions_are_listed_upwards_as_numbers(self, port: CheckpointPort) -> None:
        for version in (10, 9, 2, 1, 100):
            await port.save(checkpoint(self.key, version))

        assert await port.list_versions(self.key) == [1, 2, 9, 10, 100]

    @clause("CHECKPOINT-SAVE-05", since="1.0")
    async def a_gap_stays_a_gap(self, port: CheckpointPort) -> None:
        await port.save(checkpoint(self.key, 1))
        await port.save(checkpoint(self.key, 5))

        assert await port.at_version(self.key, 3) is None
        assert await port.at_version(self.key, 6) is None
        assert await port.list_versions(self.key) == [1, 5]

    @clause("CHECKPOINT-SAVE-06", since="1.0")
    async def each_version_keeps_its_own_state(self, port: CheckpointPort) -> None:
        for version in (1, 2, 3):
            await port.save(checkpoint(self.key, version))

        found = [await port.at_version(self.key, version) for version in (1, 2, 3)]
        assert found == [checkpoint(self.key, version) for version in (1, 2, 3)]

    @clause("CHECKPOINT-SAVE-07", since="1.0")
    async def a_status_is_read_back_as_a_status(self, port: CheckpointPort) -> None:
        for version, status in enumerate(CheckpointStatus, start=1):
            await port.save(checkpoint(self.key, version, status=status))

            found = await port.latest(self.key)
            assert found is not None
            assert found.status is status

    @clause("CHECKPOINT-SAVE-08", since="1.0")
    async def the_time_is_exact(self, port: CheckpointPort) -> None:
        for version, time in enumerate((0.1 + 0.2, 1732900000.123456, 0.0), start=1):
            await port.save(checkpoint(self.key, version, created_at=time))

            found = await port.at_version(self.key, version)
            assert found is not None
            assert found.created_at == time

    @clause("CHECKPOINT-SAVE-09", since="1.0")
    async def another_instance_reads_what_one_saved(
        self, one: CheckpointPort, other: CheckpointPort
    ) -> None:
        await one.save(checkpoint(self.key, 1))
        assert await other.latest(self.key) == await one.latest(self.key)

        await other.save(checkpoint(self.key, 2))
        assert await one.latest(self.key) == checkpoint(self.key, 2)

    @clause("CHECKPOINT-SAVE-10", since="1.0")
    async def a_checkpoint_outlives_the_instance_that_saved_it(self, adapter: Opener) -> None:
        async with adapter() as first:
            await first.save(checkpoint(self.key))

        async with adapter() as second:
            assert await second.latest(self.key) == checkpoint(self.key)

    @clause("CHECKPOINT-SAVE-11", since="1.0")
    async def a_version_below_one_is_refused(self, port: CheckpointPort) -> None:
        for version in (0, -1):
            with pytest.raises(StoreValueError):
                await port.save(checkpoint(self.key, version))

        assert await port.list_versions(self.key) == []


class ConflictClauses(Suite):
    """A version is written once; saving the same again is nothing, another content a conflict."""

    @clause("CHECKPOINT-CONFLICT-01", since="1.0")
    async def saving_the_same_again_changes_nothing(self, port: CheckpointPort) -> None:
        await port.save(checkpoint(self.key, 1, {"a": [1, {"b": 2, "c": 3}]}))
        await port.save(checkpoint(self.key, 1, {"a": [1, {"c": 3, "b": 2}]}))

        assert await port.list_versions(self.key) == [1]

    @clause("CHECKPOINT-CONFLICT-02", since="1.0")
    async def another_state_is_a_conflict(self, port: CheckpointPort) -> None:
        await port.save(checkpoint(self.key, 1, {"a": 1}))
        for state in ({"a": 2}, {"a": True}, {"a": 1.0}, {}, {"a": 1, "b": None}):
            with pytest.raises(CheckpointConflict):
                await port.save(checkpoint(self.key, 1, state))

        assert await port.latest(self.key) == checkpoint(self.key, 1, {"a": 1})

    @clause("CHECKPOINT-CONFLICT-03", since="1.0")
    async def another_value_of_any_field_is_a_conflict(self, port: CheckpointPort) -> None:
        await port.save(checkpoint(self.key))
        others: list[Any] = [{"created_at": 1.0}, {"status": DONE}, {"metadata": {"by": "another"}}]
        for field in others:
            with pytest.raises(CheckpointConflict):
                await port.save(checkpoint(self.key, **field))

        assert await port.latest(self.key) == checkpoint(self.key)

    @clause("CHECKPOINT-CONFLICT-04", since="1.0")
    async def an_older_version_conflicts_too(self, port: CheckpointPort) -> None:
        for version in (1, 2, 3):
            await port.save(checkpoint(self.key, version))

        with pytest.raises(CheckpointConflict):
            await port.save(checkpoint(self.key, 2, {"a": "other"}))
        assert await port.at_version(self.key, 2) == checkpoint(self.key, 2)

    @clause("CHECKPOINT-CONFLICT-05", since="1.0")
    async def of_many_writers_of_one_version_one_wins(
        self, one: CheckpointPort, other: CheckpointPort
    ) -> None:
        writers = [checkpoint(self.key, metadata={"by": str(n)}) for n in range(8)]
        saves = [port.save(w) for port, w in zip((one, other) * 4, writers, strict=True)]
        results = await asyncio.gather(*saves, return_exceptions=True)

        assert sorted(type(r).__name__ for r in results) == ["CheckpointConflict"] * 7 + [
            "NoneType"
        ]
        assert await one.latest(self.key) == writers[results.index(None)]

    @clause("CHECKPOINT-CONFLICT-06", since="1.0")
    async def writers_of_different_versions_all_win(
        self, one: CheckpointPort, other: CheckpointPort
    ) -> None:
        saves = [
            (one, other)[version % 2].save(checkpoint(self.key, version))
            for version in range(1, 21)
        ]
        await asyncio.gather(*saves)

        assert await one.list_versions(self.key) == list(range(1, 21))

    @clause("CHECKPOINT-CONFLICT-07", since="1.0")
    async def the_same_saved_by_many_at_once_is_saved(
        self, one: CheckpointPort, other: CheckpointPort
    ) -> None:
        await asyncio.gather(*(port.save(checkpoint(self.key)) for port in (one, other) * 4))

        assert await one.list_versions(self.key) == [1]


class DeletingClauses(Suite):
    """Deleting forgets a whole run, and no other."""

    @clause("CHECKPOINT-DELETE-01", since="1.0")
    async def a_deletion_removes_every_version(self, port: CheckpointPort) -> None:
        for version in (1, 2):
            await port.save(checkpoint(self.key, version))
        await port.delete(self.key)

        assert await port.latest(self.key) is await port.at_version(self.key, 1) is None
        assert await port.list_versions(self.key) == []

    @clause("CHECKPOINT-DELETE-02", since="1.0")
    async def deleting_again_changes_nothing(self, port: CheckpointPort) -> None:
        await port.delete(self.key)
        await port.save(checkpoint(self.key))
        await port.delete(self.key)
        await port.delete(self.key)

        assert await port.latest(self.key) is None

    @clause("CHECKPOINT-DELETE-03", since="1.0")
    async def a_deleted_run_may_start_again(self, port: CheckpointPort) -> None:
        await port.save(checkpoint(self.key, 1, {"a": "old"}))
        await port.save(checkpoint(self.key, 2))
        await port.delete(self.key)
        await port.save(checkpoint(self.key, 1, {"a": "new"}))

        assert await port.latest(self.key) == checkpoint(self.key, 1, {"a": "new"})
        assert await port.list_versions(self.key) == [1]

    @clause("CHECKPOINT-DELETE-04", since="1.0")
    async def other_runs_stay(self, port: CheckpointPort) -> None:
        for name in ODD_NAMES:
            await port.save(checkpoint(self.key + name, state={"name": name}))
        await port.save(checkpoint(self.key))
        await port.delete(self.key)

        found = [await port.latest(self.key + name) for name in ODD_NAMES]
        assert [each and each.state["name"] for each in found] == ODD_NAMES

    @clause("CHECKPOINT-DELETE-05", since="1.0")
    async def another_instance_sees_the_deletion(
        self, one: CheckpointPort, other: CheckpointPort
    ) -> None:
        await one.save(checkpoint(self.key))
        await other.latest(self.key)
        await one.delete(self.key)

        assert await other.latest(self.key) is None
        assert await other.list_versions(self.key) == []
