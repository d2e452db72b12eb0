"""The nine verbs, alike on every store."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentkit.core.contracts.errors import StoreValueError
from agentkit.core.contracts.ports import StorePort
from agentkit.core.serialization import deep_freeze

from .support import SERIALISING, STORES, Clock, Opener, cancelled_after, keys_of, never
from .support import with_store as run

every_store = pytest.mark.parametrize("opener", STORES.values(), ids=STORES)
every_serialising = pytest.mark.parametrize("opener", SERIALISING.values(), ids=SERIALISING)

VALUES: list[Any] = [
    None, False, 0, "", [], {}, True, 2**63, 10**30, -1.5, "x\0\ud800é", {"a": [{"b": [None]}]},
]  # fmt: skip
KEYS = ["k", "K", "a/b", "a\\b", "a:b", "a b", ".", "..", "%", "_", "*", "é", "e\u0301", "k" * 1024]


@every_store
def test_it_is_a_store_port(opener: Opener, tmp_path: Path) -> None:
    async def steps(store: object) -> bool:
        return isinstance(store, StorePort)

    assert run(opener(tmp_path, Clock()), steps)


@every_store
@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_value_comes_back(opener: Opener, tmp_path: Path, value: Any) -> None:
    async def steps(store: StorePort) -> Any:
        await store.set("k", "old")
        await store.set("k", value)
        return await store.get("k")

    assert repr(run(opener(tmp_path, Clock()), steps)) == repr(value)


@every_store
def test_every_key_holds_its_own_value_and_its_own_log(opener: Opener, tmp_path: Path) -> None:
    async def steps(store: StorePort) -> None:
        for key in KEYS:
            await store.set(key, key)
            await store.append(key, [key])

        assert [await store.get(key) for key in KEYS] == KEYS
        assert [await store.list(key) for key in KEYS] == [[[key]] for key in KEYS]
        assert await keys_of(store) == sorted(KEYS)

    run(opener(tmp_path, Clock()), steps)


@every_store
def test_what_is_absent_is_none_or_an_empty_log(opener: Opener, tmp_path: Path) -> None:
    async def steps(store: StorePort) -> None:
        await store.delete("k")

        assert await store.get("k") is None
        assert await store.list("k") == []
        assert await keys_of(store) == []

    run(opener(tmp_path, Clock()), steps)


@every_store
def test_delete_leaves_the_log_alone(opener: Opener, tmp_path: Path) -> None:
    async def steps(store: StorePort) -> tuple[Any, list[Any]]:
        await store.set("k", 1)
        await store.append("k", 2)
        await store.delete("k")
        return await store.get("k"), await store.list("k")

    assert run(opener(tmp_path, Clock()), steps) == (None, [2])


@every_store
def test_nothing_that_goes_in_or_out_is_aliased(opener: Opener, tmp_path: Path) -> None:
    async def steps(store: Any) -> tuple[Any, list[Any], Any]:
        mine: dict[str, Any] = {"a": [{"b": 1}]}
        await store.set("k", mine)
        await store.append("k", mine)
        mine["a"][0]["b"] = 2
        (await store.get("k"))["a"].append(3)
        (await store.list("k"))[0]["a"].append(3)
        return await store.get("k"), await store.list("k"), await _twice(store)

    kept = {"a": [{"b": 1}]}
    assert run(opener(tmp_path, Clock()), steps) == (kept, [kept], [[], []])


async def _twice(store: Any) -> list[Any]:
    shared: list[Any] = []
    await store.set("twice", [shared, shared])
    (await store.get("twice"))[0].append(1)
    return list(await store.get("twice"))


@every_store
def test_frozen_containers_come_back_plain_and_mutable(opener: Opener, tmp_path: Path) -> None:
    async def steps(store: StorePort) -> Any:
        await store.set("k", deep_freeze({"a": [1]}))
        return await store.get("k")

    value = run(opener(tmp_path, Clock()), steps)
    assert (type(value), type(value["a"])) == (dict, list)


@every_store
def test_compare_and_set_applies_only_to_what_it_expects(opener: Opener, tmp_path: Path) -> None:
    async def steps(store: StorePort) -> list[bool]:
        return [
            await store.compare_and_set("k", 1, "no"),
            await store.compare_and_set("k", None, {"a": 1, "b": [2]}),
            await store.compare_and_set("k", None, "no"),
            await store.compare_and_set("k", {"b": [2], "a": 1}, 1),
            await store.compare_and_set("k", True, "no"),
            await store.compare_and_set("k", 1.0, "no"),
            await store.compare_and_set("k", 1, None),
            await store.compare_and_set("k", None, "yes"),
        ]

    applied = run(opener(tmp_path, Clock()), steps)
    assert applied == [False, True, False, True, False, False, True, True]


@every_store
def test_a_counter_goes_up_and_down(opener: Opener, tmp_path: Path) -> None:
    async def steps(store: StorePort) -> list[Any]:
        totals: list[Any] = [await store.increment("k"), await store.increment("k", 5)]
        return [*totals, await store.increment("k", -7), await store.get("k")]

    assert run(opener(tmp_path, Clock()), steps) == [1, 6, -1, -1]


@every_store
@pytest.mark.parametrize("stored", [None, True, 1.0, "1", [1], 2**63 - 1])
def test_what_is_no_counter_stays_as_it_was(opener: Opener, tmp_path: Path, stored: Any) -> None:
    async def steps(store: StorePort) -> Any:
        await store.set("k", stored)
        with pytest.raises(StoreValueError, match="increment on key 'k'"):
            await store.increment("k")
        return await store.get("k")

    assert repr(run(opener(tmp_path, Clock()), steps)) == repr(stored)


@every_store
def test_a_scan_gives_whole_keys_by_literal_prefix(opener: Opener, tmp_path: Path) -> None:
    async def steps(store: StorePort) -> list[list[str]]:
        for key in ("a", "a%", "a%b", "ab", "b", "a\U0010ffff", "a\ud7ff", "a\ue000"):
            await store.set(key, 0)
        await store.append("a-log", 1)
        prefixes = ("a%", "b", "", "a\U0010ffff", "a\ud7ff", "zz")
        return [await keys_of(store, prefix) for prefix in prefixes]

    scans = run(opener(tmp_path, Clock()), steps)
    assert scans[:2] == [["a%", "a%b"], ["b"]]
    assert len(scans[2]) == 8
    assert scans[3:] == [["a\U0010ffff"], ["a\ud7ff"], []]


@every_store
def test_a_scan_stops_at_its_limit(opener: Opener, tmp_path: Path) -> None:
    async def steps(store: StorePort) -> list[int]:
        for key in "abc":
            await store.set(key, 0)
        return [len(await keys_of(store, limit=limit)) for limit in (None, 0, 2, 3, 9)]

    assert run(opener(tmp_path, Clock()), steps) == [3, 0, 2, 3, 3]


@every_store
def test_a_scan_goes_through_more_keys_than_a_page(opener: Opener, tmp_path: Path) -> None:
    async def steps(store: StorePort) -> list[int]:
        for number in range(501):
            await store.set(f"k{number}", 0)
        return [len(await keys_of(store, "k", limit=limit)) for limit in (None, 500, 501, 502)]

    assert run(opener(tmp_path, Clock()), steps) == [501, 500, 501, 501]


@every_store
def test_a_scan_sees_each_lasting_key_once_while_others_change(
    opener: Opener, tmp_path: Path
) -> None:
    async def steps(store: StorePort) -> list[str]:
        for number in range(20):
            await store.set(f"lasting:{number}", 0)
        seen: list[str] = []
        async for key in store.scan(""):
            seen.append(key)
            await store.set(f"new:{key}", 0)
            await store.delete(f"new:{key}")
        return [key for key in seen if key.startswith("lasting")]

    seen = run(opener(tmp_path, Clock()), steps)
    assert sorted(seen) == sorted({f"lasting:{number}" for number in range(20)})


BAD_CALLS: dict[str, Callable[[StorePort], Any]] = {
    "get": lambda s: s.get(""),
    "set key": lambda s: s.set("a\0", 1),
    "set ttl": lambda s: s.set("k", 1, ttl=0),
    "get_or_set key": lambda s: s.get_or_set("\ud800", never),
    "get_or_set ttl": lambda s: s.get_or_set("k", never, ttl=True),
    "delete": lambda s: s.delete("k" * 1025),
    "append": lambda s: s.append("", 1),
    "list": lambda s: s.list(""),
    "compare_and_set key": lambda s: s.compare_and_set("", None, 1),
    "compare_and_set ttl": lambda s: s.compare_and_set("k", None, 1, ttl=-1),
    "increment key": lambda s: s.increment("", 1),
    "increment by": lambda s: s.increment("k", 1.5),  # type: ignore[arg-type]
    "increment ttl": lambda s: s.increment("k", 1, ttl=2**31),
}


@every_store
@pytest.mark.parametrize("call", BAD_CALLS.values(), ids=BAD_CALLS)
def test_a_bad_argument_is_refused_before_anything_is_written(
    opener: Opener, tmp_path: Path, call: Callable[[StorePort], Any]
) -> None:
    async def steps(store: StorePort) -> list[str]:
        with pytest.raises(StoreValueError, match=r"key|ttl|increment"):
            await call(store)
        return await keys_of(store)

    assert run(opener(tmp_path, Clock()), steps) == []


@every_store
def test_a_bad_scan_is_refused_when_it_is_called(opener: Opener, tmp_path: Path) -> None:
    async def steps(store: StorePort) -> None:
        with pytest.raises(ValueError, match="must not be negative"):
            store.scan("", limit=-1)
        with pytest.raises(StoreValueError, match="a prefix must not contain NUL"):
            store.scan("\0")

    run(opener(tmp_path, Clock()), steps)


@every_serialising
@pytest.mark.parametrize("value", [(1,), {1: 2}, float("nan"), object()], ids=repr)
def test_a_serialising_store_refuses_what_is_no_json(
    opener: Opener, tmp_path: Path, value: Any
) -> None:
    async def produce() -> Any:
        return value

    async def steps(store: StorePort) -> tuple[list[str], list[Any]]:
        calls = [store.set("k", value), store.append("k", value), store.get_or_set("k", produce)]
        calls += [store.compare_and_set("k", None, value), store.compare_and_set("k", value, 1)]
        outcomes = await asyncio.gather(*calls, return_exceptions=True)
        assert [type(outcome) for outcome in outcomes] == [StoreValueError] * 5
        return await keys_of(store), await store.list("k")

    assert run(opener(tmp_path, Clock()), steps) == ([], [])


WRITES: dict[str, Callable[[StorePort], Any]] = {
    "set": lambda s: s.set("k", "new"),
    "compare_and_set": lambda s: s.compare_and_set("k", "old", "new"),
    "get_or_set": lambda s: s.get_or_set("other", _new),
    "delete": lambda s: s.delete("other"),
    "append": lambda s: s.append("log", "new"),
    "increment": lambda s: s.increment("count"),
}


async def _new() -> str:
    return "new"


@every_store
@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_a_cancelled_write_is_whole_or_absent_and_the_store_goes_on(
    opener: Opener, tmp_path: Path, write: Callable[[StorePort], Any]
) -> None:
    async def steps(store: StorePort) -> None:
        await store.set("k", "old")
        for resumed in range(5):
            await cancelled_after(resumed, write(store))

        assert await store.get("k") in {"old", "new"}
        assert await store.get("other") in {None, "new"}
        assert set(await store.list("log")) <= {"new"}
        assert 1 <= await store.increment("count") <= 6

    run(opener(tmp_path, Clock()), steps)
