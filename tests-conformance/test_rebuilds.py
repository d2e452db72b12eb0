"""What a distribution keeps, and gives back, has every field that it was given.

Driven by the fields themselves, like core's own test of the same: one that is added to a value and
forgotten where it is saved fails here.
"""

import asyncio
from collections.abc import Iterable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from agentkit.agents import Agent, AgentResult
from agentkit.agents.cognition._finish import recorded, restored
from agentkit.agents.cognition._state import CallRecord, LoopState, PendingTurn
from agentkit.agents.context import PrefixContext, WorkingContext
from agentkit.core.contracts.checkpoint_rules import to_row
from agentkit.core.contracts.observation import Observation
from agentkit.core.contracts.ports import Checkpoint
from agentkit.core.contracts.replay import ReplayRecord
from agentkit.core.contracts.types import Message, ToolCall
from agentkit.core.testing import RecordingObserver, filled
from agentkit.integrations.observers import RollupObserver
from agentkit.state.checkpoints import open_checkpoints
from agentkit.state.redis._records import from_record, to_record
from agentkit.state.replay._records import from_text, to_text

CHECKPOINT = filled(Checkpoint)
OBSERVATION = filled(Observation)
CONTEXT = WorkingContext(
    filled(PrefixContext), [filled(Message)], {"note": 1}, limit=7, shared=True
)


def names(value: Any, *, but: Iterable[str] = ()) -> list[str]:
    found = {field.name for field in fields(value) if field.init}
    assert set(but) <= found, "what is left out is a field"
    return sorted(found - set(but))


def a_state() -> LoopState:
    record = filled(CallRecord, call=filled(ToolCall))
    message = filled(Message, tool_calls=(record.call,))
    turn = filled(PendingTurn, message=message, calls=[record])
    return filled(LoopState, context=CONTEXT, turn=turn)


def through_json() -> LoopState:
    return LoopState.from_json(a_state().to_json())


async def _saved(where: str) -> Checkpoint | None:
    async with open_checkpoints(where) as store:
        await store.save(CHECKPOINT)
        return await store.at_version(CHECKPOINT.run_id, CHECKPOINT.version)


@pytest.mark.parametrize("where", ["memory:", "sqlite://{}"], ids=["memory", "SQLite"])
def test_a_checkpoint_is_kept_whole(where: str, tmp_path: Path) -> None:
    assert asyncio.run(_saved(where.format(tmp_path / "db"))) == CHECKPOINT


def test_a_checkpoint_is_written_whole_to_redis() -> None:
    row = to_row(CHECKPOINT)

    assert from_record(row.run_id, row.version, to_record(row).encode()) == CHECKPOINT


def test_a_replay_record_is_written_whole() -> None:
    record = filled(ReplayRecord)

    assert from_text(to_text(record).encode()) == record


@pytest.mark.parametrize("name", names(Observation, but=["kind", "render", "payload"]))
def test_a_summary_has_the_rest_of_the_latest_update(name: str) -> None:
    told = RecordingObserver()
    asyncio.run(RollupObserver(told, every=1).emit(OBSERVATION))

    assert getattr(told.items[0], name) == getattr(OBSERVATION, name)


@pytest.mark.parametrize("name", names(LoopState, but=["context", "turn"]))
def test_a_saved_run_is_read_back_whole(name: str) -> None:
    assert getattr(through_json(), name) == getattr(a_state(), name)


# The journal and what counts tokens belong to the process.
@pytest.mark.parametrize("name", ["prefix", "messages", "scratchpad"])
def test_a_saved_runs_context_is_read_back_whole(name: str) -> None:
    assert getattr(through_json().context, name) == getattr(CONTEXT, name)


def test_a_saved_turn_is_read_back_whole() -> None:
    assert through_json().turn == a_state().turn


@pytest.mark.parametrize("name", names(AgentResult, but=["parsed"]))  # made again from the text
def test_the_result_of_a_run_that_is_over_is_given_whole(name: str) -> None:
    result = filled(AgentResult)
    state = replace(
        a_state(),
        usage=result.usage,
        prompt_version=result.prompt_version,
        result=recorded(result),
    )

    assert getattr(restored(state, Agent("a")), name) == getattr(result, name)


@pytest.mark.parametrize("name", names(WorkingContext, but=["journal"]))  # which begins anew
def test_a_fork_begins_as_the_context_that_it_is_taken_from(name: str) -> None:
    assert getattr(CONTEXT.fork(), name) == getattr(CONTEXT, name)
