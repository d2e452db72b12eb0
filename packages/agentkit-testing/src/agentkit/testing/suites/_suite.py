"""What every suite is made of: its clauses, what an adapter says about itself, and its hooks."""

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import AsyncExitStack
from functools import cached_property
from importlib.util import find_spec
from typing import Any, ClassVar
from uuid import uuid4

import pytest

from agentkit.testing.suites._clause import (
    Clause,
    Feature,
    Outcome,
    clause_of,
    hook,
    is_defined,
)
from agentkit.testing.suites._judging import LeftOut, Opener, in_a_loop, leaves, opener

__all__ = ["Suite"]


# What an adapter's class may say in the place of the suite, or is given when it is made.
_ADAPTERS_OWN = frozenset(
    {"adapter", "patience", "backend", "clauses", "lacks", "ignores", "partial", "deviates"}
)


class Suite:
    """Base of the suites.

    What an adapter does not do is said in its class line: the features it *lacks* (it must refuse
    them) or *ignores* (it must warn), the verbs without which it is *partial*, the clauses from
    which it *deviates* and why. TypeError when the class is made: a clause is overridden or added,
    what runs the clauses is overridden, an id, verb or feature is not this suite's, a feature is
    both lacked and ignored, or the adapter is partial in every verb.
    """

    port: ClassVar[str]
    version: ClassVar[str]
    features: ClassVar[frozenset[Feature]] = frozenset()
    verbs: ClassVar[frozenset[str]] = frozenset()

    lacks: ClassVar[frozenset[Feature]] = frozenset()
    ignores: ClassVar[frozenset[Feature]] = frozenset()
    partial: ClassVar[frozenset[str]] = frozenset()
    deviates: ClassVar[Mapping[str, str]] = {}
    clauses: ClassVar[Mapping[str, Clause]] = {}

    patience: float = 60.0
    """Seconds after which a clause is said to hang."""

    outcome: Outcome = Outcome.KEPT
    backend: ClassVar[str] = ""
    subject: type | None = None

    def __init_subclass__(
        cls,
        *,
        lacks: Iterable[Feature] = (),
        ignores: Iterable[Feature] = (),
        partial: Iterable[str] = (),
        deviates: Mapping[str, str] | None = None,
    ) -> None:
        super().__init_subclass__()
        inherited = _inherited(cls)
        cls.clauses = _clauses(cls)
        cls.lacks = cls.lacks | frozenset(lacks)
        cls.ignores = cls.ignores | frozenset(ignores)
        cls.partial = cls.partial | frozenset(partial)
        cls.deviates = {**cls.deviates, **(deviates or {})}
        if hasattr(cls, "port"):
            _check_declaration(cls)
        if inherited is not None:
            _check_unchanged(cls, inherited)
            _check_machinery(cls, inherited)

    @pytest.fixture
    def adapter(self) -> Opener:
        """The adapter under test: a callable that opens one more instance on the same backend."""
        raise pytest.UsageError(f"{type(self).__name__} must define the `adapter` fixture")

    @hook
    async def advance(self, seconds: float) -> None:
        """Let *seconds* pass for the backend. By default it waits; override it for virtual time."""
        await asyncio.sleep(seconds)

    @hook
    def other_namespace(self) -> Any:
        """Give a callable like the fixture's, on the same backend under another namespace."""
        raise NotImplementedError

    @hook
    async def break_connection(self) -> None:
        """Cut every open instance off from its backend until `restore`."""
        raise NotImplementedError

    @hook
    async def restore(self) -> None:
        """Let the instances reach their backend again."""
        raise NotImplementedError

    @hook
    async def backend_version(self) -> str:
        """Say what the adapter runs on, for the certificate: `PostgreSQL 18.1`."""
        return ""

    @cached_property
    def key(self) -> str:
        """A name no other case uses, so that cases can share a backend."""
        return f"case-{uuid4().hex[:12]}"

    @classmethod
    def applies(cls, clause: Clause) -> bool:
        """Whether *clause* is asked of this adapter: what it ignores has clauses of its own."""
        return (
            clause.needs not in cls.ignores
            and (clause.lacks is None or clause.lacks in cls.lacks)
            and (clause.ignores is None or clause.ignores in cls.ignores)
        )

    @classmethod
    def required(cls) -> list[str]:
        """Give the ids that a certificate of this adapter must answer for."""
        return [id_ for id_, clause in cls.clauses.items() if cls.applies(clause)]

    @classmethod
    def has_hook(cls, name: str) -> bool:
        """Whether the adapter's class defines the hook *name*."""
        return is_defined(getattr(cls, name))

    @classmethod
    def missing(cls, clause: Clause) -> list[str]:
        """Give the hooks and the extra of the kit without which *clause* cannot be tried."""
        hooks = [name for name in clause.hooks if not cls.has_hook(name)]
        is_there = clause.extra is None or find_spec(clause.extra) is not None
        return hooks if is_there else [*hooks, f"{clause.extra} installed"]

    def sibling(self) -> Opener:
        """Give `other_namespace` as clauses use it: without the verbs that the adapter lacks."""
        return opener(self.other_namespace(), seen=self._see, without=self.partial)

    def judge(self, clause: Clause, adapter: object, /) -> None:
        """Try *clause* on *adapter*: return if it holds, raise what shows that it does not.

        A clause that cannot be tried is skipped, and `outcome` says why.
        """
        __tracebackhide__ = True
        if missing := self.missing(clause):
            self._skip(Outcome.UNEXERCISED, f"no {', '.join(missing)}")
        if clause.needs in self.lacks:
            self._judge_refusal(clause, adapter)
            return
        try:
            self._run(clause, adapter)
        except BaseException as exc:
            verbs = {leaf.verb for leaf in leaves(exc) if isinstance(leaf, LeftOut)}
            if not verbs or not verbs <= self.partial:
                raise
        else:
            return
        self._skip(Outcome.LEFT_OUT, f"no {', '.join(sorted(verbs))}")

    def _judge_refusal(self, clause: Clause, adapter: object) -> None:
        __tracebackhide__ = True
        try:
            self._run(clause, adapter)
        except Exception as exc:  # whatever the adapter raised; all but refusals leave
            if not all(isinstance(leaf, NotImplementedError) for leaf in leaves(exc)):
                raise
            self.outcome = Outcome.REFUSED
            return
        raise AssertionError(
            f"an adapter that lacks {clause.needs} must refuse it with NotImplementedError; "
            "this one went through with every step"
        )

    def _run(self, clause: Clause, adapter: object) -> None:
        __tracebackhide__ = True
        opens = opener(adapter, seen=self._see, without=self.partial)
        in_a_loop(self._perform(clause, opens), patience=self.patience)

    async def _perform(self, clause: Clause, opens: Opener) -> None:
        __tracebackhide__ = True
        if not self.backend and self.has_hook("backend_version"):
            type(self).backend = await self.backend_version()
        async with AsyncExitStack() as stack:
            arguments = [
                opens if name == "adapter" else await stack.enter_async_context(opens())
                for name in clause.takes
            ]
            await clause.body(self, *arguments)

    def _see(self, instance: object) -> None:
        self.subject = type(instance)

    def _skip(self, outcome: Outcome, reason: str) -> None:
        self.outcome = outcome
        pytest.skip(f"{outcome}: {reason}")


