"""Keeping credentials out of whatever anybody reads."""

import binascii
import html
import json
import logging
import re
from base64 import b64decode
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any
from urllib.parse import quote

from agentkit.core.contracts.errors import ProviderError
from agentkit.core.contracts.types import LLMResult
from agentkit.core.serialization import from_json, to_json
from agentkit.models.codecs._json import is_dict, is_list

__all__ = ["Secrets", "credentials_in"]

_STAND_IN = "[secret]"
# What is shorter than the first is a placeholder, as local servers want one, or no protection at
# all, and taking it out of `x` or `none` would garble every message. What is shorter than the
# second is taken out where it stands alone, so that `test` leaves `latest` as it is.
_SHORTEST = 4
_SHORTEST_INSIDE = 8
# So much of a longer one is taken for it wherever it stands, and so much where a text ends:
# messages are cut, and may end in the middle of a key.
_HEAD = 12
_HEAD_AT_END = 4
_CREDENTIAL_NAME = re.compile("auth|cookie|credential|key|password|secret|session|token")
_SCHEMES = frozenset({"apikey", "basic", "bearer", "digest", "key", "negotiate", "token"})


class Secrets:
    """What must not be seen: *keys*, and what *headers* of a caller's hold.

    A header's value is a secret from eight characters on. One whose name tells of a credential is
    one from four on, as is each part of it: the token without its `Bearer`, a cookie's value, the
    password in a `Basic`.
    """

    def __init__(self, keys: Iterable[str | None], headers: Mapping[str, str]) -> None:
        words = {key for key in keys if key}
        for name, value in headers.items():
            if _CREDENTIAL_NAME.search(name.lower()):
                words |= _parts(value)
            elif len(value) >= _SHORTEST_INSIDE:
                words.add(value)
        forms = {form for word in words if len(word) >= _SHORTEST for form in _forms(word)}
        ordered = sorted(forms, key=len, reverse=True)
        self._long = [form.lower() for form in ordered if len(form) >= _SHORTEST_INSIDE]
        heads = "|".join(re.escape(form[:_HEAD]) for form in self._long)
        self._heads = re.compile(heads, re.IGNORECASE | re.ASCII) if heads else None
        self._most = max(map(len, self._long), default=0)
        self._short = [
            re.compile(rf"(?<![\w-]){re.escape(form)}(?![\w-])")
            for form in ordered
            if len(form) < _SHORTEST_INSIDE
        ]

    def __repr__(self) -> str:
        return "Secrets()"

    def without(self, text: str) -> str:
        """Give *text* with every secret, and every cut one, replaced."""
        if self._heads is not None:
            text = self._without_long(text, self._heads)
        for pattern in self._short:
            text = pattern.sub(_STAND_IN, text)
        return text

    def clean(self, error: ProviderError) -> ProviderError:
        """Give *error*, in whose text and fields there is no secret any more."""
        error.args = (self._without_cut(self.without(str(error))), *error.args[1:])
        for name, value in vars(error).items():
            setattr(error, name, self._cleaned(value))
        return error

    @contextmanager
    def kept_from_logs(self) -> Generator[None, None, None]:
        """Take the secrets out of what the HTTP libraries log on behalf of this task."""
        token = _HIDDEN.set(self)
        try:
            yield
        finally:
            _HIDDEN.reset(token)

    def _without_long(self, text: str, heads: re.Pattern[str]) -> str:
        kept: list[str] = []
        at = 0
        while (match := heads.search(text, at)) is not None:
            kept += text[at : match.start()], _STAND_IN
            rest = text[match.start() : match.start() + self._most]
            at = match.start() + max(_common(rest, form) for form in self._long)
        return "".join([*kept, text[at:]])

    def _without_cut(self, text: str) -> str:
        """Give *text* without what a secret begins with, where it ends in that."""
        end = len(text.rstrip("'\"… "))
        last = text[max(end - _HEAD, 0) : end].lower()
        for size in range(len(last), _HEAD_AT_END - 1, -1):
            if any(form.startswith(last[-size:]) for form in self._long):
                return f"{text[: end - size]}{_STAND_IN}{text[end:]}"
        return text

    def _cleaned(self, value: Any) -> Any:
        if isinstance(value, LLMResult):
            told = to_json(value)
            clean = self._cleaned(told)
            return value if clean == told else from_json(LLMResult, clean)
        if type(value) is str:
            return self.without(value)
        if is_dict(value):
            return {self._cleaned(key): self._cleaned(item) for key, item in value.items()}
        return [self._cleaned(item) for item in value] if is_list(value) else value


def credentials_in(headers: Mapping[str, str]) -> dict[str, str]:
    """Give those of *headers* whose names tell of a credential."""
    return {name: headers[name] for name in headers if _CREDENTIAL_NAME.search(name.lower())}


def _parts(value: str) -> set[str]:
    """Give all that is a secret in the *value* of a header that holds a credential."""
    words = {word for word in re.split(r"[\s;,]+", value) if word.lower() not in _SCHEMES}
    words |= {word.partition("=")[2].strip('"') for word in words if "=" in word.rstrip("=")}
    return {value, *words, *(part for word in words for part in _decoded(word))}


def _decoded(word: str) -> set[str]:
    """Give the password, and what it is the password of, if *word* is both in base64."""
    try:
        text = b64decode(word, validate=True).decode("ascii")
    except (binascii.Error, ValueError):
        return set()
    user, colon, password = text.partition(":")
    return {text, password} if user and colon and text.isprintable() else set()


def _forms(word: str) -> set[str]:
    """Give *word* in the forms that texts around it may have it in."""
    as_json = json.dumps(word)[1:-1]
    forms = {word, as_json, as_json.replace("/", "\\/"), html.escape(word)}
    return forms | {quote(word, safe=""), quote(word)} | {repr(form)[1:-1] for form in forms}


def _common(text: str, form: str) -> int:
    """Give how much of *form*, which is in lower case, *text* begins with."""
    pairs = zip(text, form, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a.lower() != b), min(len(text), len(form)))


_HIDDEN: ContextVar[Secrets | None] = ContextVar("agentkit_hidden_secrets", default=None)


class _Hide(logging.Filter):
    """Rewrites a record while secrets are to be kept from the logs; it holds none back."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let *record* pass, cleaned."""
        if (secrets := _HIDDEN.get()) is not None:
            record.msg, record.args = secrets.without(record.getMessage()), ()
        return True


# At DEBUG they log the headers of answers, in which a server may repeat a key, and the one for
# HTTP/2 those of requests.
for _name in (
    "httpx",
    "httpcore.connection",
    "httpcore.http11",
    "httpcore.http2",
    "httpcore.proxy",
    "httpcore.socks",
    "hpack.hpack",
    "hpack.table",
):
    logging.getLogger(_name).addFilter(_Hide())
