"""The working context: prefix, transcript and scratchpad of one run."""

import asyncio
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self

from agentkit.agents.context._prefix import PrefixContext
from agentkit.agents.context._scopes import ContextScope
from agentkit.agents.context._tokens import ApproxTokenCounter, TokenCounter
from agentkit.core.contracts.types import Message
from agentkit.core.serialization import FrozenDict, deep_freeze

__all__ = ["ContextDiff", "FrozenContext", "Mutation", "MutationJournal", "WorkingContext"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """One change of a context: what was done, and to what."""

    operation: str
    subject: str = ""


@dataclass(slots=True)
class MutationJournal:
    """The changes of a context, in order."""

    entries: list[Mutation] = field(default_factory=list[Mutation])

    def record(self, operation: str, subject: str = "") -> None:
        """Add a change."""
        self.entries.append(Mutation(operation=operation, subject=subject))


@dataclass(frozen=True, slots=True)
class ContextDiff:
    """What another context has that this one has not, and the reverse."""

    added: tuple[Message, ...] = ()
    removed: tuple[Message, ...] = ()
    scratchpad_changes: dict[str, Any] = field(default_factory=FrozenDict[str, Any])

    def __post_init__(self) -> None:
        object.__setattr__(self, "scratchpad_changes", deep_freeze(self.scratchpad_changes))

    def __hash__(self) -> int:
        return hash((self.added, self.removed))


@dataclass(frozen=True, slots=True)
class FrozenContext:
    """A context as it was: nothing in it changes with the context it was taken from."""

    prefix: PrefixContext
    messages: tuple[Message, ...]
    scratchpad: dict[str, Any] = field(default_factory=FrozenDict[str, Any])

    def __post_init__(self) -> None:
        object.__setattr__(self, "messages", tuple(self.messages))
        object.__setattr__(self, "scratchpad", deep_freeze(self.scratchpad))

    def __hash__(self) -> int:
        return hash((self.prefix, self.messages, tuple(self.scratchpad)))


@dataclass(slots=True)
class WorkingContext:
    """What one run knows: a fixed prefix, a growing tail of messages, a scratchpad.

    `limit` is the most tokens it should take, for whoever shortens it. A `shared` context has its
    forks write to the one scratchpad; use `apply_locked` there.
    """

    prefix: PrefixContext = field(default_factory=PrefixContext)
    messages: list[Message] = field(default_factory=list[Message])
    scratchpad: dict[str, Any] = field(default_factory=dict[str, Any])
    journal: MutationJournal = field(default_factory=MutationJournal)
    token_counter: TokenCounter = field(default_factory=ApproxTokenCounter)
    limit: int | None = None
    shared: bool = field(default=False, kw_only=True)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock, init=False, repr=False, compare=False)

    @property
    def lock(self) -> asyncio.Lock:
        """What `apply_locked` holds."""
        return self._lock

    def append(self, message: Message) -> Self:
        """Add *message* to the tail."""
        self.messages.append(message)
        self.journal.record("append", message.role)
        return self

    def extend(self, messages: Iterable[Message]) -> Self:
        """Add *messages* to the tail."""
        for message in messages:
            self.append(message)
        return self

    def clear_messages(self) -> Self:
        """Empty the tail."""
        self.messages.clear()
        self.journal.record("clear")
        return self

    def note(self, key: str, value: Any) -> Self:
        """Put *value* on the scratchpad."""
        self.scratchpad[key] = value
        self.journal.record("note", key)
        return self

    def get(self, key: str, default: Any = None) -> Any:
        """Give what the scratchpad has under *key*."""
        return self.scratchpad.get(key, default)

    def update_scratchpad(self, values: Mapping[str, Any]) -> Self:
        """Put all of *values* on the scratchpad."""
        for key, value in values.items():
            self.note(key, value)
        return self

    async def apply_locked(self, fn: Callable[["WorkingContext"], Any]) -> Any:
        """Give what *fn*, sync or async, does with the context while nobody else does."""
        async with self._lock:
            result = fn(self)
            return await result if inspect.isawaitable(result) else result

    def fork(self) -> "WorkingContext":
        """Give a context that begins as this one and goes its own way."""
        scratchpad = self.scratchpad if self.shared else dict(self.scratchpad)
        return self._with(list(self.messages), scratchpad)

    def merge(
        self, other: "WorkingContext", *, mode: Literal["concat", "union"] = "concat"
    ) -> Self:
        """Take over the messages and notes of *other*; `union` leaves out messages it has already.

        Raises:
            ValueError: *mode* is neither.

        """
        if mode not in ("concat", "union"):
            raise ValueError(f"a merge is 'concat' or 'union'; got {mode!r}")
        known: set[Message] = set(self.messages) if mode == "union" else set()
        for message in list(other.messages):
            if message not in known:
                self.append(message)
            if mode == "union":
                known.add(message)
        return self.update_scratchpad(dict(other.scratchpad))

    def slice(self, scope: ContextScope) -> "WorkingContext":
        """Give a fork with only the messages that *scope* chooses."""
        chosen = scope.chosen(self.messages)
        kept = [message for i, message in enumerate(self.messages) if i in chosen]
        return self._with(kept, dict(self.scratchpad))

    def diff(self, other: "WorkingContext") -> ContextDiff:
        """Give what changes from this context to *other*; a note that is gone changes to None."""
        mine, theirs = set(self.messages), set(other.messages)
        notes = {
            key: other.scratchpad.get(key)
            for key in {**self.scratchpad, **other.scratchpad}
            if self.scratchpad.get(key) != other.scratchpad.get(key)
        }
        return ContextDiff(
            added=tuple(message for message in other.messages if message not in mine),
            removed=tuple(message for message in self.messages if message not in theirs),
            scratchpad_changes=notes,
        )

    def freeze(self) -> FrozenContext:
        """Give the context as it is now."""
        return FrozenContext(self.prefix, tuple(self.messages), self.scratchpad)

    def assembled(self) -> list[Message]:
        """Give what is sent: the prefix, then the tail."""
        return [*self.prefix.as_messages(), *self.messages]

    def size(self) -> int:
        """Give the number of messages in the tail."""
        return len(self.messages)

    async def tokens(self) -> int:
        """Give the tokens of what is sent, as the counter counts them."""
        return self.token_counter.count(self.assembled())

    async def is_over_limit(self) -> bool:
        """Say whether it takes more tokens than its limit."""
        return self.limit is not None and await self.tokens() > self.limit

    def _with(self, messages: list[Message], scratchpad: dict[str, Any]) -> "WorkingContext":
        return WorkingContext(
            self.prefix,
            messages,
            scratchpad,
            MutationJournal(),
            self.token_counter,
            self.limit,
            shared=self.shared,
        )
