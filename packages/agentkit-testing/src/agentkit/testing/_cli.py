"""`agentkit-conformance`: the certificates of many adapters as one table."""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

__all__ = ["main"]

Certificate = dict[str, Any]

_NEEDED = ("adapter", "port", "port_version", "verdict", "clauses", "distribution", "backend")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; give 0, or 2 if a file is no report."""
    parser = argparse.ArgumentParser(prog="agentkit-conformance", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    table = commands.add_parser("table", help="render the support matrix in Markdown")
    table.add_argument("files", nargs="+", type=Path, metavar="FILE")
    files: list[Path] = parser.parse_args(arguments).files
    try:
        certificates = [each for path in files for each in _read(path)]
    except (OSError, ValueError) as exc:
        sys.stderr.write(f"agentkit-conformance: {exc}\n")
        return 2
    sys.stdout.write(markdown(certificates))
    return 0


def markdown(certificates: Iterable[Certificate]) -> str:
    """Give one table per port: adapters down, areas of clauses across."""
    by_port: dict[str, list[Certificate]] = {}
    for each in certificates:
        by_port.setdefault(f"{each['port']} {each['port_version']}", []).append(each)
    parts = ["\n".join(_table(port, rows)) for port, rows in sorted(by_port.items())]
    return "\n\n".join(parts) + "\n"


def _read(path: Path) -> list[Certificate]:
    try:
        found: Any = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as exc:
        raise ValueError(f"{str(path)!r} is not JSON: {exc}") from exc
    certificates: list[Certificate] = found
    if type(found) is not list or not all(map(_is_certificate, certificates)):
        raise ValueError(f"{str(path)!r} is not what --conformance-report writes")
    return certificates


def _is_certificate(value: Any) -> bool:
    return isinstance(value, dict) and all(name in value for name in _NEEDED)


def _table(port: str, rows: list[Certificate]) -> Iterator[str]:
    areas = list(dict.fromkeys(_area(id_) for row in rows for id_ in row["clauses"]))
    yield f"## {port}"
    yield ""
    yield _row(["adapter", "distribution", "backend", "verdict", *areas])
    yield _row(["---"] * (4 + len(areas)))
    for row in sorted(rows, key=lambda each: str(each["adapter"])):
        told = [row["adapter"], row["distribution"], row["backend"], row["verdict"]]
        yield _row([*told, *(_cell(row["clauses"], area) for area in areas)])


def _area(id_: str) -> str:
    return id_.split("-", 1)[1].rpartition("-")[0].lower()


def _cell(clauses: dict[str, str], area: str) -> str:
    outcomes = [outcome for id_, outcome in clauses.items() if _area(id_) == area]
    if not outcomes:
        return ""
    kept = outcomes.count("kept")
    if kept == len(outcomes):
        return str(kept)
    others = dict.fromkeys(outcome for outcome in outcomes if outcome != "kept")
    told = ", ".join(f"{outcomes.count(outcome)} {outcome}" for outcome in others)
    return f"{kept} + {told}" if kept else told


def _row(cells: Iterable[object]) -> str:
    return f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in cells)} |"
