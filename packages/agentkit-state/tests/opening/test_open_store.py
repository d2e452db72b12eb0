"""Stores and checkpoints by URL."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from agentkit.core.contracts.errors import StoreUnavailable, StoreValueError
from agentkit.core.contracts.ports import Checkpoint, CheckpointPort, CheckpointStatus, StorePort
from agentkit.state.checkpoints import open_checkpoints
from agentkit.state.stores import FileStore, InMemoryStore, SQLiteStore, open_store

Open = Callable[[str], AbstractAsyncContextManager[Any]]
each_open = pytest.mark.parametrize("open_it", [open_store, open_checkpoints])


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


async def counted_twice(url: str) -> int:
    async with open_store(url) as store:
        await store.increment("n")
    async with open_store(url) as store:
        return await store.increment("n")


async def kept_versions(url: str) -> list[int]:
    async with open_checkpoints(url) as checkpoints:
        await checkpoints.save(Checkpoint("r", 1, {}, 0.0, CheckpointStatus.DONE))
    async with open_checkpoints(url) as checkpoints:
        return await checkpoints.list_versions("r")


async def opened(open_it: Open, url: str) -> Any:
    async with open_it(url) as store:
        return store


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("memory:", InMemoryStore),
        ("memory://", InMemoryStore),
        ("file:state", FileStore),
        ("sqlite:state.db", SQLiteStore),
        ("SQLite:state.db", SQLiteStore),
    ],
)
def test_the_scheme_names_the_store(url: str, kind: type[StorePort]) -> None:
    assert isinstance(asyncio.run(opened(open_store, url)), kind)


@each_open
def test_each_memory_is_a_new_one(open_it: Open) -> None:
    first, second = (asyncio.run(opened(open_it, "memory:")) for _ in range(2))

    assert first is not second


@pytest.mark.parametrize("url", ["sqlite:state.db", "file:state"])
def test_a_store_with_a_path_is_found_again(url: str) -> None:
    assert asyncio.run(counted_twice(url)) == 2


@pytest.mark.parametrize("url", ["sqlite:state.db", "file:state"])
def test_checkpoints_with_a_path_are_found_again(url: str) -> None:
    assert isinstance(asyncio.run(opened(open_checkpoints, url)), CheckpointPort)
    assert asyncio.run(kept_versions(url)) == [1]


@pytest.mark.parametrize("url", ["sqlite:state.db", "file:state"])
def test_a_store_and_checkpoints_share_a_path(url: str) -> None:
    assert asyncio.run(counted_twice(url)) == 2
    assert asyncio.run(kept_versions(url)) == [1]
    assert asyncio.run(counted_twice(url)) == 4


@pytest.mark.parametrize(
    ("url", "file"),
    [
        ("sqlite:{here}/a.db", "a.db"),
        ("sqlite://{here}/a.db", "a.db"),
        ("sqlite:///{here}/a.db", "a.db"),
        ("sqlite://localhost{here}/a.db", "a.db"),
        ("sqlite:a%20b%3F%23.db", "a b?#.db"),
        ("sqlite:a b.db", "a b.db"),
        ("sqlite:é.db", "é.db"),
    ],
)
def test_the_rest_names_the_file(here: Path, url: str, file: str) -> None:
    asyncio.run(opened(open_store, url.format(here=here)))

    assert (here / file).is_file()


@each_open
@pytest.mark.parametrize(
    "url",
    [
        "",
        "state.db",
        ":secret",
        "1x:secret",
        "sqlite:",
        "sqlite://",
        "sqlite:?mode=secret",
        "sqlite:a.db?mode=secret",
        "sqlite:a.db#secret",
        "sqlite:secret%00",
        "sqlite:secret\n",
        "sqlite://user:secret@host/a.db",
        "sqlite://[secret/a.db",
        "memory:secret",
        "memory://secret",
        None,
        7,
    ],
    ids=repr,
)
def test_a_malformed_url_is_refused_before_anything_is_opened(
    open_it: Open, url: Any, here: Path
) -> None:
    with pytest.raises(StoreValueError, match="URL") as refused:
        open_it(url)

    assert "secret" not in f"{refused.value!r} {refused.value.__cause__!r}"
    assert list(here.iterdir()) == []


def test_what_cannot_be_opened_is_unavailable() -> None:
    with pytest.raises(StoreUnavailable, match=r"missing/a\.db"):
        asyncio.run(opened(open_store, "sqlite:missing/a.db"))
