"""Exact amounts of US dollars."""

from decimal import ROUND_HALF_UP, Context, Decimal, DecimalException, Inexact, InvalidOperation
from functools import reduce

from agentkit.core.contracts.errors import MoneyPrecisionError

__all__ = [
    "MONEY_SCALE",
    "Amount",
    "exact",
    "in_words",
    "not_negative",
    "priced",
    "rounded",
    "to_money",
    "total",
]

MONEY_SCALE = 6
"""How many decimal places an amount has where it is shown or set as a ceiling."""

Amount = Decimal | float | int | str
"""What an amount of money may be given as."""

_NOTHING = Decimal(0)
_UNIT = Decimal(1).scaleb(-MONEY_SCALE)
# Every float fits in between, and a sum of them is one short addition, never megabytes of digits.
_LARGEST_EXPONENT = 30
_SMALLEST_EXPONENT = -1100
_PRECISION = 1200
_EXACT = Context(prec=_PRECISION, traps=[InvalidOperation, Inexact])
_ROUNDING = Context(prec=_PRECISION, rounding=ROUND_HALF_UP, traps=[InvalidOperation])


def exact(value: Amount) -> Decimal:
    """Give *value* as the decimal number that it reads as, to the last digit.

    Raises:
        MoneyPrecisionError: It is no finite number, or has a place that no amount has.

    """
    amount = value if type(value) is Decimal else _read(value)
    if not amount.is_finite():
        raise MoneyPrecisionError(f"an amount of money is finite; got {value!r}")
    smallest = amount.as_tuple().exponent
    if amount.adjusted() > _LARGEST_EXPONENT or int(smallest) < _SMALLEST_EXPONENT:
        raise MoneyPrecisionError(f"no amount of money has such a magnitude; got {_cut(value)}")
    return amount


def to_money(value: Amount, *, strict: bool = False) -> Decimal:
    """Give *value* rounded half-up to six places; *strict* refuses what has more.

    Raises:
        MoneyPrecisionError: It is no finite number, or *strict* and finer than a millionth.

    """
    amount = exact(value)
    money = rounded(amount)
    if strict and money != amount:
        raise MoneyPrecisionError(
            f"money has at most {MONEY_SCALE} decimal places; got {_cut(value)}"
        )
    return money


def rounded(amount: Decimal) -> Decimal:
    """Give *amount*, which may be a sum of many, rounded half-up to six places."""
    return amount.quantize(_UNIT, context=_ROUNDING)


def not_negative(name: str, amount: Decimal) -> Decimal:
    """Give *amount* if it is zero or more.

    Raises:
        ValueError: It is less.

    """
    if amount < 0:
        raise ValueError(f"{name} is zero or more; got {in_words(amount)}")
    return amount


def total(*amounts: Decimal) -> Decimal:
    """Give the sum of *amounts*, to the last digit, whatever the current decimal context is."""
    return reduce(_EXACT.add, amounts, _NOTHING)


def priced(tokens: int, per_million: Decimal) -> Decimal:
    """Give what *tokens* cost at a price *per_million*, to the last digit."""
    return _EXACT.scaleb(_EXACT.multiply(Decimal(tokens), per_million), -6)


def in_words(amount: Decimal) -> str:
    """Give *amount* for a message: `$0.03`, with neither trailing zeros nor an exponent."""
    text = format(amount, "f")
    return f"${text.rstrip('0').rstrip('.') if '.' in text else text}"


def _read(value: object) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, (Decimal, float, int, str)):
        raise MoneyPrecisionError(f"an amount of money is a number; got {value!r}")
    try:
        # A float is what it reads as, not its binary value; a subclass of Decimal becomes plain.
        return Decimal(str(value))
    except (DecimalException, ValueError):
        raise MoneyPrecisionError(f"an amount of money is a number; got {_cut(value)}") from None


def _cut(value: object) -> str:
    text = str(value) if isinstance(value, (Decimal, str)) else repr(value)
    return repr(text if len(text) <= 40 else f"{text[:40]}…")  # noqa: PLR2004 - enough to see which
