"""Check that what each distribution imports equals what it declares, both ways.

The sources may import what [project] names, extras included; the tests also what the group
`test` names. Whatever is named must be imported. Run it where every distribution is installed
with every extra: the file lists of what is installed tell whose a module is.
"""

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path, PurePath

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from workspace import DISTRIBUTIONS, ROOT, Distribution

PYTHON = "python"  # the owner of the standard library
RUNNER = "pytest"  # a test folder needs it without importing it


@dataclass(frozen=True, slots=True)
class Use:
    """An import of *module*, which belongs to one of *owners*, at *place*."""

    place: str
    module: str
    owners: frozenset[str]


def main() -> int:
    """Print each difference; give 1 when there is any."""
    owners = _owners()
    problems = [p for d in DISTRIBUTIONS.values() for p in _differences(d, owners)]
    print(*problems or ["every distribution imports what it declares"], sep="\n")
    return 1 if problems else 0


def _differences(distribution: Distribution, owners: Mapping[str, frozenset[str]]) -> Iterator[str]:
    declared = _names(distribution.requirements(distribution.extras))
    group = _names(distribution.test_group)
    sources, tests = _uses(distribution.source, owners), _uses(distribution.tests, owners)
    for use in _outside(sources, {distribution.name, *declared}):
        yield f"{use.place}: {distribution.name} imports {use.module}, which it does not declare"
    for use in _outside(tests, {distribution.name, *declared, *group}):
        yield f"{use.place}: neither {distribution.name} nor its group test has {use.module}"
    for name in _unused(declared, sources):
        yield f"{distribution.name} declares {name}, which no source of it imports"
    for name in _unused(group - {RUNNER}, tests):
        yield f"{distribution.name} has {name} in its group test, which no test of it imports"


def _names(requirements: Iterable[Requirement]) -> set[str]:
    return {canonicalize_name(requirement.name) for requirement in requirements}


def _outside(uses: Iterable[Use], allowed: set[str]) -> list[Use]:
    return [use for use in uses if not use.owners & {PYTHON, *allowed}]


def _unused(names: set[str], uses: Iterable[Use]) -> list[str]:
    return sorted(names.difference(*(use.owners for use in uses)))


def _uses(folder: Path, owners: Mapping[str, frozenset[str]]) -> list[Use]:
    return [
        Use(f"{path.relative_to(ROOT)}:{line}", module, _owner(module, owners))
        for path in sorted(folder.rglob("*.py"))
        for line, module in _imports(path)
    ]


def _imports(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_bytes(), str(path))):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, alias.name) for alias in names)
            case ast.ImportFrom(module=str(module), names=names, level=0):
                yield from ((node.lineno, f"{module}.{alias.name}") for alias in names)
            case ast.Call(
                func=ast.Name(id="import_module") | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(module)), *_],
            ):
                yield node.lineno, module
            case _:
                pass


def _owner(module: str, owners: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """Whose *module* is; where several share a namespace, the longest known name decides."""
    parts = module.split(".")
    if parts[0] in sys.stdlib_module_names:
        return frozenset({PYTHON})
    names = (".".join(parts[:n]) for n in range(len(parts), 0, -1))
    return next((owners[name] for name in names if name in owners), frozenset[str]())


def _owners() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for installed in distributions():
        for file in installed.files or ():
            found.setdefault(_module(file), set()).add(canonicalize_name(installed.name))
    for ours in DISTRIBUTIONS.values():  # editable: their files are in no list
        for path in ours.source.rglob("*.py"):
            found[_module(path.relative_to(ours.source))] = {ours.name}
    return {module: frozenset(names) for module, names in found.items()}


def _module(file: PurePath) -> str:
    if file.suffix not in {".py", ".so", ".pyd"}:
        return ""
    module = file.parent / file.name.partition(".")[0]
    return ".".join(module.parent.parts if module.name == "__init__" else module.parts)


if __name__ == "__main__":
    sys.exit(main())
