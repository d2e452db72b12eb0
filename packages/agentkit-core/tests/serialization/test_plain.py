"""Plain copies: what counts as JSON, and that nobody else holds the copy."""

from enum import StrEnum
from typing import Any

import pytest

from agentkit.core.serialization import deep_freeze, plain_copy

VALUE: Any = {"a": [1, 2.5, True, None, "x\0\ud800"], "b": {"c": [[0]]}, "big": 10**4300 - 1}


class Colour(StrEnum):
    RED = "red"


def _nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("value", [VALUE, deep_freeze(VALUE)], ids=["plain", "frozen"])
def test_a_copy_is_equal_plain_and_its_own(value: Any) -> None:
    copied = plain_copy(value)

    assert copied == VALUE
    assert (type(copied), type(copied["a"])) == (dict, list)
    assert copied["a"] is not value["a"]


@pytest.mark.parametrize(
    ("value", "error", "said"),
    [
        ((1,), TypeError, "tuple is no JSON value"),
        ({"a": [0, {1}]}, TypeError, r"set is no JSON value at \['a'\]\[1\]"),
        ({1: 2}, TypeError, "a key must be a str; got int"),
        ({Colour.RED: 2}, TypeError, "a key must be a str; got Colour"),
        (Colour.RED, TypeError, "Colour is no JSON value"),
        ([float("nan")], ValueError, r"nan, which JSON does not have at \[0\]"),
        (float("inf"), ValueError, "inf, which JSON does not have"),
        ([10**4300], ValueError, r"more than 4300 digits at \[0\]"),
        (b"x", TypeError, "bytes is no JSON value"),
        (_nested(5000), ValueError, "nests too deeply"),
    ],
    ids=lambda case: case if isinstance(case, str) else "",
)
def test_what_is_not_json_is_refused_by_its_place(
    value: Any, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        plain_copy(value)


def test_two_hundred_levels_are_no_problem() -> None:
    assert plain_copy(_nested(200)) == _nested(200)
