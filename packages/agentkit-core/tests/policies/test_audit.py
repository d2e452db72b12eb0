"""What the log says of each tool call."""

import asyncio
from typing import Any

import pytest

from agentkit.core.contracts.errors import Cancelled, StoreUnavailable
from agentkit.core.contracts.types import Scope
from agentkit.core.policies import audit, idempotent, retry
from agentkit.core.serialization.canonical import stable_hash
from agentkit.core.testing import FakeClock, FakeTool, JsonStore, make_test_ctx

from .drive import Terminal, leave, run, run_each, tool


class Down(JsonStore):
    """A store whose logs cannot be written."""

    async def append(self, key: str, value: Any) -> None:
        raise StoreUnavailable("no route")


def look(store: Any, **arguments: Any) -> Any:
    ctx = make_test_ctx(store=store, scope=Scope(1, 2), clock=FakeClock())
    return tool(FakeTool("look"), ctx=ctx, call_id="c1", **arguments)


def log_of(store: JsonStore, key: str = "audit:log") -> list[Any]:
    return asyncio.run(store.list(key))


def test_a_call_that_ran_is_logged_whole() -> None:
    store = JsonStore()
    run(audit(), Terminal([{"a": 1}]), look(store, host="x"))

    assert log_of(store) == [
        {
            "run_id": "test-run",
            "scope": "org1:dom2",
            "tool": "look",
            "call_id": "c1",
            "arg_hash": stable_hash({"host": "x"}),
            "result_hash": stable_hash({"a": 1}),
            "decision": "executed",
        }
    ]


def test_a_failure_is_logged_and_leaves() -> None:
    store = JsonStore()

    with pytest.raises(ValueError, match="bad"):
        run(audit(), Terminal([ValueError("bad" * 300)]), look(store))
    (record,) = log_of(store)
    assert (record["decision"], record["result_hash"]) == ("failed", None)
    assert (record["error_type"], len(record["error"])) == ("ValueError", 500)


@pytest.mark.parametrize("stop", [asyncio.CancelledError(), Cancelled("enough")], ids=repr)
def test_a_call_that_was_stopped_is_logged_as_that(stop: BaseException) -> None:
    store = JsonStore()

    with pytest.raises(type(stop)):
        run(audit(), Terminal([stop]), look(store))
    assert log_of(store)[0]["decision"] == "cancelled"


def test_a_result_that_was_taken_is_logged_though_its_taker_left() -> None:
    store = JsonStore()
    leave(audit(), Terminal([1]), look(store))

    assert log_of(store)[0]["decision"] == "executed"


def test_a_replayed_outcome_is_logged_as_that() -> None:
    store = JsonStore()
    call = tool(FakeTool("pay", side_effecting=True), ctx=make_test_ctx(store=store))
    for _ in range(2):
        run([audit(), idempotent()], Terminal([1]), call)

    assert [record["decision"] for record in log_of(store)] == ["executed", "deduped"]


def test_inside_of_idempotent_it_logs_what_ran() -> None:
    store = JsonStore()
    call = tool(FakeTool("pay", side_effecting=True), ctx=make_test_ctx(store=store))
    for _ in range(2):
        run([idempotent(), audit()], Terminal([1]), call)

    assert [record["decision"] for record in log_of(store)] == ["executed"]


def test_attempts_are_logged_where_they_are_counted() -> None:
    store = JsonStore()
    run([audit(), retry()], Terminal([TimeoutError()], [1]), look(store))

    assert log_of(store)[0]["attempts"] == 2


def test_a_log_that_fails_does_not_hide_the_tools_failure() -> None:
    with pytest.raises(ValueError, match="bad"):
        run(audit(), Terminal([ValueError("bad")]), look(Down()))


def test_a_log_that_cannot_be_written_is_told() -> None:
    with pytest.raises(StoreUnavailable, match="no route"):
        run(audit(), Terminal([1]), look(Down()))


def test_content_that_cannot_be_seen_has_no_hash() -> None:
    store = JsonStore()
    run(audit(), Terminal([object()]), look(store, what=object()))

    assert [log_of(store)[0][name] for name in ("arg_hash", "result_hash")] == [None, None]


def test_the_log_can_be_elsewhere() -> None:
    store = JsonStore()
    run(audit(store=store, key="mine"), Terminal([1]), look(None))

    assert len(log_of(store, "mine")) == 1


def test_without_a_store_it_says_so_once() -> None:
    policy = audit()

    with pytest.warns(UserWarning, match="no store") as told:
        run_each(policy, Terminal([1]), [look(None), look(None)])
    assert len(told) == 1
