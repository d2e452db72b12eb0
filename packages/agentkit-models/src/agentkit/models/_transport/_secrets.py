"""Keeping credentials out of whatever anybody reads."""

import binascii
import logging
import re
from base64 import b64decode
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from typing import Any

import httpx

from agentkit.core.contracts.errors import ProviderError
from agentkit.core.contracts.types import LLMResult
from agentkit.core.serialization import from_json, to_json
from agentkit.models._transport._spellings import Word, spelt
from agentkit.models.codecs._json import is_dict, is_list

__all__ = ["Secrets", "credentials_of"]

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
_LONGEST_ESCAPE = 8
_CREDENTIAL_NAME = re.compile("auth|cookie|credential|jwt|key|passw|pwd|secret|session|sig|token")
_SCHEMES = frozenset({"apikey", "basic", "bearer", "digest", "key", "negotiate", "token"})


class Secrets:
    """What must not be seen: *keys*, and what the *named* values of a caller's hold.

    Such a value, mostly a header's, is a secret from eight characters on. One whose name tells of
    a credential is one from four on, as is each part of it: the token without its `Bearer`, a
    cookie's value, the password in a `Basic`.
    """

    def __init__(self, keys: Iterable[str | None], named: Iterable[tuple[str, str]]) -> None:
        words = {key for key in keys if key}
        for name, value in named:
            if _CREDENTIAL_NAME.search(name.lower()):
                words |= _parts(value)
            elif len(value) >= _SHORTEST_INSIDE:
                words.add(value)
        ordered = sorted((w for w in words if len(w) >= _SHORTEST), key=len, reverse=True)
        self._long = [Word(word) for word in ordered if len(word) >= _SHORTEST_INSIDE]
        self._short = [word for word in ordered if len(word) < _SHORTEST_INSIDE]

    def without(self, text: str) -> str:
        """Give *text* with every secret, and every cut one, replaced."""
        if self._long:
            text = self._without_long(text)
        return self._alone.sub(_STAND_IN, text) if self._short else text

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

    @cached_property
    def _heads(self) -> re.Pattern[str]:
        heads = "|".join(spelt(word.text[:_HEAD]) for word in self._long)
        return re.compile(heads, re.IGNORECASE | re.ASCII)

    @cached_property
    def _alone(self) -> re.Pattern[str]:
        return re.compile("|".join(rf"(?<![\w-]){spelt(word)}(?![\w-])" for word in self._short))

    def _without_long(self, text: str) -> str:
        kept: list[str] = []
        at = 0
        while (match := self._heads.search(text, at)) is not None:
            kept += text[at : match.start()], _STAND_IN
            ends = [word.end_in(text, match.start()) for word in self._long]
            at = max(match.end(), *ends)
        return "".join([*kept, text[at:]])

    def _without_cut(self, text: str) -> str:
        """Give *text* without what a secret begins with, where it ends in that."""
        end = len(text.rstrip("'\"… "))
        told = text[:end]
        for start in range(max(end - _HEAD * _LONGEST_ESCAPE, 0), end - _HEAD_AT_END + 1):
            if any(word.begins_in(told, start, least=_HEAD_AT_END) for word in self._long):
                return f"{text[:start]}{_STAND_IN}{text[end:]}"
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


def credentials_of(client: httpx.AsyncClient) -> list[tuple[str, str]]:
    """Give what *client* adds to each request that may be a credential, by name."""
    headers = [(k, value) for k, value in client.headers.items() if _CREDENTIAL_NAME.search(k)]
    cookies = [("cookie", cookie.value) for cookie in client.cookies.jar if cookie.value]
    return [*headers, *cookies, *client.params.multi_items()]


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
