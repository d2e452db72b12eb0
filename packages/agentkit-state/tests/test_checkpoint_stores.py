"""Checkpoints: written once, in order, frozen on the way out."""

import asyncio
import dataclasses
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agentkit.core.contracts.errors import (
    CheckpointConflict,
    CheckpointerError,
    StoreValueError,
)
from agentkit.core.contracts.ports import Checkpoint, CheckpointPort, CheckpointStatus
from agentkit.core.serialization import FrozenDict, FrozenList
from agentkit.state.checkpoints import (
    Checkpointer,
    FileCheckpointStore,
    InMemoryCheckpointStore,
    SQLiteCheckpointStore,
)

from .support import CHECKPOINTS, OpenedCheckpoints
from .support import with_store as run

Opener = Callable[[Path], OpenedCheckpoints]

every_store = pytest.mark.parametrize("opener", CHECKPOINTS.values(), ids=CHECKPOINTS)

FIRST = Checkpoint("run-1", 1, {"turn": 1, "x": [{"y": 10**30}]}, 1.7e9, CheckpointStatus.RUNNING)
SECOND = Checkpoint("run-1", 2, {}, 1.8e9, CheckpointStatus.SUSPENDED, {"by": "w\0\ud800"})


@every_store
def test_it_is_a_checkpoint_port(opener: Opener, tmp_path: Path) -> None:
    async def steps(store: object) -> bool:
        return isinstance(store, CheckpointPort)

    assert run(opener(tmp_path), steps)


@every_store
def test_versions_come_back_equal_and_in_order(opener: Opener, tmp_path: Path) -> None:
    async def steps(store: CheckpointPort) -> None:
        for checkpoint in (SECOND, FIRST):
            await store.save(checkpoint)

        assert await store.list_versions("run-1") == [1, 2]
        assert await store.latest("run-1") == SECOND
        assert await store.at_version("run-1", 1) == FIRST

    run(opener(tmp_path), steps)


@every_store
def test_what_is_absent_is_none_or_empty(opener: Opener, tmp_path: Path) -> None:
    async def steps(store: CheckpointPort) -> list[Any]:
        await store.save(FIRST)
        found = [await store.at_version("run-1", number) for number in (2, 0, -1, 2**80)]
        return [*found, await store.latest("run-2"), await store.list_versions("run-2")]

    assert run(opener(tmp_path), steps) == [None] * 5 + [[]]


@every_store
def test_saving_an_equal_one_again_changes_nothing(opener: Opener, tmp_path: Path) -> None:
    async def steps(store: CheckpointPort) -> list[int]:
        again = dataclasses.replace(FIRST, state={"x": [{"y": 10**30}], "turn": 1})
        await store.save(FIRST)
        await store.save(again)
        return await store.list_versions("run-1")

    assert run(opener(tmp_path), steps) == [1]


@every_store
@pytest.mark.parametrize(
    "change",
    [
        {"state": {"turn": True, "x": [{"y": 10**30}]}},
        {"metadata": {"a": 1}},
        {"created_at": 1.0},
        {"status": CheckpointStatus.DONE},
    ],
    ids=["state", "metadata", "created_at", "status"],
)
def test_another_content_of_a_version_is_a_conflict(
    opener: Opener, tmp_path: Path, change: dict[str, Any]
) -> None:
    async def steps(store: CheckpointPort) -> Any:
        await store.save(FIRST)
        with pytest.raises(CheckpointConflict, match="version 1 of run 'run-1'") as conflict:
            await store.save(dataclasses.replace(FIRST, **change))
        assert (conflict.value.run_id, conflict.value.version) == ("run-1", 1)
        return await store.latest("run-1")

    assert run(opener(tmp_path), steps) == FIRST


@every_store
def test_of_two_writers_of_one_version_one_wins(opener: Opener, tmp_path: Path) -> None:
    async def steps(store: CheckpointPort) -> list[bool]:
        rivals = [dataclasses.replace(FIRST, metadata={"writer": n}) for n in range(4)]
        saves = (store.save(rival) for rival in rivals)
        outcomes = await asyncio.gather(*saves, return_exceptions=True)
        return sorted(isinstance(outcome, CheckpointConflict) for outcome in outcomes)

    assert run(opener(tmp_path), steps) == [False, True, True, True]


@every_store
def test_delete_removes_every_version_of_its_run_only(opener: Opener, tmp_path: Path) -> None:
    async def steps(store: CheckpointPort) -> list[Any]:
        for checkpoint in (FIRST, SECOND, dataclasses.replace(FIRST, run_id="run-1/child")):
            await store.save(checkpoint)
        await store.delete("run-1")
        await store.delete("run-1")
        await store.save(dataclasses.replace(FIRST, state={}))
        return [await store.list_versions(run_id) for run_id in ("run-1", "run-1/child")]

    assert run(opener(tmp_path), steps) == [[1], [1]]


