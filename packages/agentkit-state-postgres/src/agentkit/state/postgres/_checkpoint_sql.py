"""The statements of the checkpoints, and how a state that is long is put into rows."""

# ruff: noqa: S608 - what is put in is a quoted name

from __future__ import annotations

from agentkit.state.postgres._database import Part

__all__ = ["CHECKPOINTS", "Statements", "length_of_parts"]

CHECKPOINTS = Part(
    "checkpoints",
    """
CREATE TABLE {schema}.agentkit_checkpoints (
  run_id text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  status text NOT NULL,
  created_at float8 NOT NULL,
  state text NOT NULL,
  metadata text NOT NULL,
  PRIMARY KEY (run_id, version)
);
-- A long state is here, in parts that fill a page each, and empty there: read like this it takes a
-- third of the time that it takes out of line, where the server has it in pieces of 2,000 bytes.
CREATE TABLE {schema}.agentkit_checkpoint_parts (
  run_id text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  number bigint NOT NULL,
  part text NOT NULL,
  PRIMARY KEY (run_id, version, number)
);
ALTER TABLE {schema}.agentkit_checkpoint_parts
  ALTER COLUMN run_id SET STORAGE PLAIN, ALTER COLUMN part SET STORAGE PLAIN;
-- The compression of old takes longer than all else; where there is no other, space is cheaper.
BEGIN
  ALTER TABLE {schema}.agentkit_checkpoints ALTER COLUMN state SET COMPRESSION lz4;
  ALTER TABLE {schema}.agentkit_checkpoint_parts
    ALTER COLUMN part SET STORAGE MAIN, ALTER COLUMN part SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN
  ALTER TABLE {schema}.agentkit_checkpoints ALTER COLUMN state SET STORAGE EXTERNAL;
END;
-- A function: the server keeps its plans, where it would make one anew for a statement.
CREATE FUNCTION {schema}.agentkit_checkpoint(run text, wanted bigint)
RETURNS SETOF {schema}.agentkit_checkpoints LANGUAGE plpgsql STABLE AS $function$
BEGIN
  IF wanted IS NULL THEN
    RETURN QUERY SELECT * FROM {schema}.agentkit_checkpoints AS c
    WHERE c.run_id = run ORDER BY c.version DESC LIMIT 1;
  ELSE
    RETURN QUERY SELECT * FROM {schema}.agentkit_checkpoints AS c
    WHERE c.run_id = run AND c.version = wanted;
  END IF;
END $function$;
""",
)

_LONGEST_WHOLE = 16_000
_ROOM = 8_100  # of a page, for the name of the run and a part

_COLUMNS = "(run_id, version, status, created_at, state, metadata)"
_GIVEN = "($1::text, $2::bigint, $3::text, $4::float8, $5::text, $6::text)"


class Statements:
    """The statements on the tables in *schema*, which is quoted."""

    def __init__(self, schema: str) -> None:
        table, parts = f"{schema}.agentkit_checkpoints", f"{schema}.agentkit_checkpoint_parts"
        save = f"INSERT INTO {table} {_COLUMNS} VALUES {_GIVEN} ON CONFLICT DO NOTHING RETURNING"
        self.save = f"{save} true"
        # Bytes, which the server cuts anywhere at once: of characters it would count all before.
        self.save_in_parts = f"""\
WITH saved AS ({save} run_id, version), parts AS (
  INSERT INTO {parts} (run_id, version, number, part)
  SELECT run_id, version, number,
    convert_from(substring($7::bytea FROM (number - 1) * $8::integer + 1 FOR $8::integer), 'UTF8')
  FROM saved, generate_series(1, (length($7::bytea) - 1) / $8::integer + 1) AS number
)
SELECT true FROM saved"""
        self.find = f"SELECT * FROM {schema}.agentkit_checkpoint($1, $2)"
        # In no order: the server would copy all of them to sort a hundred.
        self.find_in_parts = f"""\
SELECT c.*, p.number, p.part FROM {table} AS c
LEFT JOIN {parts} AS p ON p.run_id = c.run_id AND p.version = c.version
WHERE c.run_id = $1::text AND c.version = $2::bigint"""
        self.versions = f"SELECT version FROM {table} WHERE run_id = $1::text ORDER BY version"
        self.delete = f"""\
WITH parts AS (DELETE FROM {parts} WHERE run_id = $1::text)
DELETE FROM {table} WHERE run_id = $1::text"""


def length_of_parts(run_id: str, state: str) -> int:
    """Give how long the parts of *state* are that fit a row of *run_id*; 0 where it stays whole."""
    return 0 if len(state) <= _LONGEST_WHOLE else _ROOM - len(run_id.encode())
