"""PostgresCheckpointStore: a long state is in parts, and nobody who asks can tell."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from psycopg_pool import AsyncConnectionPool

from agentkit.core.contracts.errors import CheckpointConflict, CheckpointerError
from agentkit.core.contracts.ports import Checkpoint, CheckpointStatus
from agentkit.state.postgres import PostgresCheckpointStore
from agentkit.testing.servers import Server

from .support import rows

Play = Callable[[PostgresCheckpointStore], Awaitable[Any]]


@pytest.fixture
def schema() -> str:
    return f"runs-{uuid4().hex[:8]}"


def saying(text: str, *, run_id: str = "r") -> Checkpoint:
    return Checkpoint(run_id, 1, {"text": text}, 1.5, CheckpointStatus.RUNNING, {"by": "me"})


def played(server: Server, play: Play, schema: str) -> Any:
    async def run() -> Any:
        async with PostgresCheckpointStore.open(server.url, schema=schema) as runs:
            return await play(runs)

    return asyncio.run(run())


@pytest.mark.parametrize("length", [0, 10, 15_989, 15_990, 32_300, 1_000_000])
def test_a_state_of_any_length_comes_back(
    postgres_server: Server, schema: str, length: int
) -> None:
    saved = saying("x" * length)

    async def play(runs: PostgresCheckpointStore) -> list[Checkpoint | None]:
        await runs.save(saved)
        return [await runs.latest("r"), await runs.at_version("r", 1)]

    assert played(postgres_server, play, schema) == [saved, saved]


def test_a_long_state_has_room_beside_the_longest_name(
    postgres_server: Server, schema: str
) -> None:
    saved = saying("x" * 50_000, run_id="é" * 512)

    async def play(runs: PostgresCheckpointStore) -> Checkpoint | None:
        await runs.save(saved)
        return await runs.latest(saved.run_id)

    assert played(postgres_server, play, schema) == saved


def test_a_long_state_is_in_parts_of_a_page_and_none_is_out_of_line(
    postgres_server: Server, schema: str
) -> None:
    played(postgres_server, lambda runs: runs.save(saying("x" * 100_000)), schema)

    parts = f'"{schema}".agentkit_checkpoint_parts'
    lengths = rows(postgres_server, f"SELECT length(part) FROM {parts} ORDER BY number")  # noqa: S608
    assert [length for (length,) in lengths] == [8099] * 12 + [100_011 - 12 * 8099]
    apart = f"SELECT pg_relation_size('{parts}') / 8192, pg_table_size('{parts}') / 8192 < 20"
    assert rows(postgres_server, apart) == [(13, True)]


def test_a_long_state_is_saved_once_and_again_where_it_is_equal(
    postgres_server: Server, schema: str
) -> None:
    saved = saying("x" * 50_000)

    async def play(runs: PostgresCheckpointStore) -> Checkpoint | None:
        await runs.save(saved)
        await runs.save(saying("x" * 50_000))
        with pytest.raises(CheckpointConflict, match="other content"):
            await runs.save(saying("x" * 49_999 + "y"))
        return await runs.latest("r")

    assert played(postgres_server, play, schema) == saved


def test_a_run_is_deleted_with_all_its_parts(postgres_server: Server, schema: str) -> None:
    async def play(runs: PostgresCheckpointStore) -> None:
        await runs.save(saying("x" * 50_000))
        await runs.save(saying("x" * 50_000, run_id="other"))
        await runs.delete("r")

    played(postgres_server, play, schema)
    left = f'SELECT DISTINCT run_id FROM "{schema}".agentkit_checkpoint_parts'  # noqa: S608
    assert rows(postgres_server, left) == [("other",)]


def test_a_state_whose_parts_are_gone_is_told(postgres_server: Server, schema: str) -> None:
    played(postgres_server, lambda runs: runs.save(saying("x" * 50_000)), schema)
    rows(postgres_server, f'DELETE FROM "{schema}".agentkit_checkpoint_parts')  # noqa: S608

    with pytest.raises(CheckpointerError, match="something else at a version of run 'r'"):
        played(postgres_server, lambda runs: runs.latest("r"), schema)


def test_a_long_state_goes_through_psycopg(postgres_server: Server, schema: str) -> None:
    async def run() -> list[Any]:
        pool: AsyncConnectionPool[Any] = AsyncConnectionPool(postgres_server.url, open=False)
        async with pool, PostgresCheckpointStore.open(pool=pool, schema=schema) as runs:
            await runs.save(saying("x" * 50_000))
            await runs.save(replace(saying("short"), version=2))
            return [await runs.at_version("r", 1), (await runs.latest("r"))]

    assert asyncio.run(run()) == [saying("x" * 50_000), replace(saying("short"), version=2)]


class Vanishing:
    """Statements on *database*, after each of which somebody else deletes the run."""

    def __init__(self, database: Any, delete: str) -> None:
        self.database, self.delete = database, delete

    async def fetch(self, sql: str, *arguments: Any) -> Any:
        rows = await self.database.fetch(sql, *arguments)
        await self.database.fetch(self.delete, "r")
        return rows


def test_a_run_deleted_before_its_parts_are_read_is_not_there(
    postgres_server: Server, schema: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def play(runs: Any) -> Checkpoint | None:
        await runs.save(saying("x" * 50_000))
        with monkeypatch.context() as patch:
            patch.setattr(runs, "_database", Vanishing(runs._database, runs._sql.delete))
            found: Checkpoint | None = await runs.latest("r")
            return found

    assert played(postgres_server, play, schema) is None
