"""Clauses: what a checkpoint holds, which run it belongs to, and what faults do to it."""

import asyncio
import dataclasses
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from agentkit.core.contracts.errors import AgentkitError, StoreValueError
from agentkit.core.contracts.ports import CheckpointPort
from agentkit.testing.suites._checkpoint_saves import checkpoint
from agentkit.testing.suites._clause import clause
from agentkit.testing.suites._samples import (
    BAD_KEYS,
    DEEP,
    FALSY,
    NOT_JSON,
    NUMBERS,
    ODD_NAMES,
    TEXTS,
    same,
)
from agentkit.testing.suites._steps import cut_at_every_await
from agentkit.testing.suites._suite import Suite

__all__ = ["CheckpointFaultClauses", "RunClauses", "StateClauses"]

DISGUISES: list[dict[str, Any]] = [
    {"__class__": "os.system", "args": ["true"]},
    {"py/object": "subprocess.Popen", "py/reduce": [{"py/type": "os.system"}, ["true"]]},
    {"lc": 1, "type": "constructor", "id": ["os", "system"], "kwargs": {"command": "true"}},
    {"__reduce__": ["os.system", ["true"]], "$type": "System.Diagnostics.Process"},
    {"type": "datetime", "value": "2020-01-01T00:00:00"},
]
"""Data that careless decoders take for an order to build something."""


class RunClauses(Suite):
    """Runs are told apart by their exact id."""

    @clause("CHECKPOINT-RUN-01", since="1.0")
    async def runs_that_look_alike_stay_apart(self, port: CheckpointPort) -> None:
        for version, name in enumerate(ODD_NAMES, start=1):
            await port.save(checkpoint(self.key + name, version))

        found = [await port.list_versions(self.key + name) for name in ODD_NAMES]
        assert found == [[version] for version in range(1, len(ODD_NAMES) + 1)]

    @clause("CHECKPOINT-RUN-02", since="1.0")
    async def a_run_that_ends_in_a_number_is_no_version_of_another(
        self, port: CheckpointPort
    ) -> None:
        for run, version in ((f"{self.key}", 11), (f"{self.key}1", 1), (f"{self.key}:1", 1)):
            await port.save(checkpoint(run, version, {"run": run}))

        assert await port.list_versions(self.key) == [11]
        assert await port.latest(f"{self.key}1") == checkpoint(
            f"{self.key}1", 1, {"run": f"{self.key}1"}
        )

    @clause("CHECKPOINT-RUN-03", since="1.0")
    async def a_bad_run_id_is_refused(self, port: CheckpointPort) -> None:
        for run in BAD_KEYS:
            for call in _every_verb(port, run):
                with pytest.raises(StoreValueError):
                    await call()

    @clause("CHECKPOINT-RUN-04", since="1.0")
    async def the_longest_run_id_is_taken(self, port: CheckpointPort) -> None:
        run = self.key.ljust(1024, "x")
        await port.save(checkpoint(run))

        assert await port.latest(run) == checkpoint(run)

    @clause("CHECKPOINT-RUN-05", since="1.0", hook="other_namespace")
    async def namespaces_do_not_reach_into_each_other(self, port: CheckpointPort) -> None:
        await port.save(checkpoint(self.key))
        async with self.sibling()() as other:
            assert await other.latest(self.key) is None
            await other.save(checkpoint(self.key, 1, {"a": "other"}))
            await other.delete(self.key)

        assert await port.latest(self.key) == checkpoint(self.key)


