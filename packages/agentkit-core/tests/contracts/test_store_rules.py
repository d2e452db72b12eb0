"""What every store refuses, with which words, and when two values are equal."""

from collections.abc import Callable
from enum import StrEnum
from typing import Any

import pytest

from agentkit.core.contracts.errors import StoreValueError
from agentkit.core.contracts.store_rules import (
    MAX_COUNTER,
    MIN_COUNTER,
    add_to_counter,
    check_by,
    check_key,
    check_limit,
    check_prefix,
    check_ttl,
    copy_value,
    decode_value,
    encode_value,
    equal_values,
)
from agentkit.core.serialization import deep_freeze

VALUES: list[Any] = [
    None,
    True,
    0,
    10**30,
    -(2**63),
    1.5,
    -0.0,
    "",
    "x\0\ud800é",
    [],
    {},
    {"a": [{"b": None}]},
]
KEYS = [
    "k",
    " ",
    "%_*?[\\:/.",
    "É",
    "k" * 1024,
    "é" * 512,
    "\N{GRINNING FACE}" * 256,
    "\n",
    "a\x01b",
]


class Colour(StrEnum):
    RED = "red"


def _nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = {"in": value}
    return value


@pytest.mark.parametrize("key", KEYS)
def test_a_good_key_comes_back_as_it_is(key: str) -> None:
    assert check_key(key) is key
    assert check_prefix(key) is key


def test_only_a_prefix_may_be_empty() -> None:
    assert check_prefix("") == ""
    with pytest.raises(StoreValueError, match="a key must not be empty"):
        check_key("")


@pytest.mark.parametrize(
    ("key", "said"),
    [
        (None, "must be a str; got NoneType"),
        (b"k", "must be a str; got bytes"),
        ("a\0b", r"must not contain NUL; got 'a\\x00b'"),
        ("a\ud800", r"must not contain a lone surrogate: 'a\\ud800'"),
        ("k" * 1025, "must be at most 1024 bytes of UTF-8; got 1025: 'kkk"),
        ("é" * 513, "must be at most 1024 bytes of UTF-8; got 1026"),
    ],
)
def test_a_bad_key_or_prefix_is_named(key: Any, said: str) -> None:
    with pytest.raises(StoreValueError, match=f"a key {said}"):
        check_key(key)
    with pytest.raises(StoreValueError, match=f"a prefix {said}"):
        check_prefix(key)


@pytest.mark.parametrize("ttl", [None, 1, 2**31 - 1])
def test_a_good_ttl_comes_back(ttl: int | None) -> None:
    assert check_ttl(ttl) == ttl


@pytest.mark.parametrize(
    ("ttl", "said"),
    [
        (0, "from 1 to 2147483647 seconds; got 0"),
        (-1, "got -1"),
        (2**31, "got 2147483648"),
        (10**400, "got an integer of 1329 bits"),
        (True, "must be None or an integer of seconds; got bool"),
        (1.0, "got float"),
        ("1", "got str"),
    ],
)
def test_a_bad_ttl_is_named(ttl: Any, said: str) -> None:
    with pytest.raises(StoreValueError, match=said):
        check_ttl(ttl)


