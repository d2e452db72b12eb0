"""The suite of CheckpointPort: versions of a run, each written once and never changed."""

import asyncio
import dataclasses
import json
from typing import Any, ClassVar

import pytest

from agentkit.core.contracts.errors import AgentkitError, CheckpointConflict, StoreValueError
from agentkit.core.contracts.ports import Checkpoint, CheckpointPort, CheckpointStatus
from agentkit.testing.suites._clause import clause
from agentkit.testing.suites._judging import Opener
from agentkit.testing.suites._samples import (
    BAD_KEYS,
    DEEP,
    FALSY,
    NOT_JSON,
    NUMBERS,
    ODD_NAMES,
    TEXTS,
    same,
)
from agentkit.testing.suites._steps import cut_at_every_await
from agentkit.testing.suites._suite import Suite

__all__ = ["CheckpointSuite"]

RUNNING, DONE = CheckpointStatus.RUNNING, CheckpointStatus.DONE

DISGUISES: list[dict[str, Any]] = [
    {"__class__": "os.system", "args": ["true"]},
    {"py/object": "subprocess.Popen", "py/reduce": [{"py/type": "os.system"}, ["true"]]},
    {"lc": 1, "type": "constructor", "id": ["os", "system"], "kwargs": {"command": "true"}},
    {"__reduce__": ["os.system", ["true"]], "$type": "System.Diagnostics.Process"},
    {"type": "datetime", "value": "2020-01-01T00:00:00"},
]
"""Data that careless decoders take for an order to build something."""


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
        assert await other.latest(self.key) == checkpoint(self.key, 1)

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
        for field in ({"created_at": 1.0}, {"status": DONE}, {"metadata": {"by": "another"}}):
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


class RunClauses(Suite):
    """Runs are told apart by their exact id."""

    @clause("CHECKPOINT-RUN-01", since="1.0")
    async def runs_that_look_alike_stay_apart(self, port: CheckpointPort) -> None:
        for version, name in enumerate(ODD_NAMES, start=1):
            await port.save(checkpoint(self.key + name, version))

        found = [await port.list_versions(self.key + name) for name in ODD_NAMES]
        assert found == [[version] for version in range(1, len(ODD_NAMES) + 1)]

    @clause("CHECKPOINT-RUN-02", since="1.0")
    async def a_run_that_ends_in_a_number_is_no_version_of_another(
        self, port: CheckpointPort
    ) -> None:
        for run, version in ((f"{self.key}", 11), (f"{self.key}1", 1), (f"{self.key}:1", 1)):
            await port.save(checkpoint(run, version, {"run": run}))

        assert await port.list_versions(self.key) == [11]
        assert await port.latest(f"{self.key}1") == checkpoint(
            f"{self.key}1", 1, {"run": f"{self.key}1"}
        )

    @clause("CHECKPOINT-RUN-03", since="1.0")
    async def a_bad_run_id_is_refused(self, port: CheckpointPort) -> None:
        for run in BAD_KEYS:
            with pytest.raises(StoreValueError):
                await port.save(checkpoint(run))
            for verb in (port.latest, port.list_versions, port.delete):
                with pytest.raises(StoreValueError):
                    await verb(run)

    @clause("CHECKPOINT-RUN-04", since="1.0")
    async def the_longest_run_id_is_taken(self, port: CheckpointPort) -> None:
        run = self.key.ljust(1024, "x")
        await port.save(checkpoint(run))

        assert await port.latest(run) == checkpoint(run)

    @clause("CHECKPOINT-RUN-05", since="1.0", hook="other_namespace")
    async def namespaces_do_not_reach_into_each_other(self, port: CheckpointPort) -> None:
        await port.save(checkpoint(self.key))
        async with self.other_namespace()() as other:
            assert await other.latest(self.key) is None
            await other.save(checkpoint(self.key, 1, {"a": "other"}))
            await other.delete(self.key)

        assert await port.latest(self.key) == checkpoint(self.key)


