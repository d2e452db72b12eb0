"""URLs that need no server: what they say after the scheme."""

from __future__ import annotations

import os
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import url2pathname

from agentkit.core.contracts.errors import StoreValueError

__all__ = ["check_bare", "path_of"]


def check_bare(url: str) -> None:
    """Return if *url* is a scheme alone: there is nothing to choose in memory."""
    scheme, _, rest = url.partition(":")
    if rest not in ("", "//"):
        raise StoreValueError(f"a {scheme}: URL is {scheme}: alone, with nothing after it")


def path_of(url: str) -> str:
    """Give the path that *url* names: `file:relative/path` or `file:///absolute/path`."""
    scheme = url.partition(":")[0]
    parts = _split(url, scheme)
    if parts.netloc not in ("", "localhost"):
        raise StoreValueError(
            f"a {scheme}: URL names no host: write {scheme}:relative/path or "
            f"{scheme}:///absolute/path"
        )
    if parts.query or parts.fragment:
        raise StoreValueError(f"a {scheme}: URL has no options; write ? as %3F and # as %23")
    path = _local(parts.path)
    if not path or "\0" in path:  # not even a percent-encoded NUL
        raise StoreValueError(f"this {scheme}: URL names no path; write {scheme}:relative/path")
    return path


def _split(url: str, scheme: str) -> SplitResult:
    try:
        parts = urlsplit(url)
    except ValueError:
        raise StoreValueError(f"this {scheme}: URL cannot be read") from None
    if any(letter < " " for letter in url):  # which urlsplit takes out in silence
        raise StoreValueError(f"a {scheme}: URL holds no control characters; percent-encode them")
    return parts


def _local(path: str) -> str:
    if path.startswith("/"):
        return url2pathname(f"/{path.lstrip('/')}")  # four slashes are as good as three
    return unquote(path).replace("/", os.sep)
