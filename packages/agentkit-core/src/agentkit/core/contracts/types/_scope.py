"""The tenant that a run belongs to."""

import json
from dataclasses import dataclass

__all__ = ["Scope"]


@dataclass(frozen=True, slots=True)
class Scope:
    """The tenant key: it is part of every cache key, memory recall, meter and callback."""

    org_id: int | str | None = None
    domain_id: int | str | None = None

    def key(self) -> str:
        """Give the key of this tenant, different for every two scopes that differ.

        Ints stand bare (`org1:dom2`), None as `None`, and text as a JSON string
        (`org"acme":domNone`), so that no id can imitate another's key.
        """
        return f"org{_part(self.org_id)}:dom{_part(self.domain_id)}"


def _part(value: int | str | None) -> str:
    return json.dumps(value) if isinstance(value, str) else str(value)
