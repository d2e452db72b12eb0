"""Packages that load a module of theirs when they are first asked for something in it.

Most programs use few of the names that a package offers; the modules of the others, and what those
import, are never loaded.
"""

import sys
from collections.abc import Callable
from importlib import import_module


def names(
    package: str, /, **modules: str
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Give the `__getattr__` and the `__dir__` of *package*.

    Each of its *modules* is told with the names that the package offers out of it, parted by
    spaces. Type checkers go by the imports that stand beside it, under `TYPE_CHECKING`.
    """
    homes = {name: module for module, found in modules.items() for name in found.split()}

    def attribute(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value: object = getattr(import_module(f"{package}.{homes[name]}"), name)
        setattr(sys.modules[package], name, value)  # so that it is asked for once
        return value

    def offered() -> list[str]:
        return sorted({*vars(sys.modules[package]), *homes})

    return attribute, offered
