"""`agentkit-conformance`: the certificates of many adapters as one table."""

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

__all__ = ["main"]

Certificate = dict[str, Any]

_MARK = "<!-- agentkit-conformance table -->"
_VERSION = re.compile(r"\s+v?\d\S*")

_NEEDED = ("adapter", "port", "port_version", "verdict", "clauses", "distribution", "backend")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Give 0; 1 if a page that is checked has another table; 2 if a file is not what it should be.
    """
    told = _parser().parse_args(arguments)
    try:
        certificates = [each for path in told.files for each in _read(path)]
        text = markdown(certificates, versions=not told.without_versions)
        if told.page is not None:
            return _put(text, told.page, check=told.check)
    except (OSError, ValueError) as exc:
        sys.stderr.write(f"agentkit-conformance: {exc}\n")
        return 2
    sys.stdout.write(text)
    return 0


def markdown(certificates: Iterable[Certificate], *, versions: bool = True) -> str:
    """Give one table per port: adapters down, areas of clauses across, deviations below."""
    by_port: dict[str, list[Certificate]] = {}
    for each in certificates:
        by_port.setdefault(f"{each['port']} {each['port_version']}", []).append(each)
    parts = [
        "\n".join(_table(port, rows, versions=versions)) for port, rows in sorted(by_port.items())
    ]
    return "\n\n".join(parts) + "\n"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="agentkit-conformance", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    table = commands.add_parser("table", help="render the support matrix in Markdown")
    table.add_argument("files", nargs="+", type=Path, metavar="FILE")
    table.add_argument(
        "--in", dest="page", type=Path, metavar="PAGE", help=f"put it below {_MARK!r} in a page"
    )
    table.add_argument("--check", action="store_true", help="only tell whether the page has it")
    table.add_argument(
        "--without-versions", action="store_true", help="name distributions and backends only"
    )
    return parser


def _put(text: str, page: Path, *, check: bool) -> int:
    """Put *text* below the mark in *page*, or tell whether it is there."""
    before = page.read_text(encoding="utf-8")
    head, mark, _ = before.partition(_MARK)
    if not mark:
        raise ValueError(f"{str(page)!r} has no line {_MARK!r}, below which the table would stand")
    after = f"{head}{mark}\n\n{text}"
    if check and after != before:
        sys.stderr.write(f"agentkit-conformance: the table in {page} is not this one\n")
        return 1
    if after != before:
        page.write_text(after, encoding="utf-8")
    return 0


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


def _table(port: str, rows: list[Certificate], *, versions: bool) -> Iterator[str]:
    rows = sorted(rows, key=lambda each: str(each["adapter"]))
    areas = list(dict.fromkeys(_area(id_) for row in rows for id_ in row["clauses"]))
    yield f"## {port}"
    yield ""
    yield _row(["adapter", "distribution", "backend", "verdict", *areas])
    yield _row(["---"] * (4 + len(areas)))
    for row in rows:
        on = [_named(row[name], versions=versions) for name in ("distribution", "backend")]
        told = [row["adapter"], *on, row["verdict"]]
        yield _row([*told, *(_cell(row["clauses"], area) for area in areas)])
    deviations = [_deviation(row, id_) for row in rows for id_ in row.get("deviates", {})]
    yield from ["", *deviations] if deviations else []


def _deviation(row: Certificate, id_: str) -> str:
    return f"- {row['adapter']} deviates from {id_}: {row['deviates'][id_]}"


def _named(told: str, *, versions: bool) -> str:
    """Give *told*, which may end in a version, or the name alone."""
    return told if versions else _VERSION.sub("", told)


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
