"""`get_or_set`, alike on every store: who runs a producer, and who gets what."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from agentkit.core.contracts.ports import StorePort

from .support import STORES, Clock, Opener, never
from .support import with_store as run

every_store = pytest.mark.parametrize("opener", STORES.values(), ids=STORES)


@every_store
@pytest.mark.parametrize("value", [None, 0, False, "", [], {}], ids=repr)
def test_a_stored_empty_value_is_a_hit(opener: Opener, tmp_path: Path, value: Any) -> None:
    async def steps(store: StorePort) -> Any:
        await store.set("k", value)
        return await store.get_or_set("k", never)

    assert run(opener(tmp_path, Clock()), steps) == value


@every_store
def test_twenty_callers_share_one_producer_and_get_a_copy_each(
    opener: Opener, tmp_path: Path
) -> None:
    runs: list[int] = []

    async def produce() -> list[Any]:
        runs.append(1)
        return []

    async def steps(store: StorePort) -> Any:
        got = await asyncio.gather(*(store.get_or_set("k", produce) for _ in range(20)))
        got[0].append("mine")
        return got[1], await store.get("k")

    assert run(opener(tmp_path, Clock()), steps) == ([], [])
    assert len(runs) == 1


@every_store
def test_a_failed_producer_stores_nothing_and_the_next_one_runs(
    opener: Opener, tmp_path: Path
) -> None:
    async def fail() -> Any:
        raise RuntimeError("upstream 503")

    async def made() -> str:
        return "made"

    async def steps(store: StorePort) -> Any:
        with pytest.raises(RuntimeError, match="upstream 503"):
            await store.get_or_set("k", fail)
        assert await store.get("k") is None
        return await store.get_or_set("k", made)

    assert run(opener(tmp_path, Clock()), steps) == "made"


@every_store
def test_who_writes_while_a_producer_runs_has_won(opener: Opener, tmp_path: Path) -> None:
    async def steps(store: StorePort) -> Any:
        async def produce() -> str:
            await store.set("k", "written")
            return "produced"

        return await store.get_or_set("k", produce), await store.get("k")

    assert run(opener(tmp_path, Clock()), steps) == ("written", "written")


@every_store
def test_a_value_that_appears_before_a_waiting_producer_runs_is_taken(
    opener: Opener, tmp_path: Path
) -> None:
    async def steps(store: StorePort) -> Any:
        async def write_then_fail() -> Any:
            await store.set("k", "written")
            raise RuntimeError("after all")

        both = (store.get_or_set("k", write_then_fail), store.get_or_set("k", never))
        return await asyncio.gather(*both, return_exceptions=True)

    failed, taken = run(opener(tmp_path, Clock()), steps)
    assert (repr(failed), taken) == ("RuntimeError('after all')", "written")


@every_store
def test_a_producer_that_asks_for_its_own_key_is_told(opener: Opener, tmp_path: Path) -> None:
    async def steps(store: StorePort) -> None:
        async def again() -> Any:
            return await store.get_or_set("k", again)

        with pytest.raises(RuntimeError, match="waits for itself"):
            await store.get_or_set("k", again)

    run(opener(tmp_path, Clock()), steps)