class StateClauses(Suite):
    """State and metadata are JSON: exact, frozen, and never an order to build something."""

    @clause("CHECKPOINT-STATE-01", since="1.0")
    async def json_survives_exactly(self, port: CheckpointPort) -> None:
        state = {"texts": TEXTS, "numbers": NUMBERS, "empty": FALSY, "\x00\ud800": 1}
        await port.save(checkpoint(self.key, 1, state, metadata=state))

        found = await port.latest(self.key)
        assert found is not None
        assert same(found.state, state)
        assert same(found.metadata, state)

    @clause("CHECKPOINT-STATE-02", since="1.0")
    async def depth_and_size_survive(self, port: CheckpointPort) -> None:
        nested: Any = "é\x00" * 500_000
        for _ in range(DEEP):
            nested = [{"in": nested}]
        await port.save(checkpoint(self.key, 1, {"a": nested}))

        found = await port.latest(self.key)
        assert found is not None
        assert same(found.state, {"a": nested})

    @clause("CHECKPOINT-STATE-03", since="1.0")
    async def what_comes_out_is_frozen(self, port: CheckpointPort) -> None:
        await port.save(checkpoint(self.key, 1, {"a": [{"b": 1}]}, metadata={"c": {"d": 1}}))
        for found in (await port.latest(self.key), await port.at_version(self.key, 1)):
            assert found is not None
            with pytest.raises(TypeError):
                found.state["a"][0]["b"] = 2
            with pytest.raises(TypeError):
                found.metadata["c"]["d"] = 2

    @clause("CHECKPOINT-STATE-04", since="1.0")
    async def what_comes_out_serialises_like_a_dict(self, port: CheckpointPort) -> None:
        await port.save(checkpoint(self.key, 1, {"a": [{"b": 1}]}))

        found = await port.latest(self.key)
        assert found is not None
        assert json.dumps(dataclasses.asdict(found)["state"]) == '{"a": [{"b": 1}]}'

    @clause("CHECKPOINT-STATE-05", since="1.0")
    async def changing_what_was_given_changes_nothing(self, port: CheckpointPort) -> None:
        state: dict[str, Any] = {"a": [1]}
        saved = checkpoint(self.key)
        object.__setattr__(saved, "state", state)
        await port.save(saved)
        state["a"].append(2)

        assert await port.latest(self.key) == checkpoint(self.key, 1, {"a": [1]})

    @clause("CHECKPOINT-STATE-06", since="1.0")
    async def what_is_no_json_is_refused_before_anything_is_written(
        self, port: CheckpointPort
    ) -> None:
        for strange in NOT_JSON:
            with pytest.raises(StoreValueError):
                await port.save(checkpoint(self.key, 1, {"a": strange}))
            with pytest.raises(StoreValueError):
                await port.save(checkpoint(self.key, metadata={"a": strange}))

        assert await port.list_versions(self.key) == []

    @clause("CHECKPOINT-STATE-07", since="1.0")
    async def decoding_builds_data_only(self, port: CheckpointPort) -> None:
        for version, disguise in enumerate(DISGUISES, start=1):
            await port.save(checkpoint(self.key, version, disguise, metadata={"m": disguise}))

            found = await port.at_version(self.key, version)
            assert found is not None
            assert same([found.state, found.metadata], [disguise, {"m": disguise}])

    @clause("CHECKPOINT-STATE-08", since="1.0")
    async def an_empty_state_and_no_metadata_are_kept(self, port: CheckpointPort) -> None:
        saved = checkpoint(self.key, 1, {}, metadata={})
        await port.save(saved)

        assert await port.latest(self.key) == saved


class CheckpointFaultClauses(Suite):
    """A cut connection is told, a cancelled save is whole or absent."""

    @clause("CHECKPOINT-FAULT-01", since="1.0", hook="break_connection")
    async def an_unreachable_backend_is_told_by_every_verb(self, port: CheckpointPort) -> None:
        await self.break_connection()
        for call in _every_verb(port, self.key):
            with pytest.raises(AgentkitError):
                await call()

    @clause("CHECKPOINT-FAULT-02", since="1.0", hook="break_connection")
    async def it_works_again_once_the_backend_is_back(self, port: CheckpointPort) -> None:
        await self.break_connection()
        with pytest.raises(AgentkitError):
            await port.save(checkpoint(self.key))
        await self.restore()
        await port.save(checkpoint(self.key))

        assert await port.latest(self.key) == checkpoint(self.key)

    @clause("CHECKPOINT-CANCEL-01", since="1.0")
    async def a_cancelled_save_is_whole_or_absent(self, port: CheckpointPort) -> None:
        async for _ in cut_at_every_await(lambda: port.save(checkpoint(self.key))):
            assert await port.latest(self.key) in {None, checkpoint(self.key)}

        assert await port.list_versions(self.key) == [1]

    @clause("CHECKPOINT-CANCEL-02", since="1.0")
    async def a_cancelled_save_may_be_made_again(self, port: CheckpointPort) -> None:
        async for _ in cut_at_every_await(lambda: port.save(checkpoint(self.key))):
            await port.save(checkpoint(self.key))
            assert await port.list_versions(self.key) == [1]
            await port.delete(self.key)

    @clause("CHECKPOINT-CANCEL-03", since="1.0")
    async def a_cancelled_deletion_leaves_all_or_nothing(self, port: CheckpointPort) -> None:
        versions = [checkpoint(self.key, n) for n in (1, 2, 3)]
        await asyncio.gather(*map(port.save, versions))
        async for _ in cut_at_every_await(lambda: port.delete(self.key)):
            assert await port.list_versions(self.key) in ([], [1, 2, 3])
            await asyncio.gather(*map(port.save, versions))


def _every_verb(port: CheckpointPort, run: str) -> list[Callable[[], Awaitable[object]]]:
    return [
        lambda: port.save(checkpoint(run)),
        lambda: port.latest(run),
        lambda: port.at_version(run, 1),
        lambda: port.list_versions(run),
        lambda: port.delete(run),
    ]
