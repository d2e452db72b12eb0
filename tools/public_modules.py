"""The modules that users import, found by their names."""

import pkgutil
from collections.abc import Iterator
from importlib import import_module

from workspace import DISTRIBUTIONS

__all__ = ["names_of_public_modules"]


def names_of_public_modules() -> list[str]:
    """Give the names of all public modules of all distributions, each imported by then."""
    leaves = [leaf for d in DISTRIBUTIONS.values() for leaf in d.leaves]
    return [name for leaf in leaves for name in _below(leaf)]


def _below(name: str) -> Iterator[str]:
    yield name
    for found in pkgutil.iter_modules(getattr(import_module(name), "__path__", ())):
        if not found.name.startswith("_"):
            yield from _below(f"{name}.{found.name}")
