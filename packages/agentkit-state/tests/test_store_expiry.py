"""Expiry, alike on every store that has it."""

from pathlib import Path
from typing import Any

import pytest

from agentkit.core.contracts.ports import StorePort

from .support import EXPIRING, Clock, Opener, keys_of
from .support import with_store as run

every_expiring = pytest.mark.parametrize("opener", EXPIRING.values(), ids=EXPIRING)


@every_expiring
def test_a_value_expires_and_a_later_set_clears_its_expiry(opener: Opener, tmp_path: Path) -> None:
    clock = Clock()

    async def steps(store: StorePort) -> list[Any]:
        await store.set("short", 1, ttl=5)
        await store.set("kept", 1, ttl=5)
        await store.set("kept", 2)
        clock.now += 5
        return [await store.get("short"), await store.get("kept"), await keys_of(store)]

    assert run(opener(tmp_path, clock), steps) == [None, 2, ["kept"]]


@every_expiring
def test_an_expired_key_is_absent_for_every_verb(opener: Opener, tmp_path: Path) -> None:
    clock = Clock()

    async def made() -> str:
        return "made"

    async def steps(store: StorePort) -> list[Any]:
        for key in ("cas", "count", "produce"):
            await store.set(key, 7, ttl=1)
        clock.now += 1
        assert not await store.compare_and_set("cas", 7, "no")
        assert await store.compare_and_set("cas", None, "yes")
        return [await store.increment("count"), await store.get_or_set("produce", made)]

    assert run(opener(tmp_path, clock), steps) == [1, "made"]


@every_expiring
def test_a_window_opens_once_and_never_slides(opener: Opener, tmp_path: Path) -> None:
    clock = Clock()

    async def steps(store: StorePort) -> list[int]:
        totals = [await store.increment("k", 1, ttl=10)]
        clock.now += 9
        totals.append(await store.increment("k", 1, ttl=10))
        clock.now += 1
        return [*totals, await store.increment("k", 1)]

    assert run(opener(tmp_path, clock), steps) == [1, 2, 1]


@every_expiring
def test_a_counter_without_a_window_gets_one_from_a_later_call(
    opener: Opener, tmp_path: Path
) -> None:
    clock = Clock()

    async def steps(store: StorePort) -> Any:
        await store.increment("k")
        await store.increment("k", ttl=3)
        clock.now += 3
        return await store.get("k")

    assert run(opener(tmp_path, clock), steps) is None


@every_expiring
def test_only_the_compare_and_set_that_applies_touches_the_expiry(
    opener: Opener, tmp_path: Path
) -> None:
    clock = Clock()

    async def steps(store: StorePort) -> list[Any]:
        for key in ("refused", "applied", "cleared"):
            await store.set(key, 1, ttl=5)
        await store.compare_and_set("refused", 2, 3, ttl=50)
        await store.compare_and_set("applied", 1, 3, ttl=50)
        await store.compare_and_set("cleared", 1, 3)
        clock.now += 10
        return await keys_of(store)

    assert run(opener(tmp_path, clock), steps) == ["applied", "cleared"]
