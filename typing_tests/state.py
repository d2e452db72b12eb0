"""What type checkers say of stores, and that each is what core asks for."""

from typing import assert_type

from agentkit.core.contracts.ports import CheckpointPort, StorePort, VectorPort
from agentkit.core.contracts.replay import ReplayStore
from agentkit.state.checkpoints import InMemoryCheckpointStore, SQLiteCheckpointStore
from agentkit.state.replay import FileReplayStore
from agentkit.state.stores import FileStore, InMemoryStore, SQLiteStore, open_store
from agentkit.state.vectors import InMemoryVector


async def opened() -> None:
    async with open_store("memory:") as store:
        assert_type(store, StorePort)
    async with SQLiteStore.open("store.sqlite") as sqlite:
        assert_type(sqlite, SQLiteStore)
    async with SQLiteCheckpointStore.open("store.sqlite") as checkpoints:
        assert_type(checkpoints, SQLiteCheckpointStore)


def stores(sqlite: SQLiteStore) -> list[StorePort]:
    return [InMemoryStore(), FileStore("folder"), sqlite]


def checkpoint_stores(sqlite: SQLiteCheckpointStore) -> list[CheckpointPort]:
    return [InMemoryCheckpointStore(), sqlite]


def vectors() -> VectorPort:
    return InMemoryVector()


def replay() -> ReplayStore:
    return FileReplayStore("folder")