@every_store
def test_what_comes_out_is_frozen_and_what_went_in_is_not_aliased(
    opener: Opener, tmp_path: Path
) -> None:
    async def steps(store: CheckpointPort) -> Any:
        state: dict[str, Any] = {"turn": [1]}
        await store.save(Checkpoint("r", 1, state, 0.0, CheckpointStatus.RUNNING))
        state["turn"].append(2)
        return await store.latest("r")

    latest = run(opener(tmp_path), steps)
    assert (type(latest.state), type(latest.state["turn"])) == (FrozenDict, FrozenList)
    assert json.dumps(latest.state) == '{"turn": [1]}'


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "run id": ({"run_id": ""}, "a key must not be empty"),
    "version zero": ({"version": 0}, "version must be from 1"),
    "version bool": ({"version": True}, "version must be an integer; got bool"),
    "version float": ({"version": 1.0}, "version must be an integer; got float"),
    "version huge": ({"version": 2**63}, "version must be from 1"),
    "status": ({"status": "running"}, "status must be a CheckpointStatus; got 'running'"),
    "created_at nan": ({"created_at": float("nan")}, "created_at must be finite; got nan"),
    "created_at bool": ({"created_at": True}, "created_at must be seconds; got True"),
    "created_at huge": ({"created_at": 10**400}, "created_at must be finite; got inf"),
    "state tuple": ({"state": {"a": (1,)}}, "state: a store value must be plain JSON: tuple"),
    "state list": ({"state": [1]}, "state must be a dict; got FrozenList"),
    "metadata": ({"metadata": {"a": {1}}}, "metadata: .*set"),
}


@every_store
@pytest.mark.parametrize("case", BAD.values(), ids=BAD)
def test_a_checkpoint_that_no_store_keeps_is_refused(
    opener: Opener, tmp_path: Path, case: tuple[dict[str, Any], str]
) -> None:
    change, said = case

    async def steps(store: CheckpointPort) -> list[int]:
        with pytest.raises(StoreValueError, match=said):
            await store.save(dataclasses.replace(FIRST, **change))
        return await store.list_versions("run-1")

    assert run(opener(tmp_path), steps) == []


@every_store
def test_a_run_id_that_is_no_key_is_refused_everywhere(opener: Opener, tmp_path: Path) -> None:
    async def steps(store: CheckpointPort) -> None:
        calls = (store.latest(""), store.at_version("", 1), store.list_versions(""))
        outcomes = await asyncio.gather(*calls, store.delete(""), return_exceptions=True)
        assert [type(outcome) for outcome in outcomes] == [StoreValueError] * 4

    run(opener(tmp_path), steps)


@every_store
def test_a_version_that_is_no_integer_is_refused(opener: Opener, tmp_path: Path) -> None:
    async def steps(store: CheckpointPort) -> None:
        with pytest.raises(StoreValueError, match="must be an integer; got str"):
            await store.at_version("run-1", "1")  # type: ignore[arg-type]

    run(opener(tmp_path), steps)


@every_store
def test_the_second_worker_on_a_run_stops(opener: Opener, tmp_path: Path) -> None:
    async def steps(store: CheckpointPort) -> None:
        first, second = Checkpointer(store), Checkpointer(store)
        await first.snapshot("r", {"by": 1})
        await second.snapshot("r", {"by": 2})
        with pytest.raises(CheckpointConflict, match="run 'r'"):
            await first.snapshot("r", {"by": 1})

    run(opener(tmp_path), steps)


def _execute(path: Path, statement: str, *values: Any) -> list[Any]:
    with closing(sqlite3.connect(path)) as connection, connection:
        return connection.execute(statement, values).fetchall()


def _save(path: Path, *checkpoints: Checkpoint) -> None:
    async def steps() -> None:
        async with SQLiteCheckpointStore.open(path) as store:
            for checkpoint in checkpoints:
                await store.save(checkpoint)

    asyncio.run(steps())


def _latest(path: Path) -> Checkpoint | None:
    async def steps() -> Checkpoint | None:
        async with SQLiteCheckpointStore.open(path) as store:
            return await store.latest("run-1")

    return asyncio.run(steps())


def test_checkpoints_survive_closing_as_canonical_json(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    _save(path, FIRST, SECOND)

    assert _latest(path) == SECOND
    assert _execute(path, "SELECT * FROM agentkit_checkpoints WHERE version = 2") == [
        ("run-1", 2, "suspended", 1.8e9, "{}", r'{"by":"w\u0000\ud800"}')
    ]


@pytest.mark.parametrize(
    ("column", "content"),
    [("state", "{"), ("state", b"\xff"), ("status", "unheard of"), ("metadata", "NaN")],
)
def test_a_damaged_row_is_named_and_makes_no_object(
    tmp_path: Path, column: str, content: Any
) -> None:
    path = tmp_path / "runs.sqlite"
    _save(path, FIRST)
    _execute(path, f"UPDATE agentkit_checkpoints SET {column} = ?", content)  # noqa: S608

    with pytest.raises(CheckpointerError, match=r"runs\.sqlite: "):
        _latest(path)


def test_the_adapters_module_and_the_package_export_the_same() -> None:
    from agentkit.state.checkpoints import adapters  # noqa: PLC0415 - the path of the specification

    assert adapters.FileCheckpointStore is FileCheckpointStore
    assert adapters.InMemoryCheckpointStore is InMemoryCheckpointStore
    assert adapters.SQLiteCheckpointStore is SQLiteCheckpointStore
