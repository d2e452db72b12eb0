"""Payloads kept beside the spans: read back, safely named, and never in the way of a run."""

import asyncio
import json
import logging
from collections.abc import Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest

from agentkit.core.contracts.errors import Cancelled
from agentkit.core.contracts.replay import ReplayRecord, ReplayStore
from agentkit.core.contracts.types import ChatRequest, LLMResult, Message, Usage
from agentkit.state.replay import FileReplayStore

T = TypeVar("T")
SPAN = "0123456789abcdef"
RECORD = ReplayRecord(SPAN, "chat", {"ask": ["hé"]}, {"say": 1.5})


class Typed:
    """An answer of a caller's own type."""


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(coroutine)


def put(store: FileReplayStore, *records: ReplayRecord) -> None:
    for record in records:
        run(store.put(record))


def kept(store: FileReplayStore, span_id: str = SPAN) -> ReplayRecord | None:
    return run(store.get(span_id))


@pytest.fixture
def store(tmp_path: Path) -> FileReplayStore:
    return FileReplayStore(tmp_path / "replays")


def test_it_is_a_replay_store(store: FileReplayStore) -> None:
    assert isinstance(store, ReplayStore)


@pytest.mark.parametrize(
    "record",
    [
        RECORD,
        ReplayRecord(SPAN, "chat", None),
        ReplayRecord(SPAN, "", [], "\ud800\0"),
        ReplayRecord(SPAN * 2, "tool", {"n": 10**30}, [True, None]),
    ],
    ids=["whole", "no answer", "odd text", "long id"],
)
def test_a_record_is_read_back(store: FileReplayStore, record: ReplayRecord) -> None:
    put(store, record)

    assert kept(store, record.span_id) == record


def test_a_chat_is_kept_as_data(store: FileReplayStore) -> None:
    request = ChatRequest([Message("user", "hi")], "m")
    put(store, ReplayRecord(SPAN, "chat", request, LLMResult("yo", "m", usage=Usage(3))))

    found = kept(store)
    assert found is not None
    assert found.request["messages"][0]["content"] == "hi"
    assert found.response is not None
    assert found.response["usage"]["input_tokens"] == 3


def test_a_part_without_json_form_costs_nobody_the_rest(store: FileReplayStore) -> None:
    put(store, ReplayRecord(SPAN, "chat", {"a": (1, Typed())}, LLMResult("yo", parsed=Typed())))

    found = kept(store)
    assert found is not None
    assert found.request == {"a": [1, {"not_json": "Typed"}]}
    assert found.response is not None
    assert (found.response["content"], found.response["parsed"]) == ("yo", {"not_json": "Typed"})


def test_the_file_is_json_under_the_span(store: FileReplayStore) -> None:
    put(store, RECORD)

    assert [path.name for path in store.root.iterdir()] == [f"{SPAN}.json"]
    assert json.loads((store.root / f"{SPAN}.json").read_bytes()) == {
        "span_id": SPAN,
        "operation": "chat",
        "request": {"ask": ["hé"]},
        "response": {"say": 1.5},
    }


def test_only_its_owner_reads_it(store: FileReplayStore) -> None:
    put(store, RECORD)

    assert (store.root / f"{SPAN}.json").stat().st_mode & 0o077 == 0


def test_a_later_record_replaces(store: FileReplayStore) -> None:
    later = ReplayRecord(SPAN, "chat", "again")
    put(store, RECORD, later)

    assert kept(store) == later


def test_a_span_is_found_in_either_case(store: FileReplayStore) -> None:
    put(store, replace(RECORD, span_id=SPAN.upper()))

    assert kept(store) == replace(RECORD, span_id=SPAN.upper())


@pytest.mark.parametrize(
    "span_id",
    ["", "abc", "../0123456789abcdef", f"{SPAN}\n", "g" * 16, "a" * 33, "\u0660" * 16],
    ids=repr,
)
def test_an_id_that_is_no_span_is_counted_and_touches_nothing(
    store: FileReplayStore, span_id: str
) -> None:
    put(store, ReplayRecord(span_id, "chat", {}))

    assert kept(store, span_id) is None
    assert (store.dropped_writes, store.failed_reads) == (1, 1)
    assert not store.root.exists()


