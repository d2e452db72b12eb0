"""Paths that stores are opened at: refused where no file can have them, before any effect."""

from __future__ import annotations

import os

from agentkit.core.contracts.errors import StoreValueError

__all__ = ["checked_file", "checked_path"]


def checked_path(path: str | bytes | os.PathLike[str] | os.PathLike[bytes]) -> str:
    """Give *path* as text if a file or folder can have it.

    Raises:
        StoreValueError: It is empty, or has a NUL or a lone surrogate in it.
        TypeError: It is no path, or one in bytes.

    """
    text = os.fspath(path)
    if not isinstance(text, str):
        raise TypeError(f"a path is text or a Path; got {text!r}")
    if not text:
        raise StoreValueError("an empty path names nothing; give the path to keep the data at")
    try:
        encoded = os.fsencode(text)
    except UnicodeEncodeError:
        raise StoreValueError(f"the path {text!a} has a lone surrogate in it") from None
    if b"\0" in encoded:
        raise StoreValueError(f"the path {text!a} has a NUL in it")
    return text


def checked_file(path: str | os.PathLike[str]) -> str:
    """Give *path* as text if SQLite takes it for a file, and not for memory or for a URI.

    Raises:
        StoreValueError: It does not, or no file can have that path.
        TypeError: It is no path.

    """
    text = checked_path(path)
    if text == ":memory:":
        raise StoreValueError("':memory:' is no file; take the store in memory, or give a path")
    if text[:5].lower() == "file:":
        raise StoreValueError(
            f"{text!a} is a URI, not a path; give an absolute path for such a name"
        )
    return text
