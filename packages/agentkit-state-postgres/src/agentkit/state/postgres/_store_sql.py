"""The statements of the store: each verb is one, and a transaction of its own."""

# ruff: noqa: S608 - what is put in is a quoted name

from __future__ import annotations

from agentkit.state.postgres._database import Part

__all__ = ["STORE", "Statements"]

STORE = Part(
    "store",
    """
CREATE TABLE {schema}.agentkit_kv (
  key text COLLATE "C" PRIMARY KEY,
  value text NOT NULL,
  expires_at timestamptz,
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (fillfactor = 90);
CREATE INDEX agentkit_kv_expiry ON {schema}.agentkit_kv (expires_at) WHERE expires_at IS NOT NULL;
CREATE TABLE {schema}.agentkit_logs (
  key text COLLATE "C" PRIMARY KEY,
  last bigint NOT NULL
) WITH (fillfactor = 90);
CREATE TABLE {schema}.agentkit_log (
  key text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  value text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (key, seq)
);
""",
)

_LIVE = "(kv.expires_at IS NULL OR kv.expires_at > clock_timestamp())"
# What is no counter is not even looked at as one: the server would log it.
_INTEGER = "^-?[0-9]{1,19}$"


class Statements:
    """The statements on the tables in *schema*, which is quoted."""

    def __init__(self, schema: str) -> None:
        kv, logs, log = (f"{schema}.agentkit_{name}" for name in ("kv", "logs", "log"))
        insert = f"""\
INSERT INTO {kv} AS kv (key, value, expires_at)
VALUES ($1::text, $2::text, clock_timestamp() + make_interval(secs => $3::float8))
ON CONFLICT (key) DO UPDATE SET"""
        replace = """\
value = EXCLUDED.value, expires_at = EXCLUDED.expires_at, updated_at = EXCLUDED.updated_at"""

        self.get = f"SELECT value FROM {kv} AS kv WHERE key = $1::text AND {_LIVE}"
        self.set = f"{insert} {replace}"
        # What is there stays; it is written again to be given, which only a lost race costs.
        self.set_new = f"""{insert}
  value = CASE WHEN {_LIVE} THEN kv.value ELSE EXCLUDED.value END,
  expires_at = CASE WHEN {_LIVE} THEN kv.expires_at ELSE EXCLUDED.expires_at END,
  updated_at = CASE WHEN {_LIVE} THEN kv.updated_at ELSE EXCLUDED.updated_at END
RETURNING value"""
        self.delete = f"DELETE FROM {kv} WHERE key = $1::text"
        self.set_if_null = (
            f"{insert} {replace} WHERE kv.value = 'null' OR NOT {_LIVE} RETURNING true"
        )
        self.swap = f"""\
UPDATE {kv} AS kv SET value = $2::text, updated_at = clock_timestamp(),
  expires_at = clock_timestamp() + make_interval(secs => $3::float8)
WHERE key = $1::text AND value = $4::text AND {_LIVE} RETURNING true"""
        self.increment = f"""{insert}
  value = CASE WHEN {_LIVE} THEN (kv.value::bigint + EXCLUDED.value::bigint)::text
    ELSE EXCLUDED.value END,
  expires_at = CASE WHEN {_LIVE} THEN coalesce(kv.expires_at, EXCLUDED.expires_at)
    ELSE EXCLUDED.expires_at END,
  updated_at = EXCLUDED.updated_at
WHERE kv.value ~ '{_INTEGER}' OR NOT {_LIVE}
RETURNING value"""
        # The row of a log is locked until the entry is committed, so its numbers are in that order.
        self.append = f"""\
WITH next AS (
  INSERT INTO {logs} AS logs (key, last) VALUES ($1::text, 1)
  ON CONFLICT (key) DO UPDATE SET last = logs.last + 1 RETURNING last
)
INSERT INTO {log} (key, seq, value) SELECT $1::text, last, $2::text FROM next"""
        self.list = f"SELECT value FROM {log} WHERE key = $1::text ORDER BY seq"
        self.scan = f"""\
SELECT key FROM {kv} AS kv
WHERE key >= $1::text AND key > $2::text AND ($3::text IS NULL OR key < $3::text) AND {_LIVE}
ORDER BY key LIMIT $4::bigint"""
        self.purge = f"""\
DELETE FROM {kv} WHERE key IN (
  SELECT key FROM {kv} WHERE expires_at <= clock_timestamp()
  ORDER BY expires_at LIMIT $1::bigint FOR UPDATE SKIP LOCKED
) RETURNING true"""
