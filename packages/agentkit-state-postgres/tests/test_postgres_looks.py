"""A look-up that found nothing is believed unless something was stored meanwhile."""

import asyncio
from collections.abc import Iterator

import pytest

from agentkit.state.postgres._looks import Looks


class Reading:
    """Gives the next of *answers* each time, noting what was stored while it reads."""

    def __init__(self, looks: Looks, *answers: str | None, stored: str = "k") -> None:
        self.looks = looks
        self.answers: Iterator[str | None] = iter(answers)
        self.stored = stored
        self.reads = 0

    async def __call__(self, key: str) -> str | None:
        self.reads += 1
        is_first = self.reads == 1
        await asyncio.sleep(0)
        if is_first:
            self.looks.stored(self.stored)
        return next(self.answers)


@pytest.mark.parametrize(
    ("answers", "stored", "expected"),
    [
        ((None, "value"), "k", ("value", 2)),
        ((None, None), "k", (None, 2)),
        (("value",), "k", ("value", 1)),
        ((None,), "other", (None, 1)),
    ],
    ids=["stored meanwhile", "and gone again", "found", "another key"],
)
def test_what_was_missed_is_looked_for_again(
    answers: tuple[str | None, ...], stored: str, expected: tuple[str | None, int]
) -> None:
    looks = Looks()
    reading = Reading(looks, *answers, stored=stored)

    assert (asyncio.run(looks.look("k", reading)), reading.reads) == expected
    assert len(looks) == 0


def test_all_that_look_at_once_look_again() -> None:
    looks = Looks()
    reading = Reading(looks, None, "value", "value", "value")

    async def run() -> list[str | None]:
        return list(await asyncio.gather(*(looks.look("k", reading) for _ in range(3))))

    assert asyncio.run(run()) == ["value"] * 3
    assert len(looks) == 0


def test_a_look_that_fails_is_forgotten() -> None:
    looks = Looks()

    async def fail(key: str) -> str | None:
        raise OSError(key)

    with pytest.raises(OSError, match="k"):
        asyncio.run(looks.look("k", fail))
    assert len(looks) == 0
