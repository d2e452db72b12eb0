"""The tenant that a run belongs to."""

import json
from dataclasses import dataclass

from agentkit.core.contracts._checks import refuse

__all__ = ["Scope"]


@dataclass(frozen=True, slots=True)
class Scope:
    """The tenant key: it is part of every cache key, memory recall, meter and callback.

    Raises:
        TypeError: An id is neither a whole number nor text nor None.

    """

    org_id: int | str | None = None
    domain_id: int | str | None = None

    def __post_init__(self) -> None:
        # `True` and `1.0` equal `1` and would have another key than it.
        for name in ("org_id", "domain_id"):
            given = getattr(self, name)
            if isinstance(given, bool) or not isinstance(given, int | str | None):
                refuse(self, name, "a whole number, text or None")

    def key(self) -> str:
        """Give the key of this tenant, different for every two scopes that differ.

        Ints stand bare (`org1:dom2`), None as `None`, and text as a JSON string
        (`org"acme":domNone`), so that no id can imitate another's key.
        """
        return f"org{_part(self.org_id)}:dom{_part(self.domain_id)}"


def _part(value: int | str | None) -> str:
    return json.dumps(value) if isinstance(value, str) else str(value)
