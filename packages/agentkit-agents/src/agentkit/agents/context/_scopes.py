"""Which part of a transcript somebody gets to see."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from agentkit.core.contracts.types import Message

__all__ = ["AllOf", "AnyOf", "ContextScope", "LastNTurns", "Not", "RoleFilter", "Since", "Tagged"]


class ContextScope(Protocol):
    """A choice among the messages of a transcript."""

    def chosen(self, messages: Sequence[Message]) -> set[int]:
        """Give the indexes of the messages that are seen."""
        ...


@dataclass(frozen=True, slots=True)
class LastNTurns:
    """The last *n* turns; a turn begins with a user message."""

    n: int

    def chosen(self, messages: Sequence[Message]) -> set[int]:
        """Give the indexes from the n-th last user message on."""
        if self.n <= 0:
            return set()
        starts = [i for i, message in enumerate(messages) if message.role == "user"]
        first = starts[-self.n] if len(starts) >= self.n else 0
        return set(range(first, len(messages)))


@dataclass(frozen=True, slots=True)
class RoleFilter:
    """Messages of some roles."""

    roles: frozenset[str]

    def chosen(self, messages: Sequence[Message]) -> set[int]:
        """Give the indexes of messages in these roles."""
        return {i for i, message in enumerate(messages) if message.role in self.roles}


@dataclass(frozen=True, slots=True)
class Tagged:
    """Messages that carry *tag* as their name."""

    tag: str

    def chosen(self, messages: Sequence[Message]) -> set[int]:
        """Give the indexes of messages so named."""
        return {i for i, message in enumerate(messages) if message.name == self.tag}


@dataclass(frozen=True, slots=True)
class Since:
    """Messages from index *start* on."""

    start: int

    def chosen(self, messages: Sequence[Message]) -> set[int]:
        """Give the indexes from there."""
        return set(range(max(0, self.start), len(messages)))


@dataclass(frozen=True, slots=True, init=False)
class AllOf:
    """What every one of *scopes* chooses."""

    scopes: tuple[ContextScope, ...]

    def __init__(self, *scopes: ContextScope) -> None:
        object.__setattr__(self, "scopes", scopes)

    def chosen(self, messages: Sequence[Message]) -> set[int]:
        """Give the indexes in all; all of them when there are no scopes."""
        return set(range(len(messages))).intersection(
            *(scope.chosen(messages) for scope in self.scopes)
        )


@dataclass(frozen=True, slots=True, init=False)
class AnyOf:
    """What at least one of *scopes* chooses."""

    scopes: tuple[ContextScope, ...]

    def __init__(self, *scopes: ContextScope) -> None:
        object.__setattr__(self, "scopes", scopes)

    def chosen(self, messages: Sequence[Message]) -> set[int]:
        """Give the indexes in any."""
        nothing: set[int] = set()
        return nothing.union(*(scope.chosen(messages) for scope in self.scopes))


@dataclass(frozen=True, slots=True)
class Not:
    """What *scope* does not choose."""

    scope: ContextScope

    def chosen(self, messages: Sequence[Message]) -> set[int]:
        """Give the other indexes."""
        return set(range(len(messages))) - self.scope.chosen(messages)
