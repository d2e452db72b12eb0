"""How long a provider asks to wait, in the five places where providers say it."""

import re
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import Any

from agentkit.models.codecs._json import as_dict, as_list, as_text

__all__ = ["retry_after_in_body", "retry_after_in_headers"]

_DURATION = re.compile(r"(\d+(?:\.\d+)?)s")


def retry_after_in_headers(headers: Mapping[str, str], *, now: float) -> float | None:
    """Give the seconds that *headers* (lower-case names) ask to wait, or None.

    `retry-after` holds seconds or a date, which is counted from the answer's own `date` where there
    is one; `retry-after-ms` speaks only where that is missing.
    """
    value = headers.get("retry-after", "").strip()
    seconds = _number(value)
    if seconds is not None:
        return seconds
    until = _date(value)
    if until is not None:
        since = _date(headers.get("date", ""))
        return max(0.0, until - (now if since is None else since))
    milliseconds = _number(headers.get("retry-after-ms", "").strip())
    return None if milliseconds is None else milliseconds / 1000


def retry_after_in_body(error: Mapping[str, Any], *, now: float) -> float | None:
    """Give the seconds that an error object asks to wait, or None.

    Google puts them into a `RetryInfo` detail, OpenRouter the moment of the reset, in milliseconds
    since the epoch, into `metadata.headers`; a reset in the past says nothing.
    """
    for detail in as_list(error.get("details")):
        if as_text(as_dict(detail).get("@type")).endswith("google.rpc.RetryInfo"):
            match = _DURATION.fullmatch(as_text(detail.get("retryDelay")))
            return float(match[1]) if match else None
    headers = as_dict(as_dict(error.get("metadata")).get("headers"))
    reset = _number(str(headers.get("X-RateLimit-Reset", "")))
    if reset is None or reset / 1000 <= now:
        return None
    return reset / 1000 - now


def _number(text: str) -> float | None:
    """Give the finite number of zero or more in *text*, or None."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if isfinite(value) and value >= 0 else None


def _date(text: str) -> float | None:
    """Give the seconds since the epoch of an HTTP date, or None."""
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