class StateClauses(Suite):
    """State and metadata are JSON: exact, frozen, and never an order to build something."""

    @clause("CHECKPOINT-STATE-01", since="1.0")
    async def json_survives_exactly(self, port: CheckpointPort) -> None:
        state = {"texts": TEXTS, "numbers": NUMBERS, "empty": FALSY, "\x00\ud800": 1}
        await port.save(checkpoint(self.key, 1, state, metadata=state))

        found = await port.latest(self.key)
        assert found is not None
        assert same(found.state, state)
        assert same(found.metadata, state)

    @clause("CHECKPOINT-STATE-02", since="1.0")
    async def depth_and_size_survive(self, port: CheckpointPort) -> None:
        nested: Any = "é\x00" * 500_000
        for _ in range(DEEP):
            nested = [{"in": nested}]
        await port.save(checkpoint(self.key, 1, {"a": nested}))

        found = await port.latest(self.key)
        assert found is not None
        assert same(found.state, {"a": nested})

    @clause("CHECKPOINT-STATE-03", since="1.0")
    async def what_comes_out_is_frozen(self, port: CheckpointPort) -> None:
        await port.save(checkpoint(self.key, 1, {"a": [{"b": 1}]}, metadata={"c": {"d": 1}}))
        for found in (await port.latest(self.key), await port.at_version(self.key, 1)):
            assert found is not None
            with pytest.raises(TypeError):
                found.state["a"][0]["b"] = 2
            with pytest.raises(TypeError):
                found.metadata["c"]["d"] = 2

    @clause("CHECKPOINT-STATE-04", since="1.0")
    async def what_comes_out_serialises_like_a_dict(self, port: CheckpointPort) -> None:
        await port.save(checkpoint(self.key, 1, {"a": [{"b": 1}]}))

        found = await port.latest(self.key)
        assert found is not None
        assert json.dumps(dataclasses.asdict(found)["state"]) == '{"a": [{"b": 1}]}'

    @clause("CHECKPOINT-STATE-05", since="1.0")
    async def changing_what_was_given_changes_nothing(self, port: CheckpointPort) -> None:
        state: dict[str, Any] = {"a": [1]}
        saved = checkpoint(self.key)
        object.__setattr__(saved, "state", state)
        await port.save(saved)
        state["a"].append(2)

        assert await port.latest(self.key) == checkpoint(self.key, 1, {"a": [1]})

    @clause("CHECKPOINT-STATE-06", since="1.0")
    async def what_is_no_json_is_refused_before_anything_is_written(
        self, port: CheckpointPort
    ) -> None:
        for strange in NOT_JSON:
            with pytest.raises(StoreValueError):
                await port.save(checkpoint(self.key, 1, {"a": strange}))
            with pytest.raises(StoreValueError):
                await port.save(checkpoint(self.key, metadata={"a": strange}))

        assert await port.list_versions(self.key) == []

    @clause("CHECKPOINT-STATE-07", since="1.0")
    async def decoding_builds_data_only(self, port: CheckpointPort) -> None:
        for version, disguise in enumerate(DISGUISES, start=1):
            await port.save(checkpoint(self.key, version, disguise, metadata={"m": disguise}))

            found = await port.at_version(self.key, version)
            assert found is not None
            assert same([found.state, found.metadata], [disguise, {"m": disguise}])

    @clause("CHECKPOINT-STATE-08", since="1.0")
    async def an_empty_state_and_no_metadata_are_kept(self, port: CheckpointPort) -> None:
        saved = checkpoint(self.key, 1, {}, metadata={})
        await port.save(saved)

        assert await port.latest(self.key) == saved


class CheckpointFaultClauses(Suite):
    """A cut connection is told, a cancelled save is whole or absent."""

    @clause("CHECKPOINT-FAULT-01", since="1.0", hook="break_connection")
    async def an_unreachable_backend_is_told_by_every_verb(self, port: CheckpointPort) -> None:
        await self.break_connection()
        for call in (
            lambda: port.save(checkpoint(self.key)),
            lambda: port.latest(self.key),
            lambda: port.at_version(self.key, 1),
            lambda: port.list_versions(self.key),
            lambda: port.delete(self.key),
        ):
            with pytest.raises(AgentkitError):
                await call()

    @clause("CHECKPOINT-FAULT-02", since="1.0", hook="break_connection")
    async def it_works_again_once_the_backend_is_back(self, port: CheckpointPort) -> None:
        await self.break_connection()
        with pytest.raises(AgentkitError):
            await port.save(checkpoint(self.key))
        await self.restore()
        await port.save(checkpoint(self.key))

        assert await port.latest(self.key) == checkpoint(self.key)

    @clause("CHECKPOINT-CANCEL-01", since="1.0")
    async def a_cancelled_save_is_whole_or_absent(self, port: CheckpointPort) -> None:
        async for _ in cut_at_every_await(lambda: port.save(checkpoint(self.key))):
            assert await port.latest(self.key) in {None, checkpoint(self.key)}

        assert await port.list_versions(self.key) == [1]

    @clause("CHECKPOINT-CANCEL-02", since="1.0")
    async def a_cancelled_save_may_be_made_again(self, port: CheckpointPort) -> None:
        async for _ in cut_at_every_await(lambda: port.save(checkpoint(self.key))):
            await port.save(checkpoint(self.key))
            assert await port.list_versions(self.key) == [1]
            await port.delete(self.key)

    @clause("CHECKPOINT-CANCEL-03", since="1.0")
    async def a_cancelled_deletion_leaves_all_or_nothing(self, port: CheckpointPort) -> None:
        versions = [checkpoint(self.key, n) for n in (1, 2, 3)]
        await asyncio.gather(*map(port.save, versions))
        async for _ in cut_at_every_await(lambda: port.delete(self.key)):
            assert await port.list_versions(self.key) in ([], [1, 2, 3])
            await asyncio.gather(*map(port.save, versions))


VERBS = ("save", "latest", "at_version", "list_versions", "delete")


class CheckpointSuite(
    CheckpointFaultClauses,
    StateClauses,
    RunClauses,
    DeletingClauses,
    ConflictClauses,
    SavingClauses,
):
    """What a checkpoint store promises; subclass it and define the `adapter` fixture.

    Hooks: `other_namespace`, `break_connection` with `restore`, `backend_version`.
    """

    port: ClassVar[str] = "CheckpointPort"
    version: ClassVar[str] = "1.0"
    verbs: ClassVar[frozenset[str]] = frozenset(VERBS)
