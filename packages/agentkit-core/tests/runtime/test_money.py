"""Amounts of money: exact, finite, and rounded only where they are shown."""

from decimal import Decimal, localcontext
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentkit.core.contracts.errors import MoneyPrecisionError
from agentkit.core.runtime import MONEY_SCALE, to_money
from agentkit.core.runtime._money import exact, in_words, priced, total

amounts = st.decimals(min_value=0, max_value=10**6, allow_nan=False, places=9)


def test_money_has_six_places() -> None:
    assert MONEY_SCALE == 6


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("0.0000005", "0.000001"),
        (Decimal("0.00000049"), "0.000000"),
        (0.1, "0.100000"),
        (3, "3.000000"),
        (1.4296875, "1.429688"),
        ("-1.5", "-1.500000"),
    ],
)
def test_money_is_rounded_half_up(value: Any, expected: str) -> None:
    assert str(to_money(value)) == expected


@pytest.mark.parametrize(
    "value",
    [None, True, "", "abc", "nan", float("nan"), float("inf"), Decimal("sNaN"), [], 1j, b"1"],
    ids=repr,
)
def test_what_is_no_finite_number_is_no_money(value: Any) -> None:
    with pytest.raises(MoneyPrecisionError, match="an amount of money is"):
        to_money(value)


@pytest.mark.parametrize("value", ["1e40", "1e-2000", Decimal("1E+999999"), 10**50])
def test_an_absurd_magnitude_is_refused_before_it_costs_memory(value: Any) -> None:
    with pytest.raises(MoneyPrecisionError, match="no amount of money has such a magnitude"):
        exact(value)


def test_an_absurd_amount_is_cut_in_the_message() -> None:
    with pytest.raises(MoneyPrecisionError, match=r"…'$"):
        exact("9" * 5000)


@pytest.mark.parametrize(
    ("value", "told"), [("9" * 40, "'9{40}'"), ("9" * 41, "'9{40}…'"), (10**39 + 1, "'10{38}1'")]
)
def test_a_message_shows_forty_places_of_an_amount(value: Any, told: str) -> None:
    with pytest.raises(MoneyPrecisionError, match=rf"such a magnitude; got {told}$"):
        exact(value)


def test_the_smallest_amount_has_eleven_hundred_places() -> None:
    assert exact("1e-1100") == Decimal("1e-1100")
    with pytest.raises(MoneyPrecisionError, match="no amount of money has such a magnitude"):
        exact("1e-1101")


@pytest.mark.parametrize(
    ("value", "told"), [("0.0000001", r"0\.0000001"), (0.0000001, "1e-07")], ids=["text", "float"]
)
def test_strict_refuses_more_than_six_places(value: Any, told: str) -> None:
    with pytest.raises(MoneyPrecisionError, match=rf"at most 6 decimal places; got '{told}'$"):
        to_money(value, strict=True)


@pytest.mark.parametrize("value", ["0.000001", "1.5000000", 2])
def test_strict_gives_what_fits(value: Any) -> None:
    assert to_money(value, strict=True) == Decimal(str(value))


def test_every_float_is_an_amount() -> None:
    smallest, largest = 5e-324, 9.9e29

    assert total(exact(smallest), exact(largest), -exact(largest)) == Decimal("5E-324")


@given(st.lists(amounts, max_size=20))
def test_a_sum_is_exact_and_does_not_depend_on_the_order(given_amounts: list[Decimal]) -> None:
    scaled = sum(int(amount.scaleb(9)) for amount in given_amounts)

    assert total(*given_amounts) == total(*reversed(given_amounts)) == Decimal(scaled).scaleb(-9)


def test_the_callers_decimal_context_does_not_matter() -> None:
    with localcontext() as context:
        context.prec = 2
        found = total(Decimal("123.456"), Decimal("0.001")), priced(1234567, Decimal("3.14"))

    assert found == (Decimal("123.457"), Decimal("3.87654038"))


@pytest.mark.parametrize(
    ("amount", "words"),
    [("0.030000", "$0.03"), ("0E-6", "$0"), ("1E+2", "$100"), ("1.5", "$1.5"), ("100", "$100")],
)
def test_an_amount_in_words_has_no_trailing_zeros(amount: str, words: str) -> None:
    assert in_words(Decimal(amount)) == words
