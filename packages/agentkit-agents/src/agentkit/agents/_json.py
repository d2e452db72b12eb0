"""What is JSON, as stores and checkpoints take it."""

from typing import NoReturn

from agentkit.core.contracts.errors import StoreValueError
from agentkit.core.contracts.store_rules import encode_value

__all__ = ["finite", "is_json", "refuse_constant"]


def is_json(value: object) -> bool:
    """Say whether *value* is JSON all the way down, its numbers finite."""
    try:
        encode_value(value)
    except (StoreValueError, RecursionError):
        return False
    return True


def finite(digits: str) -> float:
    """Give the float that *digits* are.

    Raises:
        ValueError: It is too large for one.

    """
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"{digits} is no finite number")
    return number


def refuse_constant(word: str) -> NoReturn:
    """Refuse NaN and the infinities, which Python reads and JSON does not have.

    Raises:
        ValueError: Always.

    """
    raise ValueError(f"{word} is no JSON number")
