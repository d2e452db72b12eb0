"""Versions of a run: numbered once, fenced by the store."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

import pytest

from agentkit.core.contracts.errors import CheckpointConflict, CheckpointerError, StoreValueError
from agentkit.core.contracts.ports import Checkpoint, CheckpointStatus
from agentkit.core.runtime import Checkpointer
from agentkit.core.testing import FakeClock, MemoryCheckpoints, RecordingTracer, make_test_ctx

T = TypeVar("T")
DONE, RUNNING = CheckpointStatus.DONE, CheckpointStatus.RUNNING


class Counting(MemoryCheckpoints):
    """Counts how often the latest version is read, and may fail a save, before or after writing."""

    def __init__(self) -> None:
        super().__init__()
        self.reads = 0
        self.fail_before: BaseException | None = None
        self.fail_after: BaseException | None = None

    async def latest(self, run_id: str) -> Checkpoint | None:
        self.reads += 1
        return await super().latest(run_id)

    async def save(self, cp: Checkpoint) -> None:
        if (failure := self.fail_before) is not None:
            self.fail_before = None
            raise failure
        await super().save(cp)
        if (failure := self.fail_after) is not None:
            self.fail_after = None
            raise failure


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(coroutine)


def test_versions_are_counted_from_one() -> None:
    checkpointer = Checkpointer(MemoryCheckpoints())
    saved = [run(checkpointer.snapshot("r", {"turn": n})) for n in range(3)]

    assert [c.version for c in saved] == [1, 2, 3]
    assert run(checkpointer.list_versions("r")) == [1, 2, 3]


def test_the_latest_version_is_read_once_per_run() -> None:
    port = Counting()
    checkpointer = Checkpointer(port)
    for run_id in ("a", "a", "b", "a"):
        run(checkpointer.snapshot(run_id, {}))

    assert port.reads == 2


def test_a_snapshot_is_what_resume_gives() -> None:
    checkpointer = Checkpointer(MemoryCheckpoints(), FakeClock(9.0))
    saved = run(checkpointer.snapshot("r", {"turn": 1}, metadata={"by": "me"}))

    assert run(checkpointer.resume("r")) == saved
    assert saved == Checkpoint("r", 1, {"turn": 1}, 9.0, RUNNING, {"by": "me"})


def test_a_run_that_is_over_is_given_on_request_only() -> None:
    checkpointer = Checkpointer(MemoryCheckpoints())
    saved = run(checkpointer.snapshot("r", {}, status=DONE))

    assert run(checkpointer.resume("r")) is None
    assert run(checkpointer.resume("r", include_terminal=True)) == saved


def test_an_unknown_run_has_nothing_to_go_on_from() -> None:
    assert run(Checkpointer(MemoryCheckpoints()).resume("r")) is None


def test_versions_go_on_after_a_run_that_is_over() -> None:
    port = MemoryCheckpoints()
    run(Checkpointer(port).snapshot("r", {}, status=DONE))

    assert run(Checkpointer(port).snapshot("r", {})).version == 2


def test_of_two_workers_on_one_run_the_second_to_save_stops() -> None:
    port = MemoryCheckpoints()
    one, other = Checkpointer(port), Checkpointer(port)
    run(one.snapshot("r", {"by": "one"}))
    run(other.resume("r"))
    run(one.snapshot("r", {"same": True}))

    with pytest.raises(CheckpointConflict, match="version 2 of run 'r'"):
        run(other.snapshot("r", {"same": True}))


def test_two_forks_of_one_checkpointer_fence_each_other() -> None:
    shared = Checkpointer(MemoryCheckpoints())
    one, other = shared.fork(), shared.fork()
    run(other.resume("r"))
    run(one.snapshot("r", {"same": True}))

    with pytest.raises(CheckpointConflict, match="version 1 of run 'r'"):
        run(other.snapshot("r", {"same": True}))


def test_a_fenced_worker_stays_fenced_until_it_looks_where_the_run_stands() -> None:
    port = MemoryCheckpoints()
    one, other = Checkpointer(port), Checkpointer(port)
    run(other.resume("r"))
    run(one.snapshot("r", {}))
    for _ in range(2):
        with pytest.raises(CheckpointConflict):
            run(other.snapshot("r", {}))
    run(other.resume("r"))

    assert run(other.snapshot("r", {})).version == 2


@pytest.mark.parametrize("failure", [CheckpointerError("lost"), asyncio.CancelledError()], ids=repr)
@pytest.mark.parametrize("moment", ["fail_before", "fail_after"])
def test_a_save_of_unknown_outcome_does_not_fence_its_own_writer(
    failure: BaseException, moment: str
) -> None:
    port = Counting()
    checkpointer = Checkpointer(port)
    run(checkpointer.snapshot("r", {"turn": 1}))
    setattr(port, moment, failure)
    with pytest.raises(type(failure)):
        run(checkpointer.snapshot("r", {"turn": 2}))
    run(checkpointer.snapshot("r", {"turn": 3}))

    latest = run(checkpointer.resume("r"))
    assert latest is not None
    assert latest.state == {"turn": 3}


def test_a_writer_whose_first_save_failed_is_fenced_by_who_came_first() -> None:
    port = Counting()
    checkpointer = Checkpointer(port)
    port.fail_before = CheckpointerError("lost")
    with pytest.raises(CheckpointerError, match="lost"):
        run(checkpointer.snapshot("r", {}))
    run(Checkpointer(port).snapshot("r", {}))

    with pytest.raises(CheckpointConflict, match="version 1 of run 'r'"):
        run(checkpointer.snapshot("r", {}))


def test_nothing_is_kept_of_a_run_that_was_deleted() -> None:
    port = Counting()
    checkpointer = Checkpointer(port)
    before = repr(vars(checkpointer))
    port.fail_after = CheckpointerError("lost")
    with pytest.raises(CheckpointerError, match="lost"):
        run(checkpointer.snapshot("r", {}))
    run(checkpointer.delete("r"))

    assert repr(vars(checkpointer)) == before


def test_a_status_is_one_of_the_contract() -> None:
    status: Any = "running"

    with pytest.raises(TypeError, match="status is a CheckpointStatus; got 'running'"):
        run(Checkpointer(MemoryCheckpoints()).snapshot("r", {}, status=status))


def test_snapshots_of_one_run_at_once_get_a_version_each() -> None:
    checkpointer = Checkpointer(MemoryCheckpoints())

    async def together() -> list[Checkpoint]:
        return await asyncio.gather(*(checkpointer.snapshot("r", {"n": n}) for n in range(5)))

    assert sorted(c.version for c in run(together())) == [1, 2, 3, 4, 5]


def test_a_state_that_is_no_json_is_refused() -> None:
    with pytest.raises(StoreValueError, match="plain JSON"):
        run(Checkpointer(MemoryCheckpoints()).snapshot("r", {"x": object()}))


def test_a_deleted_run_starts_again() -> None:
    checkpointer = Checkpointer(MemoryCheckpoints())
    run(checkpointer.snapshot("r", {}))
    run(checkpointer.delete("r"))

    assert run(checkpointer.snapshot("r", {})).version == 1


def test_an_earlier_version_can_be_looked_at() -> None:
    checkpointer = Checkpointer(MemoryCheckpoints())
    first = run(checkpointer.snapshot("r", {"turn": 1}))
    run(checkpointer.snapshot("r", {"turn": 2}))

    assert run(checkpointer.at_version("r", 1)) == first
    assert run(checkpointer.at_version("r", 9)) is None


def test_a_snapshot_is_traced() -> None:
    tracer = RecordingTracer()
    run(Checkpointer(MemoryCheckpoints()).snapshot("r", {}, ctx=make_test_ctx(trace=tracer)))

    assert [(s.name, s.attrs) for s in tracer.spans] == [
        ("checkpointer.snapshot", {"run_id": "r", "status": "running"})
    ]


class Stopped(FakeClock):
    """A clock that always says seven."""

    def now(self) -> float:
        return 7.0


def test_a_checkpointer_keeps_the_clock_that_it_was_given() -> None:
    made = Checkpointer.over(MemoryCheckpoints(), Stopped())
    assert made is not None

    assert run(made.snapshot("r", {})).created_at == 7.0
    assert run(made.fork().snapshot("s", {})).created_at == 7.0


def test_what_has_no_time_is_no_clock() -> None:
    clock: Any = object()

    with pytest.raises(TypeError, match=r"^a checkpointer's clock has now\(\); got <object"):
        Checkpointer(MemoryCheckpoints(), clock)


@pytest.mark.parametrize("verb", ["save", "latest"])
def test_what_cannot_keep_and_find_a_version_is_no_store_of_them(verb: str) -> None:
    lame: Any = type("Lame", (MemoryCheckpoints,), {verb: None})()

    with pytest.raises(TypeError, match=rf"^a checkpointer's port has {verb}\(\)"):
        Checkpointer(lame)


def test_a_run_that_was_never_saved_can_be_deleted() -> None:
    run(Checkpointer(MemoryCheckpoints()).delete("r"))


def test_a_deleted_run_is_read_anew() -> None:
    port = Counting()
    checkpointer = Checkpointer(port)
    port.fail_after = CheckpointerError("lost")
    with pytest.raises(CheckpointerError, match="lost"):
        run(checkpointer.snapshot("r", {}))
    run(checkpointer.delete("r"))
    run(checkpointer.snapshot("r", {}))
    run(checkpointer.snapshot("r", {}))

    assert port.reads == 2


def test_a_run_that_was_resumed_after_doubt_counts_by_itself() -> None:
    port = Counting()
    checkpointer = Checkpointer(port)
    port.fail_after = CheckpointerError("lost")
    with pytest.raises(CheckpointerError, match="lost"):
        run(checkpointer.snapshot("r", {}))
    run(checkpointer.resume("r"))
    run(checkpointer.snapshot("r", {}))

    assert port.reads == 2


def test_runs_are_saved_at_the_same_time() -> None:
    class Meeting(MemoryCheckpoints):
        """Each save waits for the other run's."""

        def __init__(self) -> None:
            super().__init__()
            self.both = asyncio.Barrier(2)

        async def save(self, cp: Checkpoint) -> None:
            await self.both.wait()
            await super().save(cp)

    async def save_both() -> list[Checkpoint]:
        checkpointer = Checkpointer(Meeting())
        saves = [checkpointer.snapshot(name, {}) for name in ("a", "b")]
        return await asyncio.wait_for(asyncio.gather(*saves), 5)

    assert [c.run_id for c in run(save_both())] == ["a", "b"]


def test_a_snapshots_span_is_internal() -> None:
    tracer = RecordingTracer()
    run(Checkpointer(MemoryCheckpoints()).snapshot("r", {}, ctx=make_test_ctx(trace=tracer)))

    assert tracer.spans[0].kind == "internal"


def test_a_checkpointer_goes_on_in_another_loop() -> None:
    checkpointer = Checkpointer(MemoryCheckpoints())

    async def save_twice() -> int:
        await checkpointer.snapshot("r", {})
        other = await asyncio.to_thread(asyncio.run, checkpointer.snapshot("r", {}))
        return other.version

    assert run(save_twice()) == 2
