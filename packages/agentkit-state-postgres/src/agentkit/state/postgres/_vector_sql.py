"""The statements of the vector index, and how vectors are written."""

# ruff: noqa: S608 - what is put in is a quoted name or a number

from __future__ import annotations

from collections.abc import Sequence
from math import hypot, isfinite

from pgvector import HalfVector, Vector

from agentkit.core.contracts.errors import StoreValueError
from agentkit.state.postgres._database import Part
from agentkit.state.postgres._names import quoted

__all__ = ["Statements", "column_type", "part_for", "unit"]

_LONGEST_VECTOR = 2000  # an index of single floats takes no more
_LONGEST_HALFVEC = 4000
_WIDEST_BEAM = 1000
_FEW = 2000  # which are compared about as fast as an index of vectors is searched


def column_type(dim: int) -> str:
    """Give the type of a column for *dim* numbers: single floats, half ones above 2,000."""
    if isinstance(dim, bool) or not 1 <= dim <= _LONGEST_HALFVEC:
        raise StoreValueError(
            f"a vector index takes 1 to {_LONGEST_HALFVEC} dimensions; got {dim!r}"
        )
    return "vector" if dim <= _LONGEST_VECTOR else "halfvec"


def part_for(dim: int) -> Part:
    """Give the tables for vectors of *dim* numbers.

    The extension may be in any schema, and its names must be told from there: nobody's search path
    is relied on.
    """
    kind = column_type(dim)
    return Part(
        "vectors",
        f"""
CREATE EXTENSION IF NOT EXISTS vector;
CREATE TABLE {{schema}}.agentkit_vectors (
  scope text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  text text NOT NULL,
  metadata text NOT NULL,
  facts text[] COLLATE "C" NOT NULL,
  words text[] COLLATE "C" NOT NULL,
  PRIMARY KEY (scope, id)
);
EXECUTE replace(
  $s$ALTER TABLE {{schema}}.agentkit_vectors ADD COLUMN embedding !.{kind}({dim}) NOT NULL$s$,
  '!', (SELECT quote_ident(nspname) FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace
        WHERE extname = 'vector'));
EXECUTE replace(
  $s$CREATE INDEX agentkit_vectors_hnsw ON {{schema}}.agentkit_vectors
     USING hnsw (embedding !.{kind}_cosine_ops)$s$,
  '!', (SELECT quote_ident(nspname) FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace
        WHERE extname = 'vector'));
CREATE INDEX agentkit_vectors_facts ON {{schema}}.agentkit_vectors USING gin (facts, words);
""",
    )


def unit(vector: Sequence[float], dim: int) -> list[float] | None:
    """Give *vector* scaled to length one, or None if it is zeros, which are like nothing.

    Raises:
        StoreValueError: It has not *dim* numbers, or they are not finite.

    """
    if len(vector) != dim:
        raise StoreValueError(
            f"a vector has {len(vector)} dimensions where the index has {dim}; one model must "
            "embed all of its chunks and queries, and `dim` say of how many dimensions"
        )
    length = hypot(*vector)
    if not isfinite(length):
        raise StoreValueError("a vector must be finite numbers of a finite length")
    return [part / length for part in vector] if length else None


class Statements:
    """The statements on the table in *schema*, with the extension in *home*; both are quoted."""

    def __init__(self, schema: str, *, dim: int, home: str) -> None:
        self._kind = column_type(dim)
        self._table = f"{schema}.agentkit_vectors"
        self._type = f"{quoted(home)}.{self._kind}"
        distance = f"(embedding OPERATOR({quoted(home)}.<=>) $2::text::{self._type})"
        self._found = f"SELECT id, text, metadata, {distance} AS distance FROM {self._table}"
        self._distance = distance
        self.upsert = f"""\
INSERT INTO {self._table} (scope, id, text, metadata, facts, words, embedding)
SELECT $1::text, id, text, metadata,
  ARRAY(SELECT jsonb_array_elements_text(facts::jsonb)),
  ARRAY(SELECT jsonb_array_elements_text(words::jsonb)), embedding::{self._type}
FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
  AS given (id, text, metadata, facts, words, embedding)
ORDER BY id
ON CONFLICT (scope, id) DO UPDATE SET text = EXCLUDED.text, metadata = EXCLUDED.metadata,
  facts = EXCLUDED.facts, words = EXCLUDED.words, embedding = EXCLUDED.embedding"""

    def written(self, vector: list[float]) -> str:
        """Give *vector* as the column takes it."""
        return Vector(vector).to_text() if self._kind == "vector" else HalfVector(vector).to_text()

    def among_few(self, k: int, *, by_words: bool, filtered: bool) -> str:
        """Give the search that looks at every chunk which passes the filter, if those are few.

        Its first column tells whether they are; where not, or where nothing passes, the others of
        its one row are null.
        """
        kept = _kept(by_words, filtered)
        return f"""\
SELECT few.are_few, near.* FROM (
  SELECT count(*) <= {_FEW} AS are_few FROM (
    SELECT FROM {self._table} WHERE {kept} LIMIT {_FEW + 1}
  ) AS counted
) AS few LEFT JOIN LATERAL (
  {self._found} WHERE few.are_few AND {kept} ORDER BY {self._distance} + 0, id LIMIT {k}
) AS near ON distance < 1 - $4::float8 ORDER BY distance, id"""

    def nearest(self, k: int, *, by_words: bool, filtered: bool) -> str:
        """Give the search that may use the index of vectors.

        The settings hold for this statement: they are made before the table is looked at, since
        what is found depends on them. The index goes on until k are found that pass the filter.
        """
        beam = min(max(100, 2 * k), _WIDEST_BEAM)
        return f"""\
SELECT best.* FROM (
  SELECT set_config('hnsw.iterative_scan', 'strict_order', true)
    || set_config('hnsw.ef_search', '{beam}', true) AS made OFFSET 0
) AS settings CROSS JOIN LATERAL (
  SELECT id, text, metadata, distance FROM (
    {self._found} WHERE settings.made IS NOT NULL AND {_kept(by_words, filtered)}
    ORDER BY distance FETCH FIRST {k} ROWS WITH TIES
  ) AS near WHERE distance < 1 - $4::float8 ORDER BY distance, id LIMIT {k}
) AS best"""

    def exact(self, k: int, *, by_words: bool, filtered: bool) -> str:
        """Give the search that looks at every chunk which passes the filter."""
        return f"""\
SELECT id, text, metadata, distance FROM (
  {self._found} WHERE {_kept(by_words, filtered)}
  ORDER BY {self._distance} + 0, id LIMIT {k}
) AS near WHERE distance < 1 - $4::float8 ORDER BY distance, id"""


def _kept(by_words: bool, filtered: bool) -> str:  # noqa: FBT001
    parts = ["scope = $1::text", "($3::text[] IS NULL OR true)", "($5::text[] IS NULL OR true)"]
    if by_words:
        parts[1] = "words && $3::text[]"
    if filtered:
        parts[2] = "facts @> $5::text[]"
    return " AND ".join(parts)
