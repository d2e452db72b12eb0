"""Laws: what holds for every case, tried on cases that hypothesis draws from a fixed seed.

Hypothesis is synchronous and runs in a thread; every case is tried in the clause's event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

__all__ = ["EXTRA", "for_all", "json_lists", "json_values", "keys", "some_of"]

EXTRA = "hypothesis"
_SEED = 20_250_101
_CASES = 40

Drawn = Callable[[Any], Any]
"""Makes a strategy of the module `hypothesis.strategies`."""


class _Given(BaseException):
    """The clause was given up; hypothesis must not try again."""


async def for_all(
    drawn: Drawn,
    law: Callable[[Any], Awaitable[None]],
    *,
    at: int = _CASES,
    after: Sequence[Any] = (),
) -> None:
    """Try *law* on *at* cases; one that fails is shrunk, and told beside the error.

    It is tried *after* cases that no version of hypothesis may leave out.
    """
    import hypothesis  # noqa: PLC0415 - only the extra brings it
    import hypothesis.strategies as st  # noqa: PLC0415 - as above

    for case in after:
        await law(case)
    loop = asyncio.get_running_loop()
    is_over = False

    async def attempt(case: Any) -> None:
        await law(case)

    def check(case: Any) -> None:
        if is_over:
            raise _Given
        asyncio.run_coroutine_threadsafe(attempt(case), loop).result()

    complaint = hypothesis.HealthCheck
    settings = hypothesis.settings(
        max_examples=at,
        database=None,
        deadline=None,
        report_multiple_bugs=False,
        # How long a case takes is the adapter's business, and what is drawn is the law's.
        suppress_health_check=[
            complaint.too_slow,
            complaint.filter_too_much,
            complaint.data_too_large,
            complaint.large_base_example,
        ],
    )
    run = hypothesis.seed(_SEED)(settings(hypothesis.given(drawn(st))(check)))
    try:
        await asyncio.to_thread(run)
    finally:
        is_over = True


def json_lists(st: Any) -> Any:
    """Draw several values at once, in a list, which is one more value."""
    return st.lists(json_values(st), min_size=3, max_size=6)


def json_values(st: Any) -> Any:
    """Draw any JSON that every store takes."""
    scalars = (
        st.none()
        | st.booleans()
        | st.integers(-(10**40), 10**40)
        | st.floats(allow_nan=False, allow_infinity=False)
        | _texts(st)
    )

    def nested(inner: Any) -> Any:
        return st.lists(inner, max_size=4) | st.dictionaries(_texts(st), inner, max_size=4)

    return st.recursive(scalars, nested, max_leaves=12)


def keys(st: Any) -> Any:
    """Draw the endings of keys, of which many begin alike."""
    letters = st.sampled_from("aA%_*?[]\\:/. \u00e9\u0301'\"\U0001f600")
    return st.text(letters, min_size=1, max_size=6)


def some_of(st: Any, *values: Any) -> Any:
    """Draw one of *values*."""
    return st.sampled_from(values)


def _texts(st: Any) -> Any:
    odd = st.sampled_from('\x00\ud800\udfff\u2028\u0301"\\\U0001f600')
    return st.text(odd | st.characters(exclude_categories=()), min_size=1, max_size=6)