def test_what_is_no_text_is_no_span(store: FileReplayStore) -> None:
    nothing: Any = None

    assert kept(store, nothing) is None
    assert store.failed_reads == 1


def test_a_miss_is_neither_counted_nor_logged_above_debug(
    store: FileReplayStore, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, "agentkit"):
        assert kept(store) is None

    assert store.failed_reads == 0
    assert [record.levelname for record in caplog.records] == ["DEBUG"]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"span_id": "ffffffffffffffff", "operation": "", "request": 1}',
        '{"span_id": 1, "operation": "", "request": 1}',
        "[" * 9999,
    ],
    ids=["empty", "torn", "a list", "nothing", "another's", "nobody's", "too deep"],
)
def test_a_damaged_file_is_counted(store: FileReplayStore, content: str) -> None:
    put(store, RECORD)
    (store.root / f"{SPAN}.json").write_text(content)

    assert kept(store) is None
    assert store.failed_reads == 1


def test_a_folder_that_cannot_be_is_counted_and_logged_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    store = FileReplayStore(tmp_path / "file" / "replays")
    put(store, RECORD, RECORD, RECORD)

    assert store.dropped_writes == 3
    assert [record.levelname for record in caplog.records] == ["ERROR"]


def test_each_class_of_failure_is_logged(
    store: FileReplayStore, caplog: pytest.LogCaptureFixture
) -> None:
    for span_id in ("x", "y", SPAN):
        store.root.mkdir(exist_ok=True)
        (store.root / f"{SPAN}.json").mkdir(exist_ok=True)
        put(store, ReplayRecord(span_id, "chat", {}))

    assert store.dropped_writes == 3
    assert len(caplog.records) == 2


def test_a_failed_write_leaves_no_file(store: FileReplayStore) -> None:
    (store.root / f"{SPAN}.json").mkdir(parents=True)
    put(store, RECORD)

    assert [path.name for path in store.root.iterdir()] == [f"{SPAN}.json"]


def test_what_redact_gives_is_written(store: FileReplayStore) -> None:
    def mask(record: ReplayRecord) -> ReplayRecord:
        return replace(record, request={"was": record.request["messages"][0]["content"][:2]})

    store = FileReplayStore(store.root, redact=mask)
    put(store, ReplayRecord(SPAN, "chat", ChatRequest([Message("user", "secret")], "m")))

    assert kept(store) == ReplayRecord(SPAN, "chat", {"was": "se"})


def test_redact_may_keep_nothing(store: FileReplayStore) -> None:
    store = FileReplayStore(store.root, redact=lambda _: None)
    put(store, RECORD)

    assert kept(store) is None
    assert store.dropped_writes == 0


def test_redact_cannot_move_a_record(store: FileReplayStore) -> None:
    store = FileReplayStore(store.root, redact=lambda record: replace(record, span_id="../x"))
    put(store, RECORD)

    assert kept(store) == RECORD


def fail(record: ReplayRecord) -> ReplayRecord:
    raise LookupError(record.request)


def give_no_record(record: ReplayRecord) -> Any:
    return {"request": record.request}


def give_no_json(record: ReplayRecord) -> ReplayRecord:
    return replace(record, request=Typed())


@pytest.mark.parametrize("redact", [fail, give_no_record, give_no_json])
def test_nothing_is_written_or_told_when_redacting_fails(
    store: FileReplayStore, redact: Any, caplog: pytest.LogCaptureFixture
) -> None:
    store = FileReplayStore(store.root, redact=redact)
    put(store, ReplayRecord(SPAN, "chat", "secret"))

    assert store.dropped_writes == 1
    assert not store.root.exists()
    assert "secret" not in caplog.text


def test_cancelling_passes(store: FileReplayStore) -> None:
    def cancel(record: ReplayRecord) -> ReplayRecord:
        raise Cancelled(record.operation)

    with pytest.raises(Cancelled, match="chat"):
        put(FileReplayStore(store.root, redact=cancel), RECORD)


def test_a_write_does_not_hold_the_loop(store: FileReplayStore) -> None:
    async def write_beside() -> bool:
        writing = asyncio.ensure_future(store.put(RECORD))
        await asyncio.sleep(0)
        is_beside = not writing.done()
        await writing
        return is_beside

    assert run(write_beside())
