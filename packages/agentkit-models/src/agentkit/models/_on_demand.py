"""Packages that load a module of theirs when they are first asked for something in it.

Who uses one provider pays for no other, and who only names a model pays for no event loop.
"""

import sys
from collections.abc import Callable
from importlib import import_module

__all__ = ["names"]


def names(
    package: str, /, *, first: str | None = None, **modules: str
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Give the `__getattr__` and the `__dir__` of *package*.

    Each of its *modules* is told with the names that the package offers out of it, parted by
    spaces. Module *first* is loaded before any of them. Type checkers go by the imports that stand
    beside it, under `TYPE_CHECKING`.
    """
    homes = {name: module for module, found in modules.items() for name in found.split()}

    def attribute(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if first is not None:
            import_module(first)
        value: object = getattr(import_module(f"{package}.{homes[name]}"), name)
        setattr(sys.modules[package], name, value)  # so that it is asked for once
        return value

    def offered() -> list[str]:
        return sorted({*vars(sys.modules[package]), *homes})

    return attribute, offered
