"""Checkpoints on Redis: a run is one hash, a version one field of it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from redis.exceptions import TryAgainError

from agentkit.core.contracts.checkpoint_rules import can_exist, conflict, to_row
from agentkit.core.contracts.errors import CheckpointerError
from agentkit.core.contracts.ports import Checkpoint
from agentkit.core.contracts.store_rules import check_key
from agentkit.state.redis._errors import translated
from agentkit.state.redis._keys import Keys
from agentkit.state.redis._opening import Client, wire_to
from agentkit.state.redis._records import field_of, from_record, to_record, version_of
from agentkit.state.redis._wire import Script

__all__ = ["RedisCheckpointStore"]

_LATEST = "latest"

# ARGV: the version's field, its text. The field `latest` has the highest there is.
_SAVE = Script("""\
local there = redis.call('HGET', KEYS[1], ARGV[1])
if there then return there == ARGV[2] and 1 or 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
local latest = redis.call('HGET', KEYS[1], 'latest')
if not latest or latest < ARGV[1] then redis.call('HSET', KEYS[1], 'latest', ARGV[1]) end
return 1
""")

_READ_LATEST = Script("""\
local latest = redis.call('HGET', KEYS[1], 'latest')
return latest and {latest, redis.call('HGET', KEYS[1], latest)}
""")

# KEYS: the run, and where it is out of sight. ARGV: how many versions to remove, 1 if the run is
# there already. What nobody goes on with expires.
_DELETE = Script(
    """\
local is_gone = ARGV[2] == '1' or redis.call('EXISTS', KEYS[1]) == 0
if not is_gone and redis.call('EXISTS', KEYS[2]) == 0 then
  redis.call('HDEL', KEYS[1], 'latest')
  redis.call('RENAME', KEYS[1], KEYS[2])
  redis.call('EXPIRE', KEYS[2], 86400)
  is_gone = true
end
local fields = redis.call('HRANDFIELD', KEYS[2], ARGV[1])
if #fields > 0 then redis.call('HDEL', KEYS[2], unpack(fields)) end
return {is_gone and 1 or 0, redis.call('HLEN', KEYS[2])}
""",
    keys=2,
)
_BATCH = 100


class RedisCheckpointStore:
    """A `CheckpointPort` on Redis 7 or later, or Valkey: insert-only, for any number of processes.

    A run is one key, so that a cluster keeps it in one place and every call is one step. *url*,
    *client* and *namespace* are those of `RedisStore`. A checkpoint is as durable when `save`
    returns as the server's configuration makes a write.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        client: Client | None = None,
        namespace: str = "agentkit",
    ) -> None:
        self._keys = Keys(namespace)
        self._wire = wire_to(url, client)

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        url: str | None = None,
        *,
        client: Client | None = None,
        namespace: str = "agentkit",
    ) -> AsyncGenerator[RedisCheckpointStore]:
        """Open the store until the end of the block.

        Raises:
            StoreValueError: *url* is malformed, *client* is one of replicas, or not exactly one of
                the two was given.
            CheckpointerError: The server cannot be reached, or refuses the credentials.

        """
        store = cls(url, client=client, namespace=namespace)
        try:
            with translated(CheckpointerError):
                await store._wire.greet()
            yield store
        finally:
            await store.aclose()

    async def aclose(self) -> None:
        """Close the connections; calls not answered yet raise `CheckpointerError`."""
        await self._wire.aclose()

    async def save(self, cp: Checkpoint) -> None:
        """Write *cp*; an equal one is there already or none is, else `CheckpointConflict`."""
        row = to_row(cp)
        place, field = self._keys.run(row.run_id), field_of(row.version)
        with translated(CheckpointerError):
            kept = await self._wire.run(_SAVE, place, field, to_record(row))
        if not kept:
            raise conflict(row)

    async def latest(self, run_id: str) -> Checkpoint | None:
        """Give the highest version of *run_id*, or None."""
        place = self._keys.run(check_key(run_id))
        with translated(CheckpointerError):
            found = await self._wire.run(_READ_LATEST, place)
        return None if found is None else _decoded(run_id, version_of(found[0]), found[1])

    async def at_version(self, run_id: str, version: int) -> Checkpoint | None:
        """Give this *version* of *run_id*, or None."""
        place = self._keys.run(check_key(run_id))
        if not can_exist(version):
            return None
        text = await self._call("HGET", place, field_of(version))
        return None if text is None else _decoded(run_id, version, text)

    async def list_versions(self, run_id: str) -> list[int]:
        """Give the versions of *run_id*, ascending."""
        fields = await self._call("HKEYS", self._keys.run(check_key(run_id)))
        return sorted(version_of(field) for field in fields if field != _LATEST.encode())

    async def delete(self, run_id: str) -> None:
        """Remove every version of *run_id*: out of sight in one step, then a hundred at a time.

        No other client waits for more than a hundred. What a call that failed left behind, the next
        one removes, or the server in a day.
        """
        place, gone = self._keys.run(check_key(run_id)), self._keys.gone(run_id)
        with translated(CheckpointerError):
            try:
                await self._delete(place, gone)
            except TryAgainError:  # their slot is moving: a call may have only one key meanwhile
                await self._wire.call("UNLINK", place)

    async def _delete(self, place: bytes, gone: bytes) -> None:
        is_gone, left = 0, 1
        while left or not is_gone:
            is_gone, left = await self._wire.run(_DELETE, place, gone, _BATCH, is_gone)

    async def _call(self, name: str, place: bytes, *arguments: str) -> Any:
        with translated(CheckpointerError):
            return await self._wire.call(name, place, *arguments)


def _decoded(run_id: str, version: int, text: bytes) -> Checkpoint:
    try:
        return from_record(run_id, version, text)
    except (ValueError, TypeError) as problem:
        raise CheckpointerError(
            f"the server holds something else at version {version} of run {run_id!r}: {problem}"
        ) from None
