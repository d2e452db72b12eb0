"""Refusing wrong fields with one clear message, as a value is made.

Each takes the value under construction and the names of its fields. What is checked often is
looked at in place first (`type(self.text) is not str`), so that a right value costs no call.
"""

from collections.abc import Mapping
from decimal import Decimal
from math import isfinite
from typing import Any, NoReturn

from agentkit.core.serialization import FrozenDict, FrozenList, deep_freeze

__all__ = [
    "as_tuple",
    "check_amount",
    "check_counts",
    "check_flags",
    "check_items",
    "check_kinds",
    "check_number",
    "check_texts",
    "freeze_items",
    "freeze_mappings",
    "no_data",
    "no_items",
    "refuse",
    "shown",
]

_SHOWN = 80
_NO_DATA = FrozenDict[str, Any]()
_NO_ITEMS = FrozenList[Any]()


def no_data() -> dict[str, Any]:
    """Give the empty frozen dict, the default of a field."""
    return _NO_DATA


def no_items() -> list[Any]:
    """Give the empty frozen list, the default of a field."""
    return _NO_ITEMS


def shown(value: object) -> str:
    """Give the repr of *value*, cut where it would flood a message."""
    if isinstance(value, int) and value.bit_length() > 4 * _SHOWN:
        return f"an integer of {value.bit_length()} bits"
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - what is refused is not ours, and may be broken in any way
        return f"a {type(value).__name__} without a repr"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def refuse(value: object, name: str, wanted: str) -> NoReturn:
    """Raise `TypeError` for the field *name*, which is to be *wanted*."""
    got = getattr(value, name)
    raise TypeError(f"{type(value).__name__}.{name} is {wanted}; got {shown(got)}")


def check_texts(value: object, *names: str, optional: bool = False) -> None:
    """Check that each field is text; None is fine where it is *optional*."""
    for name in names:
        text = getattr(value, name)
        if not isinstance(text, str) and not (optional and text is None):
            refuse(value, name, "text or None" if optional else "text")


def check_flags(value: object, *names: str) -> None:
    """Check that each field is a bool."""
    for name in names:
        if not isinstance(getattr(value, name), bool):
            refuse(value, name, "True or False")


def check_counts(value: object, *names: str, optional: bool = False) -> None:
    """Check that each field is a whole number of zero or more; a bool is none."""
    for name in names:
        count = getattr(value, name)
        if count is None and optional:
            continue
        if not isinstance(count, int) or isinstance(count, bool):
            refuse(value, name, "a whole number")
        if count < 0:
            raise ValueError(f"{type(value).__name__}.{name} is 0 or more; got {shown(count)}")


def check_number(
    value: object, name: str, *, optional: bool = False, at_least: float | None = 0
) -> None:
    """Check that the field is a finite number of *at_least* or more; a bool is none."""
    number = getattr(value, name)
    if number is None and optional:
        return
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        refuse(value, name, "a number")
    if not _is_finite(number) or (at_least is not None and number < at_least):
        bound = "" if at_least is None else f", {at_least} or more"
        raise ValueError(f"{type(value).__name__}.{name} is finite{bound}; got {shown(number)}")


def check_amount(value: object, name: str) -> None:
    """Check that the field is a finite Decimal of zero or more, or None."""
    amount = getattr(value, name)
    if amount is None:
        return
    if not isinstance(amount, Decimal):
        refuse(value, name, "a Decimal or None")
    if not amount.is_finite() or amount < 0:
        raise ValueError(f"{type(value).__name__}.{name} is finite, 0 or more; got {amount!r}")


def check_kinds(
    value: object, name: str, kind: Any, *, wanted: str, optional: bool = False
) -> None:
    """Check that the field is a *kind*, which a message calls *wanted*."""
    given = getattr(value, name)
    if not isinstance(given, kind) and not (optional and given is None):
        refuse(value, name, f"{wanted} or None" if optional else wanted)


def check_items(value: object, name: str, kind: Any, *, wanted: str) -> None:
    """Check that each item of the field, a list or tuple, is a *kind* that is called *wanted*."""
    for at, item in enumerate(getattr(value, name)):
        if not isinstance(item, kind):
            raise TypeError(f"{type(value).__name__}.{name}[{at}] is {wanted}; got {shown(item)}")


def as_tuple(value: object, name: str, kind: Any, *, wanted: str) -> None:
    """Put a tuple into the field of a frozen *value*, with every item a *kind*."""
    given = getattr(value, name)
    if isinstance(given, (str, bytes, Mapping)) or not hasattr(given, "__iter__"):
        refuse(value, name, f"a tuple, each item {wanted}")
    object.__setattr__(value, name, tuple(given))
    check_items(value, name, kind, wanted=wanted)


def freeze_items(value: object, name: str, kind: Any, *, wanted: str) -> None:
    """Put a frozen list into the field of a frozen *value*, with every item a *kind*.

    A list that is frozen already is taken as it is.
    """
    given = getattr(value, name)
    if isinstance(given, (str, bytes, Mapping)) or not hasattr(given, "__iter__"):
        refuse(value, name, f"a list, each item {wanted}")
    if type(given) is not FrozenList:
        object.__setattr__(value, name, deep_freeze(list(given)))
    check_items(value, name, kind, wanted=wanted)


def freeze_mappings(value: object, *names: str, optional: bool = False) -> None:
    """Put a frozen dict into each field of a frozen *value*."""
    for name in names:
        given = getattr(value, name)
        if given is None and optional:
            continue
        if not isinstance(given, Mapping):
            refuse(value, name, "a dict or None" if optional else "a dict")
        object.__setattr__(value, name, deep_freeze(given))


def _is_finite(number: float) -> bool:
    return isinstance(number, int) or isfinite(number)
