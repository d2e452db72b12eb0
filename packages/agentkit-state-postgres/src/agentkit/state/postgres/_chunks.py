"""How chunks and filters become columns."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

from agentkit.core.contracts.store_rules import encode_value
from agentkit.core.contracts.types import Scope
from agentkit.core.contracts.vector_rules import check_metadata
from agentkit.core.serialization.features import tokens

__all__ = ["facts_of", "scope_key", "words_of"]

_LONGEST_ENTRY = 200  # an index has no room for entries of any length
_LONGEST_SCOPE = 1000


def facts_of(what: str, metadata: dict[str, Any] | None) -> list[str]:
    """Give a text for each item of *metadata*: two are equal when the items are, as JSON.

    Raises:
        StoreValueError: *metadata*, called *what* there, is no JSON object that jsonb holds.

    """
    if metadata is None:
        return []
    items = check_metadata(what, metadata).items()
    return sorted(_short(encode_value([key, value])) for key, value in items)


def words_of(text: str) -> list[str]:
    """Give the words of *text*, each once."""
    return sorted({_short(word) for word in tokens(text)})


def scope_key(scope: Scope) -> str:
    """Give a text of bounded length that no other scope has."""
    return _short(scope.key(), longest=_LONGEST_SCOPE)


def _short(text: str, longest: int = _LONGEST_ENTRY) -> str:
    """Give *text*, or what stands for it where it is long; nothing short begins like that."""
    if len(text) <= longest and not text.startswith("#"):
        return text
    return "#" + blake2b(text.encode("utf-8", "surrogatepass"), digest_size=24).hexdigest()
