"""Where the bounds of an argument are, to the last number that is still in."""

import math
import sys
from typing import Any

import pytest

from agentkit.core.runtime._checks import check_between, check_positive

LARGEST = sys.float_info.max


@pytest.mark.parametrize("value", [0, 0.5, 1, 1.0])
def test_both_ends_are_in_between(value: float) -> None:
    assert check_between("ratio", value, low=0, high=1) == value


@pytest.mark.parametrize("value", [LARGEST, int(LARGEST), -int(LARGEST)], ids=lambda v: repr(v)[:9])
def test_whatever_a_float_holds_is_a_number(value: float) -> None:
    assert check_between("start", value) == value


@pytest.mark.parametrize(
    ("bounds", "told"),
    [
        ({}, "a number that compares"),
        ({"low": 0}, "0 or more"),
        ({"low": 0, "high": 1}, "from 0 to 1"),
    ],
)
def test_what_does_not_compare_is_told_the_bounds(bounds: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=f"^start is {told}; got nan$"):
        check_between("start", math.nan, **bounds)


@pytest.mark.parametrize("value", [5e-324, 0.5, 1, LARGEST])
def test_every_float_above_zero_is_positive(value: float) -> None:
    assert check_positive("window", value) == value
