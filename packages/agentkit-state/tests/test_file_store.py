"""What only the store in files does: its names, its bytes, torn files, and one warning."""

import asyncio
import errno
import hashlib
import warnings
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from agentkit.core.contracts.errors import StoreUnavailable
from agentkit.state.stores import FileStore
from agentkit.state.stores._folder import Folder

from .support import keys_of

NAME = hashlib.sha256(b"k").hexdigest()


@pytest.fixture
def store(tmp_path: Path) -> FileStore:
    return FileStore(tmp_path)


def test_a_value_is_a_file_named_by_a_hash_with_its_key_inside(
    store: FileStore, tmp_path: Path
) -> None:
    asyncio.run(store.set("k", {"b": "é", "a": 1}))

    written = tmp_path / "kv" / f"{NAME}.json"
    assert written.read_bytes() == b'{"key":"k","value":{"a":1,"b":"\\u00e9"}}\n'


def test_a_log_is_a_file_with_its_key_first_and_a_line_per_entry(
    store: FileStore, tmp_path: Path
) -> None:
    asyncio.run(store.append("k", "one\ntwo"))
    asyncio.run(store.append("k", [2]))

    written = tmp_path / "log" / f"{NAME}.jsonl"
    assert written.read_bytes() == b'"k"\n"one\\ntwo"\n[2]\n'


def test_what_one_store_wrote_another_reads(store: FileStore, tmp_path: Path) -> None:
    asyncio.run(store.set("k", 1))
    asyncio.run(store.append("k", 2))

    other = FileStore(str(tmp_path))
    assert asyncio.run(other.get("k")) == 1
    assert asyncio.run(other.list("k")) == [2]


def test_nothing_is_made_before_the_first_write(tmp_path: Path) -> None:
    async def steps() -> Any:
        store = FileStore(tmp_path / "later")
        return await store.get("k"), await store.list("k"), await keys_of(store)

    assert asyncio.run(steps()) == (None, [], [])
    assert not (tmp_path / "later").exists()


@pytest.mark.parametrize("torn", [b'"k"\n1\n2', b'"k"\n1\n{"a":', b'"k"\n1\n'])
def test_an_entry_whose_writer_died_was_never_there(
    store: FileStore, tmp_path: Path, torn: bytes
) -> None:
    asyncio.run(store.append("k", 1))
    (tmp_path / "log" / f"{NAME}.jsonl").write_bytes(torn)

    assert asyncio.run(store.list("k")) == [1]
    asyncio.run(store.append("k", 3))
    assert asyncio.run(store.list("k")) == [1, 3]


@pytest.mark.parametrize("torn", [b"", b'"', b'"k"'])
def test_a_log_whose_first_writer_died_is_empty(
    store: FileStore, tmp_path: Path, torn: bytes
) -> None:
    asyncio.run(store.append("k", 1))
    (tmp_path / "log" / f"{NAME}.jsonl").write_bytes(torn)

    assert asyncio.run(store.list("k")) == []
    asyncio.run(store.append("k", 3))
    assert asyncio.run(store.list("k")) == [3]


def test_a_torn_entry_longer_than_a_block_is_dropped_too(store: FileStore, tmp_path: Path) -> None:
    asyncio.run(store.append("k", 1))
    with (tmp_path / "log" / f"{NAME}.jsonl").open("ab") as file:
        file.write(b"x" * 200_000)

    asyncio.run(store.append("k", 2))
    assert asyncio.run(store.list("k")) == [1, 2]


@pytest.mark.parametrize(
    "case",
    [
        (b"", "torn or damaged"),
        (b'{"key":"k","val', "torn or damaged"),
        (b"\xff\xfe", "torn or damaged"),
        (b'{"key":"k","value":NaN}', "torn or damaged: .*NaN is not JSON"),
        (b"[1]", "this is no value of a FileStore"),
        (b'{"key":1,"value":2}', "this is no value of a FileStore"),
        (b'{"key":"k"}', "this is no value of a FileStore"),
        (b'{"key":"other","value":2}', "holds the key 'other' under the name of 'k'"),
    ],
)
def test_a_damaged_value_is_named_and_never_taken_for_absent(
    store: FileStore, tmp_path: Path, case: tuple[bytes, str]
) -> None:
    content, said = case
    asyncio.run(store.set("k", 1))
    (tmp_path / "kv" / f"{NAME}.json").write_bytes(content)

    with pytest.raises(StoreUnavailable, match=f"{NAME}.json: {said}"):
        asyncio.run(store.get("k"))