@pytest.mark.parametrize("limit", [None, 0, 1, 10**9])
def test_a_good_limit_comes_back(limit: int | None) -> None:
    assert check_limit(limit) == limit


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        (-1, "a limit must not be negative; got -1"),
        (True, "must be None or an integer; got bool"),
        (1.5, "got float"),
    ],
)
def test_a_bad_limit_is_named(limit: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        check_limit(limit)


@pytest.mark.parametrize("by", [0, 1, -5, MIN_COUNTER, MAX_COUNTER])
def test_a_good_amount_comes_back(by: int) -> None:
    assert check_by("k", by) == by


@pytest.mark.parametrize(
    ("by", "said"),
    [
        (1.5, "increment on key 'k' requires an integer `by`; got float. "),
        (True, "increment on key 'k' requires an integer `by`; got bool. "),
        (None, "got NoneType"),
        (2**63, "requires a `by` within signed 64 bits; got 9223372036854775808"),
        (-(2**63) - 1, "within signed 64 bits"),
    ],
)
def test_a_bad_amount_names_key_and_type(by: Any, said: str) -> None:
    with pytest.raises(StoreValueError, match=said):
        check_by("k", by)


@pytest.mark.parametrize(
    ("current", "by", "total"), [(0, 1, 1), (5, -7, -2), (MAX_COUNTER - 1, 1, MAX_COUNTER)]
)
def test_a_counter_adds(current: int, by: int, total: int) -> None:
    assert add_to_counter("k", current, by) == total


@pytest.mark.parametrize(
    ("current", "said"),
    [
        (None, "requires a stored integer; it holds NoneType"),
        (True, "it holds bool"),
        (1.0, "it holds float"),
        ({"a": 1}, "it holds dict"),
        (MAX_COUNTER, "increment on key 'k' would leave signed 64 bits"),
        (10**60, "it holds an integer of 200 bits"),
    ],
)
def test_what_is_no_counter_is_refused(current: Any, said: str) -> None:
    with pytest.raises(StoreValueError, match=said):
        add_to_counter("k", current, 1)


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_value_survives_its_text(value: Any) -> None:
    text = encode_value(value)

    assert text.isascii()
    assert repr(decode_value(text)) == repr(value)


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_copy_is_equal_and_frozen_forms_come_back_plain(value: Any) -> None:
    copied = copy_value(deep_freeze(value))

    assert repr(copied) == repr(value)
    assert type(copied) is type(value)


@pytest.mark.parametrize("check", [copy_value, encode_value])
@pytest.mark.parametrize(
    ("value", "said"),
    [
        ((1,), "a store value must be plain JSON: tuple is no JSON value. Convert it"),
        ({"a": [{1, 2}]}, r"set is no JSON value at \['a'\]\[0\]"),
        (Colour.RED, "Colour is no JSON value"),
        (float("nan"), "the float nan"),
        ([float("-inf")], r"the float -inf, which JSON does not have at \[0\]"),
        ({1: 1}, "a key must be a str; got int"),
        (10**4300, "more than 4300 digits"),
        (object(), "object is no JSON value"),
        (b"x", "bytes is no JSON value"),
        (_nested(5000), "nests too deeply"),
    ],
    ids=lambda case: case if isinstance(case, str) else "",
)
def test_what_is_no_json_is_refused(check: Any, value: Any, said: str) -> None:
    with pytest.raises(StoreValueError, match=said):
        check(value)


@pytest.mark.parametrize("text", ["", "{", "NaN", "[1, Infinity]", "[" * 100_000])
def test_a_text_that_is_no_value_is_refused(text: str) -> None:
    with pytest.raises(StoreValueError, match="this is no stored value"):
        decode_value(text)


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        (deep_freeze({"a": [1]}), {"a": [1]}, True),
        (True, 1, False),
        (1, 1.0, False),
        ([1, 2], [2, 1], False),
        (None, 0, False),
        ({"a": None}, {}, False),
    ],
)
def test_equality_is_that_of_canonical_json(left: Any, right: Any, equal: bool) -> None:  # noqa: FBT001
    assert equal_values(left, right) is equal
    assert equal_values(right, left) is equal


@pytest.mark.parametrize(
    ("refused", "told"),
    [
        (lambda: check_key(""), "a key must not be empty"),
        (
            lambda: check_by("k", "1"),
            (
                "increment on key 'k' requires an integer `by`; got str. "
                "A counter holds whole numbers only; scale the amount, or keep it as a value"
            ),
        ),
        (
            lambda: add_to_counter("k", "1", 1),
            (
                "increment on key 'k' requires a stored integer; it holds str. "
                "A counter and a value are sharing one key"
            ),
        ),
        (lambda: check_key("\0" + "k" * 59), f"a key must not contain NUL; got '\\x00{'k' * 59}'"),
        (lambda: check_key("\0" + "k" * 60), f"a key must not contain NUL; got '\\x00{'k' * 59}'…"),
        (lambda: check_ttl(-(10**40) + 1), f"1 to 2147483647 seconds; got {-(10**40) + 1}"),
        (lambda: check_ttl(-(10**40)), "1 to 2147483647 seconds; got an integer of 133 bits"),
        (lambda: decode_value("[NaN]"), "this is no stored value: NaN is not JSON"),
    ],
    ids=range(8),
)
def test_a_refusal_says_what_would_be_right(refused: Callable[[], Any], told: str) -> None:
    with pytest.raises(StoreValueError) as caught:
        refused()

    assert str(caught.value).removeprefix("a ttl must be from ") == told


def test_a_counter_reaches_both_of_its_bounds() -> None:
    assert add_to_counter("k", -(2**63) + 1, -1) == -(2**63)
    assert add_to_counter("k", 2**63 - 2, 1) == 2**63 - 1
