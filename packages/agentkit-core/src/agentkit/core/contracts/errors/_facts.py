"""What an exception tells of itself; asking one that is not ours never fails."""

import math
from typing import Any

__all__ = ["carried", "had_output", "retry_after_of", "words_of"]


def carried(holder: object, name: str) -> Any:
    """Give the attribute *name* of *holder*, or None where there is none or it cannot be read."""
    try:
        return getattr(holder, name, None)
    except Exception:  # noqa: BLE001 - a client library's property may do anything
        return None


def had_output(exc: BaseException) -> bool:
    """Tell whether *exc* says that output had started before it."""
    return carried(exc, "output_started") is True


def retry_after_of(exc: BaseException) -> float:
    """Give the seconds that *exc* asks its caller to wait, 0.0 where it does not."""
    asked = carried(exc, "retry_after")
    if isinstance(asked, bool) or not isinstance(asked, (int, float)):
        return 0.0
    try:
        seconds = float(asked)
    except OverflowError:
        return 0.0
    return max(0.0, seconds) if math.isfinite(seconds) else 0.0


def words_of(exc: BaseException) -> str:
    """Give what *exc* says, or the name of its type where it says nothing, or cannot."""
    try:
        return str(exc) or type(exc).__name__
    except Exception:  # noqa: BLE001 - as above
        return type(exc).__name__
