"""Which installed distribution opens a URL; any may register its scheme as an entry point.

Nothing here tells more of a URL than its scheme: the rest may hold a password.
"""

from __future__ import annotations

import re
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from agentkit.core.contracts.errors import StoreValueError
from agentkit.state.stores.errors import AdapterLookupError

__all__ = ["opener", "scheme_of"]

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_KNOWN = {
    "postgres": "agentkit-state-postgres",
    "postgresql": "agentkit-state-postgres",
    "redis": "agentkit-state-redis",
    "redis+cluster": "agentkit-state-redis",
    "redis+sentinel": "agentkit-state-redis",
    "rediss": "agentkit-state-redis",
    "rediss+cluster": "agentkit-state-redis",
    "rediss+sentinel": "agentkit-state-redis",
}
"""Who provides a scheme that is not installed."""


def opener(group: str, url: str) -> Any:
    """Give what is registered in *group* to open *url*: a callable that takes the URL.

    Raises:
        StoreValueError: *url* has no scheme.
        AdapterLookupError: Nothing installed has its scheme, two distributions have it, or what has
            it cannot be imported.

    """
    scheme = scheme_of(url)
    entry = _entry(group, scheme)
    try:
        return entry.load()
    except ImportError as exc:
        name = _distribution(entry)
        raise AdapterLookupError(
            f"{name} opens {scheme}: URLs but misses the module {exc.name!r}; install it with "
            "what it needs",
            scheme=scheme,
            distribution=name,
        ) from exc


def scheme_of(url: Any) -> str:
    """Give the scheme of *url*, lower-cased."""
    found = _SCHEME.match(url) if isinstance(url, str) else None
    if found is None:
        raise StoreValueError("this is no URL: it must begin with a scheme, as in sqlite:state.db")
    return found[1].lower()


def _entry(group: str, scheme: str) -> EntryPoint:
    # One that two metadata folders on the path name alike, as an editable install may, is one.
    entries = {entry.value: entry for entry in entry_points(group=group, name=scheme)}
    if len(entries) == 1:
        return entries.popitem()[1]
    if not entries:
        raise _not_installed(group, scheme)
    owners = ", ".join(sorted(_distribution(entry) for entry in entries.values()))
    raise AdapterLookupError(
        f"several distributions open {scheme}: URLs ({owners}); uninstall all but one",
        scheme=scheme,
    )


def _not_installed(group: str, scheme: str) -> AdapterLookupError:
    installed = ", ".join(sorted(f"{entry.name}:" for entry in entry_points(group=group)))
    provider = _KNOWN.get(scheme, "")
    hint = f"install {provider}" if provider else f"a distribution may register it as {group!r}"
    return AdapterLookupError(
        f"nothing installed opens {scheme}: URLs; installed are {installed or 'none'}. To have "
        f"{scheme}:, {hint}",
        scheme=scheme,
        distribution=provider,
    )


def _distribution(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist else entry.value
