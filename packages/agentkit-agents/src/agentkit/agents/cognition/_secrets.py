"""Keeping credentials out of what a model is told."""

import re
from typing import Final

__all__ = ["without_secrets"]

_HIDDEN: Final = "[secret]"
_USER_INFO: Final = re.compile(r"(?<=://)[^\s/@]+@")
_HEADER: Final = re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{8,}")
# A name is looked at once, from where it begins: a stranger may have written the text.
_SETTING: Final = re.compile(
    r"(?i)(?<![\w-])(?=[\w-]*(?:password|passwd|secret|token|api[_-]?key|credential))"
    r"([\w-]++[\"']?\s*+[:=]\s*+)(\"[^\"]*\"|'[^']*'|[^\s,;&]+)"
)
_KEY: Final = re.compile(r"\b(?:sk|pk|rk|ghp|gho|xox[abp]|AKIA)[-_]?[A-Za-z0-9_-]{12,}")


def without_secrets(text: str) -> str:
    """Give *text* with what looks like a credential hidden."""
    text = _USER_INFO.sub(f"{_HIDDEN}@", text)
    text = _HEADER.sub(rf"\1 {_HIDDEN}", text)
    text = _SETTING.sub(rf"\1{_HIDDEN}", text)
    return _KEY.sub(_HIDDEN, text)
