"""What a filter on metadata keeps."""

import asyncio
from typing import Any

import pytest

from agentkit.core.contracts.errors import StoreValueError
from agentkit.core.contracts.types import Chunk, Scope
from agentkit.state.vectors import InMemoryVector

HERE = Scope(1)


def found(metadata: dict[str, Any], where: Any) -> bool:
    async def search() -> bool:
        index = InMemoryVector()
        await index.upsert(HERE, [Chunk("0", "red", metadata)])
        return bool(await index.search(HERE, "red", 5, where))

    return asyncio.run(search())


@pytest.mark.parametrize(
    ("metadata", "where"),
    [
        ({"a": 1}, None),
        ({"a": 1}, {}),
        ({"a": 1, "b": 2}, {"a": 1}),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"a": {"x": 1, "y": [2]}}, {"a": {"y": [2], "x": 1}}),
        ({"a": None}, {"a": None}),
        ({"a.b": "c"}, {"a.b": "c"}),
        ({"a": 10**30}, {"a": 10**30}),
    ],
    ids=repr,
)
def test_equal_items_are_kept(metadata: dict[str, Any], where: Any) -> None:
    assert found(metadata, where)


@pytest.mark.parametrize(
    ("metadata", "where"),
    [
        ({}, {"a": 1}),
        ({}, {"a": None}),
        ({"a": 1}, {"a": 2}),
        ({"a": 1}, {"a": True}),
        ({"a": 1}, {"a": 1.0}),
        ({"a": 1}, {"a": "1"}),
        ({"a": 1}, {"a": 1, "b": None}),
        ({"a": {"x": 1, "y": 2}}, {"a": {"x": 1}}),
        ({"a": {"b": 1}}, {"a.b": 1}),
        ({"a": [1, 2]}, {"a": [2, 1]}),
        ({"a": [1, 2]}, {"a": 1}),
    ],
    ids=repr,
)
def test_anything_else_is_not(metadata: dict[str, Any], where: Any) -> None:
    assert not found(metadata, where)


def test_a_filter_never_costs_a_match() -> None:
    async def search() -> int:
        index = InMemoryVector()
        texts = {str(n): "red" if n % 10 else "red or so" for n in range(100)}
        await index.upsert(HERE, [Chunk(i, t, {"rare": t != "red"}) for i, t in texts.items()])
        return len(await index.search(HERE, "red", 10, {"rare": True}))

    assert asyncio.run(search()) == 10


@pytest.mark.parametrize("where", [{"a": (1,)}, {"a": "\0"}, {1: 2}, [1]], ids=repr)
def test_a_filter_that_nothing_could_equal_is_refused(where: Any) -> None:
    with pytest.raises(StoreValueError, match="where"):
        found({}, where)
