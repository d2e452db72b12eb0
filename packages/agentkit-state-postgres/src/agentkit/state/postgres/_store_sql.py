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
-- What is no counter is not even looked at as one: the server would log it.
CREATE FUNCTION {schema}.agentkit_increment(counter text, addend bigint, ttl float8) RETURNS text
LANGUAGE plpgsql AS $function$
DECLARE total text;
BEGIN
  INSERT INTO {schema}.agentkit_kv AS kv (key, value, expires_at)
  VALUES (counter, addend::text, clock_timestamp() + make_interval(secs => ttl))
  ON CONFLICT (key) DO UPDATE SET updated_at = EXCLUDED.updated_at,
    value = CASE WHEN kv.expires_at <= clock_timestamp() THEN EXCLUDED.value
      ELSE (kv.value::bigint + addend)::text END,
    expires_at = CASE WHEN kv.expires_at <= clock_timestamp() THEN EXCLUDED.expires_at
      ELSE coalesce(kv.expires_at, EXCLUDED.expires_at) END
  WHERE kv.value ~ '^-?[0-9]{1,19}$' OR kv.expires_at <= clock_timestamp()
  RETURNING value INTO total;
  RETURN total;
END $function$;
""",
)

_OVER = "kv.expires_at <= clock_timestamp()"  # null, which is not true, where it never is
_LIVE = f"({_OVER}) IS NOT TRUE"
_DEADLINE = "clock_timestamp() + make_interval(secs => $3::float8)"


class Statements:
    """The statements on the tables in *schema*, which is quoted.

    The server parses each anew, so each is as short as it can be. Those that may set an expiry have
    a second form, *timed*, whose third argument is the ttl.
    """

    def __init__(self, schema: str, *, timed: bool = False) -> None:
        kv, logs, log = (f"{schema}.agentkit_{name}" for name in ("kv", "logs", "log"))
        deadline = _DEADLINE if timed else "NULL"
        insert = f"""\
INSERT INTO {kv} AS kv (key, value, expires_at) VALUES ($1, $2, {deadline})
ON CONFLICT (key) DO UPDATE SET updated_at = EXCLUDED.updated_at,"""
        replace = "value = EXCLUDED.value, expires_at = EXCLUDED.expires_at"

        self.get = f"SELECT value FROM {kv} AS kv WHERE key = $1 AND {_LIVE}"
        self.set = f"{insert} {replace}"
        # What is there stays; it is written again to be given, which only a lost race costs.
        self.set_new = f"""{insert}
  value = CASE WHEN {_OVER} THEN EXCLUDED.value ELSE kv.value END,
  expires_at = CASE WHEN {_OVER} THEN EXCLUDED.expires_at ELSE kv.expires_at END
RETURNING value"""
        self.delete = f"DELETE FROM {kv} WHERE key = $1"
        self.set_if_null = f"{insert} {replace} WHERE kv.value = 'null' OR {_OVER} RETURNING true"
        expected = "$4" if timed else "$3"
        self.swap = f"""\
UPDATE {kv} AS kv SET value = $2, updated_at = clock_timestamp(), expires_at = {deadline}
WHERE key = $1 AND value = {expected} AND {_LIVE} RETURNING true"""
        # A function: the server keeps its plan, where it would make one anew for a statement.
        self.increment = f"SELECT {schema}.agentkit_increment($1, $2, $3)"
        # The row of a log is locked until the entry is committed, so its numbers are in that order.
        self.append = f"""\
WITH next AS (
  INSERT INTO {logs} AS logs (key, last) VALUES ($1, 1)
  ON CONFLICT (key) DO UPDATE SET last = logs.last + 1 RETURNING last
)
INSERT INTO {log} (key, seq, value) SELECT $1, last, $2 FROM next"""
        self.list = f"SELECT value FROM {log} WHERE key = $1 ORDER BY seq"
        self.scan = f"""\
SELECT key FROM {kv} AS kv
WHERE key >= $1::text AND key > $2::text AND ($3::text IS NULL OR key < $3::text) AND {_LIVE}
ORDER BY key LIMIT $4::bigint"""
        self.purge = f"""\
DELETE FROM {kv} WHERE key IN (
  SELECT key FROM {kv} WHERE expires_at <= clock_timestamp()
  ORDER BY expires_at LIMIT $1::bigint FOR UPDATE SKIP LOCKED
) RETURNING true"""
