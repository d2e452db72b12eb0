"""What a client can be made with: looked at before anything is sent, and told without secrets."""

import json
import re
from collections.abc import Mapping
from typing import Any, TypeGuard

import httpx

from agentkit.models.errors import ClientSettingError

__all__ = [
    "check_client",
    "check_count",
    "check_header",
    "check_json",
    "check_keep_alive",
    "check_key",
    "check_model",
    "check_seconds",
    "check_text",
    "checked_headers",
    "checked_url",
    "refused",
    "sendable",
]

_MOST_SECONDS = 1e9
_LONGEST_HOST = 253
_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?", re.IGNORECASE)
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_FRAMING = frozenset({"content-encoding", "content-length", "transfer-encoding"})
_VERSION = re.compile(rb"api-version=[\w.-]{1,32}")


def refused(setting: str, what: str) -> ClientSettingError:
    """Give the error of *setting*: *what* it is to be, and what it was."""
    return ClientSettingError(f"{setting} {what}", setting=setting)


def check_text(value: object, setting: str) -> None:
    """Return if *value* is text, and not empty.

    Raises:
        ClientSettingError: It is not.

    """
    if not isinstance(value, str) or not value:
        raise refused(setting, f"is text, and not empty; got {value!r}")


def check_count(value: object, setting: str) -> None:
    """Return if *value* is a whole number of 1 or more.

    Raises:
        ClientSettingError: It is not.

    """
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise refused(setting, f"is a whole number of 1 or more; got {value!r}")


def check_seconds(value: object, setting: str) -> None:
    """Return if *value* is a time to wait, or None, which is for ever.

    Raises:
        ClientSettingError: It is not.

    """
    if value is None:
        return
    if not (_is_number(value) and 0 < value < _MOST_SECONDS):
        raise refused(setting, f"is a finite number of seconds above 0, or None; got {value!r}")


def check_client(client: object) -> None:
    """Return if *client* is None, or what requests can be sent by.

    Raises:
        ClientSettingError: It is not.

    """
    if client is not None and not isinstance(client, httpx.AsyncClient):
        raise refused("client", f"is an httpx.AsyncClient or None; got a {type(client).__name__}")


def check_json(value: object, setting: str) -> None:
    """Return if *value* is a mapping that JSON has a form for.

    Raises:
        ClientSettingError: It is not; the message does not hold it.

    """
    if not isinstance(value, Mapping):
        raise refused(setting, f"is a mapping; got a {type(value).__name__}")
    try:
        json.dumps(dict(value), allow_nan=False)  # pyright: ignore[reportUnknownArgumentType]
    except (TypeError, ValueError, RecursionError):
        raise refused(setting, "is a mapping that JSON has a form for") from None


def check_key(key: object) -> None:
    """Return if *key* is None, or can be sent as a credential.

    Raises:
        ClientSettingError: It cannot; the message does not hold it.

    """
    if key is None:
        return
    if key == "":
        raise refused("api_key", "is empty; pass None for a server that takes no key")
    if not isinstance(key, str):
        raise refused("api_key", f"is text or None; got a {type(key).__name__}")
    if not sendable(key):
        raise refused("api_key", "holds white space at an end, or what no header carries")


def check_header(value: object, setting: str) -> None:
    """Return if *value* can be that of a header.

    Raises:
        ClientSettingError: It cannot.

    """
    if not value or not sendable(value):
        raise refused(setting, f"is text that a header carries; got {value!r}")


def check_keep_alive(value: object) -> None:
    """Return if *value* is None, a time as `10m`, or seconds, of which less than 0 is for ever.

    Raises:
        ClientSettingError: It is not.

    """
    is_text = isinstance(value, str) and value != ""
    is_time = is_text or (_is_number(value) and -_MOST_SECONDS < value < _MOST_SECONDS)
    if value is not None and not is_time:
        raise refused("keep_alive", f"is seconds, or a time as '10m'; got {value!r}")


def check_model(default_model: object, *, streaming: object, pricing: object) -> None:
    """Return if a model's client can be made of them.

    Raises:
        ClientSettingError: It cannot.

    """
    if default_model is not None and not isinstance(default_model, str):
        raise refused("default_model", f"is text or None; got {default_model!r}")
    if not isinstance(streaming, bool):
        raise refused("streaming", f"is True or False; got {streaming!r}")
    if not callable(pricing):
        raise refused("pricing", f"is called with a model and its usage; got {pricing!r}")


def sendable(value: object) -> bool:
    """Whether *value* can be that of a header."""
    return (
        isinstance(value, str)
        and value.isascii()
        and value.isprintable()
        and value == value.strip()
    )


def checked_headers(headers: Mapping[str, str] | None) -> dict[str, str]:
    """Give the headers that a caller adds, with their names in lower case.

    Raises:
        ClientSettingError: HTTP has no such header, or it is one that depends on the body. The
            message does not hold a value, which may be a credential.

    """
    if headers is None:
        return {}
    if not isinstance(headers, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise refused("extra_headers", f"is a mapping; got a {type(headers).__name__}")
    checked: dict[str, str] = {}
    for name, value in headers.items():
        lowered = _checked_name(name)
        if lowered in checked:
            raise refused("extra_headers", f"names {name!r} twice")
        if not sendable(value):
            raise refused("extra_headers", f"has for {name!r} no text that a header carries")
        checked[lowered] = value
    return checked


def checked_url(text: object) -> httpx.URL:
    """Give the base URL *text*.

    Of a query it may have an `api-version` only: a URL is in the logs of all that it passes, and
    by no name can it be told that a value is no credential.

    Raises:
        ClientSettingError: Nothing can be sent there, or it has a place where a credential may be.
            The message does not hold it.

    """
    if not isinstance(text, str):
        raise refused("base_url", f"is text; got a {type(text).__name__}")
    url = _parsed(text)
    if url is None:
        raise refused("base_url", "is no URL")
    if url.userinfo:
        raise refused(
            "base_url", "holds a user name or password; pass api_key or extra_headers instead"
        )
    if url.query and not _VERSION.fullmatch(url.query):
        what = "has no query but api-version=…; pass a credential as api_key or in extra_headers"
        raise refused("base_url", what)
    if url.scheme not in {"http", "https"} or not _is_host(url.host, url.raw_host):
        raise refused("base_url", "is an http or https URL with a host")
    if url.port is not None and not 0 < url.port < 1 << 16:
        raise refused("base_url", "has a port from 1 to 65535")
    if url.fragment:
        raise refused("base_url", "has no fragment")
    return url


def _parsed(text: str) -> httpx.URL | None:
    try:
        url = httpx.URL(text)
        _ = url.host, url.fragment  # which are decoded only now
    except (httpx.InvalidURL, ValueError):
        return None
    return url


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _checked_name(name: Any) -> str:
    if not isinstance(name, str) or not _HEADER_NAME.fullmatch(name):
        raise refused("extra_headers", "has a name that no header has")
    if name.lower() in _FRAMING:
        raise refused("extra_headers", f"names {name!r}, which the body decides")
    return name.lower()


def _is_host(host: str, raw: bytes) -> bool:
    if ":" in host:
        return True  # an IPv6 address, which has been parsed as one
    labels = raw.decode("ascii").removesuffix(".").split(".")
    return len(raw) <= _LONGEST_HOST and all(map(_LABEL.fullmatch, labels))
