"""Tools that look into one folder of logs."""

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentkit.agents.tools import FunctionTool, tool

MOST_LINES = 40
# A repeated group that repeats something inside may take longer than anybody waits.
_RUNAWAY = re.compile(r"[*+}]\)[*+{]|[*+}]\)\)[*+{]")


@dataclass(frozen=True)
class Line:
    """One line of a log, with the number under which it can be quoted."""

    file: str
    line: int
    text: str


class LogFolder:
    """The log files of one folder.

    Raises:
        ValueError: There is no such folder, it cannot be read, or it has no log in it.

    """

    def __init__(self, folder: Path) -> None:
        try:
            # A pipe or a device that is called .log would never end.
            logs = [path for path in sorted(folder.glob("*.log")) if path.is_file()]
            self._files = {path.name: path for path in logs}
            unreadable = [name for name, path in self._files.items() if not _is_readable(path)]
            if not folder.is_dir():
                raise ValueError(f"{folder} is no folder of logs")
            list(folder.iterdir())
        except OSError as exc:
            raise ValueError(f"cannot read {folder}: {exc.strerror or exc}") from None
        if not self._files:
            raise ValueError(f"{folder} has no file that ends in .log")
        if unreadable:
            raise ValueError(f"cannot read {', '.join(unreadable)} in {folder}")

    def tools(self) -> list[FunctionTool]:
        """Give the tools that look into this folder."""
        return [
            tool(side_effecting=False)(look)
            for look in (self.list_logs, self.count_by_minute, self.search_logs, self.read_lines)
        ]

    def list_logs(self) -> list[dict[str, Any]]:
        """List the log files with their number of lines, of lines with ERROR, and their times."""
        return [self._summary(name) for name in self._files]

    def count_by_minute(self, file: str, pattern: str) -> dict[str, int]:
        """Count the lines of a file that match a regular expression, for each minute (HH:MM)."""
        matching = [line for line in self._lines(file) if _compiled(pattern).search(line.text)]
        return dict(Counter(_clock_time(line.text)[:5] for line in matching))

    def search_logs(  # noqa: PLR0917 - a model names every argument
        self, file: str, pattern: str, since: str = "00:00", until: str = "24:00", limit: int = 10
    ) -> dict[str, Any]:
        """Find the lines of a file that match a regular expression, between two times of the day.

        Gives the number of matches and the first of them, at most `limit` and 40. Times are HH:MM.
        """
        expression = _compiled(pattern)
        found = [
            line
            for line in self._lines(file)
            if since <= _clock_time(line.text) < until and expression.search(line.text)
        ]
        return {"matches": len(found), "lines": found[: max(0, min(limit, MOST_LINES))]}

    def read_lines(self, file: str, start: int, count: int = 10) -> list[Line]:
        """Read at most `count` (and 40) lines of a file from line `start`, counted from 1."""
        lines = self._lines(file)[max(0, start - 1) :]
        return lines[: max(0, min(count, MOST_LINES))]

    def _summary(self, file: str) -> dict[str, Any]:
        lines = self._lines(file)
        return {
            "file": file,
            "lines": len(lines),
            "errors": sum(" ERROR " in line.text for line in lines),
            "first": _clock_time(lines[0].text) if lines else None,
            "last": _clock_time(lines[-1].text) if lines else None,
        }

    def _lines(self, file: str) -> list[Line]:
        if file not in self._files:
            raise ValueError(f"there is no log {file!r}; there are {list(self._files)}")
        text = self._files[file].read_text(encoding="utf-8", errors="replace")
        return [Line(file, number, line) for number, line in enumerate(text.splitlines(), 1)]


def _compiled(pattern: str) -> re.Pattern[str]:
    if _RUNAWAY.search(pattern):
        raise ValueError(f"{pattern!r} repeats what is repeated: say it without one of the two")
    try:
        return re.compile(pattern)
    except re.error as exc:
        raise ValueError(f"{pattern!r} is no regular expression: {exc}") from None


def _clock_time(text: str) -> str:
    """Give the time of day at which a line was written, as HH:MM:SS."""
    return text[11:19]


def _is_readable(path: Path) -> bool:
    try:
        with path.open("rb"):
            return True
    except OSError:
        return False
