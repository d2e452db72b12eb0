"""A law is tried on many cases, always the same; what breaks it is shrunk."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from agentkit.testing.suites._laws import for_all


def tried(law: Callable[[Any], Awaitable[None]]) -> None:
    asyncio.run(for_all(lambda st: st.integers(0, 1000), law))


def seen_by_a_law() -> list[int]:
    seen: list[int] = []

    async def law(case: int) -> None:
        seen.append(case)

    tried(law)
    return seen


def test_a_law_is_tried_on_many_cases() -> None:
    assert len(set(seen_by_a_law())) > 20


def test_the_cases_are_the_same_every_time() -> None:
    assert seen_by_a_law() == seen_by_a_law()


def test_the_smallest_case_that_breaks_it_is_told() -> None:
    async def law(case: int) -> None:
        await asyncio.sleep(0)
        assert case < 17

    with pytest.raises(AssertionError) as raised:
        tried(law)
    assert "case=17" in "".join(raised.value.__notes__)


async def given_up_at_the_first_case() -> list[int]:
    begun: list[int] = []
    has_begun = asyncio.Event()

    async def law(case: int) -> None:
        begun.append(case)
        has_begun.set()
        await asyncio.Event().wait()

    trying = asyncio.create_task(for_all(lambda st: st.integers(), law))
    await has_begun.wait()
    trying.cancel()
    await asyncio.wait([trying])
    return begun


def test_a_law_that_is_given_up_is_not_tried_again() -> None:
    assert len(asyncio.run(given_up_at_the_first_case())) == 1
