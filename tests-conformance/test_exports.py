"""What a public module offers is what its `__all__` says."""

import ast
import pkgutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import ParamSpec, TypeVar

import pytest
from public_modules import names_of_public_modules


def defined(module: ModuleType) -> set[str]:
    """What the module's file binds at its top that a reader takes for public."""
    names: set[str] = set()
    for node in statements(ast.parse(Path(str(module.__file__)).read_bytes()).body):
        match node:
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                names.add(node.name)
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                names.add(name)
            case ast.ImportFrom(module=str(home), names=aliases) if is_reexport(module, home):
                names |= {alias.asname or alias.name for alias in aliases}
            case _:
                pass
    return {name for name in names if not name.startswith("_") and not is_typevar(module, name)}


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Those of *body*, and of what is only for type checkers: names that are given on demand."""
    for node in body:
        yield from node.body if isinstance(node, ast.If) else [node]


def exported(module: ModuleType) -> list[str]:
    names: list[str] = getattr(module, "__all__", [])
    return names


def is_reexport(module: ModuleType, home: str) -> bool:
    return hasattr(module, "__path__") and home.startswith("agentkit.")


def is_typevar(module: ModuleType, name: str) -> bool:
    return isinstance(getattr(module, name), TypeVar | ParamSpec)


@pytest.fixture(params=names_of_public_modules())
def module(request: pytest.FixtureRequest) -> ModuleType:
    return import_module(request.param)


def test_every_name_in_all_exists(module: ModuleType) -> None:
    assert [name for name in exported(module) if not hasattr(module, name)] == []


def test_every_public_name_is_in_all(module: ModuleType) -> None:
    assert defined(module) <= set(exported(module))


def test_no_name_stands_twice_in_all(module: ModuleType) -> None:
    assert len(exported(module)) == len(set(exported(module)))


def test_no_public_module_has_the_name_of_something_its_package_exports(module: ModuleType) -> None:
    modules = {found.name for found in pkgutil.iter_modules(getattr(module, "__path__", ()))}

    assert modules & set(exported(module)) == set()
