"""Showing a run while it happens: live in a terminal, as plain lines anywhere else."""

import json
import os
import time
from collections.abc import Mapping
from typing import Any, TextIO

from agentkit.core.contracts.types import StreamEvent

WIDEST = 96


class Display:
    """Writes the events of a run to *out*."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._live = out.isatty() and os.environ.get("TERM") != "dumb"
        self._colors = self._live and not os.environ.get("NO_COLOR")
        self._began = time.monotonic()
        self._step = 1
        self._said = ""
        self._shown = 0

    def show(self, event: StreamEvent) -> None:
        """Write what *event* tells."""
        if event.type == "message_delta":
            self._delta(event)
            return
        self._end_of_message()
        if event.type == "tool_call":
            call = event.tool_call
            self._line(f"  -> {call.name}({_arguments(call.arguments)})", style="36")
        elif event.type == "tool_result":
            style = "31" if event.tool_result.is_error else "2"
            self._line(f"  <- {event.tool_call.name}: {_summary(event.text)}", style=style)
        elif event.type == "step":
            self._line(f"step {self._step} done, {self.elapsed():.1f} s", style="32")
            self._step += 1

    def elapsed(self) -> float:
        """Give the seconds since the display was made."""
        return time.monotonic() - self._began

    def _delta(self, event: StreamEvent) -> None:
        self._said += event.text
        partial = event.partial_output
        text = self._said if _is_prose(self._said) else getattr(partial, "root_cause", "")
        if self._live and len(text) > self._shown:
            self._out.write(printable(text[self._shown :]))
            self._out.flush()
            self._shown = len(text)

    def _end_of_message(self) -> None:
        if self._live and self._shown:
            self._out.write("\n")
        elif self._said and _is_prose(self._said):
            self._line(self._said)
        self._said, self._shown = "", 0

    def _line(self, text: str, *, style: str = "0") -> None:
        told = printable(text)
        self._out.write(f"\033[{style}m{told}\033[0m\n" if self._colors else f"{told}\n")
        self._out.flush()


def printable(text: str) -> str:
    """Give *text* without what would command the terminal: a provider's words are not ours."""
    return "".join(c if c == "\n" or c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def _is_prose(text: str) -> bool:
    """Say whether *text* is for people: what begins like JSON is the typed answer."""
    return not text.lstrip().startswith(("{", "```"))


def _arguments(arguments: Mapping[str, Any]) -> str:
    return _cut(", ".join(f"{name}={json.dumps(value)}" for name, value in arguments.items()))


def _summary(text: str) -> str:
    try:
        found: Any = json.loads(text)
    except ValueError:
        return _cut(text)
    if "matches" in found:
        first: str = found["lines"][0]["text"] if found["lines"] else "none"
        return _cut(f"{found['matches']} lines, {first}")
    return f"{len(found)} entries" if text.startswith("[") else _cut(text)


def _cut(text: str) -> str:
    return text if len(text) <= WIDEST else f"{text[: WIDEST - 1]}\u2026"
