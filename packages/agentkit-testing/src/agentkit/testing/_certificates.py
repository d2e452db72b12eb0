"""What a run found out about each adapter: a verdict to read, a certificate to keep."""

import platform
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import metadata
from typing import Any

__all__ = ["Declaration", "Finding", "Record", "declare", "distribution_of"]

KIT = "agentkit-testing"
_GAPS = ("lacks", "ignores")


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """What an adapter's class says before anything has run; plain data, it crosses processes."""

    adapter: str
    port: str
    version: str
    lacks: tuple[str, ...]
    ignores: tuple[str, ...]
    partial: tuple[str, ...]
    deviates: Mapping[str, str]
    required: tuple[str, ...]
    missing: Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """How one clause ended for one adapter, and on what; plain data, it crosses processes."""

    key: str
    clause: str
    outcome: str
    subject: str = ""
    backend: str = ""


@dataclass(slots=True)
class Record:
    """Everything a run knows about one adapter."""

    said: Declaration
    outcomes: dict[str, str] = field(default_factory=dict[str, str])
    subject: str = ""
    backend: str = ""

    def add(self, finding: Finding) -> None:
        """Take in how one more clause ended; what failed once has failed."""
        if self.outcomes.get(finding.clause) != "failed":
            self.outcomes[finding.clause] = finding.outcome
        self.subject = finding.subject or self.subject
        self.backend = finding.backend or self.backend

    @property
    def is_complete(self) -> bool:
        """Whether every clause asked of the adapter has been answered, either way."""
        return not self.unanswered

    @property
    def unanswered(self) -> list[str]:
        """The ids that did not run, or were skipped for a reason that is not the kit's."""
        return [id_ for id_ in self.said.required if self._outcome(id_) == "skipped"]

    @property
    def verdict(self) -> str:
        """One of *keeps*, *part of*, *fails*, *not judged*.

        Who deviates from more clauses than it keeps fails, whatever it declared.
        """
        if "failed" in self.outcomes.values():
            return "fails"
        if not self.is_complete or not self._kept:
            return "not judged"
        if self._count_of("deviates") > self._kept:
            return "fails"
        return "part of" if self.said.partial else "keeps"

    @property
    def line(self) -> str:
        """The verdict as the plugin prints it, after the adapter's name."""
        said, required = self.said, len(self.said.required)
        port = f"{said.port} {said.version}"
        if self.verdict == "fails":
            bad = [id_ for id_ in said.required if self._outcome(id_) in {"failed", "deviates"}]
            return f"FAILS {port}: {len(bad)} of {required} clauses ({', '.join(bad)})"
        if self.verdict == "not judged":
            ran = required - len(self.unanswered)
            return f"is not judged by {port}: {ran} of {required} clauses ran"
        return f"{self.verdict} {port}: {', '.join([f'{self._kept} clauses', *self._remarks()])}"

    def certificate(self) -> dict[str, Any]:
        """Give the record as JSON data."""
        said = self.said
        return {
            "adapter": said.adapter,
            "class": self.subject,
            "distribution": distribution_of(self.subject),
            "backend": self.backend,
            "port": said.port,
            "port_version": said.version,
            "kit": _version(KIT),
            "python": platform.python_version(),
            "verdict": self.verdict,
            "lacks": list(said.lacks),
            "ignores": list(said.ignores),
            "partial": list(said.partial),
            "deviates": dict(said.deviates),
            "clauses": {id_: self._outcome(id_) for id_ in said.required},
        }

    def _outcome(self, id_: str) -> str:
        return self.outcomes.get(id_, "skipped")

    @property
    def _kept(self) -> int:
        """How many clauses were tried and found kept; a refusal that was declared keeps one."""
        return self._count_of("kept") + self._count_of("refused")

    def _count_of(self, outcome: str) -> int:
        return sum(self._outcome(id_) == outcome for id_ in self.said.required)

    def _remarks(self) -> Iterable[str]:
        said, count = self.said, Counter(map(self._outcome, self.said.required))
        for verb, names in (("lacks", said.lacks), ("ignores", said.ignores)):
            if names:
                yield f"{verb} {' and '.join(names)}"
        if said.partial:
            yield f"{count['left out']} left out (no {', '.join(said.partial)})"
        if missing := self._missing():
            yield f"{count['unexercised']} unexercised (no {', '.join(missing)})"
        if said.deviates:
            yield f"deviates from {', '.join(said.deviates)}"

    def _missing(self) -> list[str]:
        idle = {id_ for id_ in self.said.required if self._outcome(id_) == "unexercised"}
        missing = self.said.missing.items()
        return sorted({name for id_, names in missing if id_ in idle for name in names})


def declare(suite: Any, *, variant: str = "") -> Declaration:
    """Give what the class *suite* says of its adapter; *variant* is a parameter of the fixture."""
    name = suite.__name__.removeprefix("Test")
    return Declaration(
        adapter=f"{name}[{variant}]" if variant else name,
        port=suite.port,
        version=suite.version,
        lacks=tuple(sorted(suite.lacks)),
        ignores=tuple(sorted(suite.ignores)),
        partial=tuple(sorted(suite.partial)),
        deviates=dict(suite.deviates),
        required=tuple(suite.required()),
        missing={
            id_: names for id_, clause in suite.clauses.items() if (names := suite.missing(clause))
        },
    )


@cache
def distribution_of(qualified: str) -> str:
    """Give the distribution and version that most likely hold the class *qualified*, or "".

    A distribution is looked for by the longest part of the module's name, since several may share a
    namespace; then by the files it has installed.
    """
    parts = qualified.split(".")
    by_name = ["-".join(parts[:n]) for n in range(len(parts) - 1, 0, -1)]
    by_file: list[str] = metadata.packages_distributions().get(parts[0]) or []
    known = (_version(name) for name in [*by_name, *by_file])
    return next((each for each in known if each), "")


def _version(distribution: str) -> str:
    try:
        found = metadata.distribution(distribution)
    except (metadata.PackageNotFoundError, ValueError):  # ValueError: an empty name
        return ""
    return f"{found.name} {found.version}"  # as it calls itself, not as it was found