def test_a_damaged_line_of_a_log_is_named(store: FileStore, tmp_path: Path) -> None:
    asyncio.run(store.append("k", 1))
    (tmp_path / "log" / f"{NAME}.jsonl").write_bytes(b'"k"\n{torn\n2\n')

    with pytest.raises(StoreUnavailable, match=f"{NAME}.jsonl: torn or damaged"):
        asyncio.run(store.list("k"))


def test_a_file_listed_twice_while_it_is_replaced_is_one_key_and_a_removed_one_none(
    store: FileStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = Path.glob

    def while_others_write(folder: Path, pattern: str) -> list[Path]:
        return [*[*listed(folder, pattern)] * 2, folder / "removed.json"]

    monkeypatch.setattr(Path, "glob", while_others_write)

    asyncio.run(store.set("k", 1))
    assert asyncio.run(keys_of(store)) == ["k"]


def test_a_folder_says_whose_it_is_and_how_it_is_written(store: FileStore, tmp_path: Path) -> None:
    asyncio.run(store.append("k", 1))

    assert (tmp_path / "format").read_bytes() == b"agentkit file store, format 1\n"


def test_a_lock_that_the_file_system_does_not_have_is_told_at_once(
    store: FileStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("agentkit.state.stores._files._try_lock", refuse)

    with pytest.raises(StoreUnavailable, match=f"{tmp_path.name}: No locks available"):
        asyncio.run(store.set("k", 1))


def test_a_file_that_was_left_half_written_is_ignored(store: FileStore, tmp_path: Path) -> None:
    asyncio.run(store.set("k", 1))
    (tmp_path / "kv" / "incoming").write_bytes(b'{"key"')

    assert asyncio.run(keys_of(store)) == ["k"]
    asyncio.run(store.set("k", 2))
    assert asyncio.run(store.get("k")) == 2


VERBS: dict[str, Callable[[FileStore], Awaitable[Any]]] = {
    "get": lambda s: s.get("k"),
    "set": lambda s: s.set("k", 1),
    "delete": lambda s: s.delete("k"),
    "append": lambda s: s.append("k", 1),
    "list": lambda s: s.list("k"),
    "increment": lambda s: s.increment("k"),
}


@pytest.mark.parametrize("verb", VERBS.values(), ids=VERBS)
def test_a_folder_that_cannot_be_used_is_named(
    tmp_path: Path, verb: Callable[[FileStore], Awaitable[Any]]
) -> None:
    (tmp_path / "file").write_text("in the way")

    async def steps() -> None:
        with pytest.raises(StoreUnavailable, match=r"file.*: (Not a directory|File exists)"):
            await verb(FileStore(tmp_path / "file"))

    asyncio.run(steps())


async def _made() -> str:
    return "made"


TTL_CALLS: dict[str, Callable[[FileStore], Awaitable[Any]]] = {
    "set": lambda s: s.set("k", 1, ttl=1),
    "get_or_set": lambda s: s.get_or_set("k", _made, ttl=1),
    "compare_and_set": lambda s: s.compare_and_set("k", None, 1, ttl=1),
    "increment": lambda s: s.increment("k", ttl=1),
}


@pytest.mark.parametrize("call", TTL_CALLS.values(), ids=TTL_CALLS)
def test_a_ttl_is_ignored_with_a_warning_after_the_write(
    store: FileStore, call: Callable[[FileStore], Awaitable[Any]]
) -> None:
    async def steps() -> None:
        with pytest.warns(UserWarning, match="FileStore has no expiry"):
            await call(store)
        assert await store.get("k") is not None

    asyncio.run(steps())


def test_a_store_warns_once(store: FileStore) -> None:
    async def steps() -> None:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for call in (*TTL_CALLS.values(), *TTL_CALLS.values()):
                await call(store)
        assert [Path(each.filename).name for each in caught] == ["test_file_store.py"]

    asyncio.run(steps())


def test_a_refused_compare_and_set_does_not_warn(store: FileStore) -> None:
    assert not asyncio.run(store.compare_and_set("k", 1, 2, ttl=1))


def test_the_lock_keeps_other_stores_out(store: FileStore, tmp_path: Path) -> None:
    async def steps() -> Any:
        others = [FileStore(tmp_path) for _ in range(3)]
        await asyncio.gather(*(each.increment("k") for each in others * 10))
        return await store.get("k")

    assert asyncio.run(steps()) == 30


def test_a_lock_that_is_never_given_up_is_named(
    store: FileStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agentkit.state.stores._files._LOCK_SECONDS", 0.0)

    with Folder(tmp_path).locked(), pytest.raises(StoreUnavailable, match="holds its lock"):
        asyncio.run(store.set("k", 1))