def _inherited(cls: type[Suite]) -> type[Suite] | None:
    """Give the suite that *cls* applies, or None if *cls* is a suite or a part of one."""
    if "port" in vars(cls) and not any("port" in vars(base) for base in cls.__mro__[1:]):
        return None
    bases = (base for base in cls.__mro__[1:] if "port" in vars(base) and issubclass(base, Suite))
    return next(bases, None)


def _clauses(cls: type[Suite]) -> dict[str, Clause]:
    found: dict[str, Clause] = {}
    for base in reversed(cls.__mro__):
        for clause in filter(None, map(clause_of, vars(base).values())):
            if found.setdefault(clause.id, clause) is not clause:
                raise TypeError(f"{cls.__name__} has two clauses {clause.id}")
            if clause_of(getattr(cls, clause.name)) is not clause:
                raise TypeError(
                    f"{cls.__name__} overrides {clause.id} ({clause.name}): say `deviates=` instead"
                )
    return found


def _check_declaration(cls: type[Suite]) -> None:
    if foreign := (cls.lacks | cls.ignores) - cls.features:
        raise TypeError(f"{cls.__name__} names features that {cls.port} has not: {_list(foreign)}")
    if both := cls.lacks & cls.ignores:
        raise TypeError(f"{cls.__name__} both lacks and ignores {_list(both)}")
    if cls.partial and cls.partial == cls.verbs:
        raise TypeError(f"{cls.__name__} is partial in every verb: that is no {cls.port}")
    if unknown := cls.partial - cls.verbs:
        raise TypeError(f"{cls.__name__} is partial in no verb of {cls.port}: {_list(unknown)}")
    if strange := cls.deviates.keys() - set(cls.required()):
        raise TypeError(f"{cls.__name__} deviates from no clause asked of it: {_list(strange)}")


def _check_unchanged(cls: type[Suite], suite: type[Suite]) -> None:
    if added := cls.clauses.keys() - suite.clauses.keys():
        raise TypeError(
            f"{cls.__name__} adds {_list(added)} to {suite.__name__}: a clause is the suite's; "
            "write a test of your own instead"
        )


def _check_machinery(cls: type[Suite], suite: type[Suite]) -> None:
    """Check that an adapter's class brings hooks and names of its own, and judges nothing."""
    own = {name for base in cls.__mro__ if base not in suite.__mro__ for name in vars(base)}
    theirs = {name for base in suite.__mro__ for name in vars(base) if not name.startswith("__")}
    hooks = {name for name in theirs if not is_defined(getattr(suite, name))}
    if changed := (own & theirs) - hooks - _ADAPTERS_OWN:
        raise TypeError(
            f"{cls.__name__} overrides {_list(changed)} of {suite.__name__}: the kit runs and "
            "judges its clauses; an adapter's class defines the fixture, hooks and names of its own"
        )


def _list(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
