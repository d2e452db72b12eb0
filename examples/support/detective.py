"""A scripted model: it reads the tool results it is sent, and asks for what they point to.

It knows how one looks for a cause, and nothing of these logs: which file, which minute and which
service come next is read from the answers to its own questions.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Call = tuple[str, dict[str, Any]]
Json = dict[str, Any]

FAILS = r"503 .*upstream=([\w-]+)"
WAITS = r"ERROR .* ([\w-]+) did not answer within"
STARVED = r"no connection from pool db/([\w-]+)"
BLOCKED = r"still waiting .*holder: process (\d+) \(([\w-]+)\)"
CHANGED = r"deploys ([\w-]+) \S+ -> (\S+) by \w+: (.+)"


@dataclass
class Reply:
    """What the model says next: text, and the tools it wants called."""

    text: str
    calls: list[Call] = field(default_factory=list[Call])


@dataclass
class Clues:
    """What has been asked, and what came of it."""

    asked: list[Call]
    results: list[Any]

    @classmethod
    def of(cls, messages: list[Json]) -> "Clues":
        """Gather them from *messages* in the chat-completions form."""
        turns: list[list[Json]] = [m.get("tool_calls") or [] for m in messages]
        made: list[Json] = [call["function"] for turn in turns for call in turn]
        told = [str(m["content"]) for m in messages if m["role"] == "tool"]
        return cls(
            [(call["name"], _decoded(call["arguments"])) for call in made],
            [_decoded(text) for text in told if not text.startswith("ERROR")],
        )

    def has_asked(self, tool: str, file: str | None = None) -> bool:
        """Say whether *tool* was called already, on *file*."""
        return any(name == tool and file in (None, args.get("file")) for name, args in self.asked)

    def find(self, pattern: str) -> re.Match[str] | None:
        """Give the first match of *pattern* among the lines that came."""
        return next((found for line in self._lines() if (found := _in(line, pattern))), None)

    def quote(self, *patterns: str) -> list[Json]:
        """Give the first line for each of *patterns*, in the order of their times."""
        firsts = (
            next((line for line in self._lines() if _in(line, pattern)), None)
            for pattern in patterns
        )
        return sorted((line for line in firsts if line), key=lambda line: str(line["text"]))

    def worst_log(self) -> str:
        """Give the file with the most errors."""
        logs: list[Json] = self.results[0]
        return str(max(logs, key=_badness)["file"])

    def onset(self) -> str:
        """Give the first minute in which there was more than a single error."""
        counts: list[dict[str, int]] = [r for r in self.results if _is_count(r)]
        counted = counts[0] if counts else {}
        return next((minute for minute, count in sorted(counted.items()) if count > 1), "00:00")

    def _lines(self) -> Iterator[Json]:
        for result in self.results:
            lines: list[Json] = result.get("lines", []) if hasattr(result, "get") else result
            yield from (line for line in lines if "text" in line)


def reply_to(messages: list[Json]) -> Reply:
    """Give what the model says after *messages*, in the chat-completions form."""
    clues = Clues.of(messages)
    for step in (_where, _since_when, _who_fails, _who_is_slow, _who_waits, _who_blocks):
        reply = step(clues)
        if reply is not None:
            return reply
    return Reply(json.dumps(_finding(clues)))


def _where(clues: Clues) -> Reply | None:
    if clues.has_asked("list_logs"):
        return None
    return Reply("I look at which logs there are.", [("list_logs", {})])


def _since_when(clues: Clues) -> Reply | None:
    if clues.has_asked("count_by_minute"):
        return None
    worst = clues.worst_log()
    counted: Json = {"file": worst, "pattern": " ERROR "}
    return Reply(
        f"{worst} has the most errors: since when, and which ones?",
        [
            ("count_by_minute", counted),
            ("search_logs", {"file": worst, "pattern": " ERROR .* 503 ", "limit": 3}),
        ],
    )


def _who_fails(clues: Clues) -> Reply | None:
    found = clues.find(FAILS)
    if found is None:
        return None
    told = f"Since {clues.onset()} calls to {found[1]} fail: what does it say itself?"
    return _look_into(found[1], told, clues)


def _who_is_slow(clues: Clues) -> Reply | None:
    found = clues.find(WAITS)
    if found is None:
        return None
    return _look_into(found[1], f"It waits for {found[1]}: why does that not answer?", clues)


def _who_waits(clues: Clues) -> Reply | None:
    found = clues.find(STARVED)
    if found is None or clues.has_asked("search_logs", "postgres.log"):
        return None
    wanted = {"file": "postgres.log", "pattern": rf"\({found[1]}\) still waiting", "limit": 3}
    return Reply(
        "Statements that do not end take all its connections: who makes them wait?",
        [("search_logs", wanted)],
    )


def _who_blocks(clues: Clues) -> Reply | None:
    found = clues.find(BLOCKED)
    if found is None or clues.has_asked("search_logs", "deploys.log"):
        return None
    process, service = found[1], found[2]
    opened = rf"process {process} .* open for"
    return Reply(
        f"Process {process}, {service}, holds the lock: what does it do, and was it changed?",
        [
            ("read_lines", {"file": f"{service}.log", "start": 1, "count": 20}),
            ("search_logs", {"file": "deploys.log", "pattern": re.escape(service)}),
            ("search_logs", {"file": "postgres.log", "pattern": opened, "limit": 2}),
        ],
    )


def _look_into(service: str, text: str, clues: Clues) -> Reply | None:
    file = f"{service}.log"
    if clues.has_asked("search_logs", file):
        return None
    hour, minute = (int(part) for part in clues.onset().split(":"))
    since = f"{hour:02}:{max(0, minute - 1):02}"
    wanted: Json = {"file": file, "pattern": "ERROR|WARN", "since": since, "limit": 8}
    return Reply(text, [("search_logs", wanted)])


def _finding(clues: Clues) -> Json:
    blocked, changed = clues.find(BLOCKED), clues.find(CHANGED)
    if blocked is None or changed is None:
        cause, then = (
            "Inconclusive: the trail ends here.",
            "Look further from the last line quoted.",
        )
    else:
        cause = (
            f"{changed[1]} {changed[2]} ({changed[3]}) keeps a transaction open that locks rows "
            "payments has to update. Payments runs out of database connections, checkout times "
            "out on payments, and the gateway answers 503."
        )
        then = (
            f"Stop the running {changed[1]} and roll it back from {changed[2]}; then let it commit "
            "each batch before it uploads it."
        )
    full = r"(\d+) of \1 connections in use"
    seen = clues.quote(
        CHANGED, r"in one transaction", r"open for \d+s", BLOCKED, full, STARVED, WAITS, FAILS
    )
    return {"root_cause": cause, "since": clues.onset(), "evidence": seen, "next_step": then}


def _badness(log: Json) -> tuple[int, int]:
    return int(log["errors"]), int(log["lines"])


def _is_count(result: Any) -> bool:
    return isinstance(result, dict) and "lines" not in result


def _in(line: Json, pattern: str) -> re.Match[str] | None:
    return re.search(pattern, str(line["text"]))


def _decoded(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return {}
