"""Clauses: laws of stores, tried on many cases; and histories of many callers at once."""

import asyncio
import itertools
import random
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

from agentkit.core.contracts.ports import StorePort
from agentkit.core.contracts.store_rules import encode_value
from agentkit.testing.suites._clause import Feature, clause
from agentkit.testing.suites._laws import EXTRA, for_all, json_lists, json_values
from agentkit.testing.suites._laws import keys as key_endings
from agentkit.testing.suites._linear import Call, History, Impossible, is_linearizable
from agentkit.testing.suites._samples import MAX, same
from agentkit.testing.suites._steps import keys
from agentkit.testing.suites._store_model import (
    Operation,
    StoreModel,
    operations,
    perform,
    timed_operations,
)
from agentkit.testing.suites._suite import Suite

__all__ = ["LawClauses", "LinearClauses"]

Plan = list[tuple[str, tuple[Any, ...]]]

SEEDS = range(12)
CALLERS = 4
CALLS = 4


class LawClauses(Suite):
    """What holds for any value, any key, and any sequence of calls."""

    @cached_property
    def spaces(self) -> Any:
        """Prefixes of keys, a fresh one for each case."""
        return (f"{self.key}:{n}:" for n in itertools.count())

    async def follows_the_model(self, store: StorePort, done: Sequence[Operation]) -> None:
        """Check that a store gives what the model gives, operation by operation."""
        model, space = StoreModel(), next(self.spaces)
        for operation in done:
            wanted = model.perform(operation)
            if operation[0] == "advance":
                await self.advance(operation[1])
                continue
            assert same(await perform(store, space, operation), wanted), operation

    @clause("STORE-LAW-01", since="1.0", extra=EXTRA)
    async def any_value_is_read_back(self, store: StorePort) -> None:
        async def law(value: Any) -> None:
            await store.set(self.key, value)
            assert same(await store.get(self.key), value)

        await for_all(json_lists, law)

    @clause("STORE-LAW-02", since="1.0", extra=EXTRA)
    async def any_entries_are_listed_in_order(self, store: StorePort) -> None:
        async def law(entries: list[Any]) -> None:
            log = next(self.spaces)
            for entry in entries:
                await store.append(log, entry)
            assert same(await store.list(log), entries)

        await for_all(json_lists, law)

    @clause("STORE-LAW-03", since="1.0", extra=EXTRA)
    async def values_are_equal_as_their_canonical_json_is(self, store: StorePort) -> None:
        async def law(pair: tuple[Any, Any]) -> None:
            stored, expected = pair
            await store.set(self.key, stored)
            is_equal = encode_value(stored) == encode_value(expected)
            assert await store.compare_and_set(self.key, expected, "new") is is_equal

        await for_all(lambda st: _pairs(st, json_values(st)), law, after=_ALIKE)

    @clause("STORE-LAW-04", since="1.0", extra=EXTRA)
    async def a_scan_gives_what_begins_so(self, store: StorePort) -> None:
        async def law(case: tuple[set[str], str]) -> None:
            names, prefix = case
            space = next(self.spaces)
            for name in names:
                await store.set(space + name, name)
            wanted = sorted(space + name for name in names if name.startswith(prefix))
            assert await keys(store, space + prefix) == wanted

        await for_all(_names_and_a_prefix, law, after=_PATTERNS)

    @clause("STORE-LAW-05", since="1.0", extra=EXTRA)
    async def a_counter_is_the_sum_of_its_increments(self, store: StorePort) -> None:
        async def law(amounts: list[int]) -> None:
            counter = next(self.spaces)
            totals = [await store.increment(counter, amount) for amount in amounts]
            assert same(totals, list(itertools.accumulate(amounts)))

        bounds = (-MAX // 8, MAX // 8)
        await for_all(lambda st: st.lists(st.integers(*bounds), max_size=8), law)

    @clause("STORE-LAW-06", since="1.0", extra=EXTRA)
    async def any_calls_give_what_a_model_gives(self, store: StorePort) -> None:
        async def law(done: list[Operation]) -> None:
            await self.follows_the_model(store, done)

        await for_all(operations, law, at=80)

    @clause("STORE-LAW-07", since="1.0", extra=EXTRA, needs=Feature.TTL, hook="advance")
    async def any_calls_in_time_give_what_a_model_gives(self, store: StorePort) -> None:
        async def law(done: list[Operation]) -> None:
            await self.follows_the_model(store, done)

        await for_all(timed_operations, law, at=80)


class LinearClauses(Suite):
    """What callers at once are given can have been given one after the other."""

    async def tries(
        self, stores: Sequence[StorePort], plan: Callable[[random.Random], Plan], step: Any
    ) -> None:
        """Check histories of several callers of two instances, on a key of their own each."""
        for seed in SEEDS:
            dice, key, history = random.Random(seed), f"{self.key}:{seed}", History()  # noqa: S311 - fixed on purpose
            plans = [plan(dice) for _ in range(CALLERS)]
            each = zip(itertools.cycle(stores), plans, strict=False)
            await asyncio.gather(*(_follow(history, _calls(s, key), p) for s, p in each))
            assert is_linearizable(history.calls, step, initial=_NOTHING), history.calls

    @clause("STORE-LINEAR-01", since="1.0")
    async def swaps_at_once_are_as_if_one_by_one(self, one: StorePort, other: StorePort) -> None:
        await self.tries((one, other), _swapping, _value_after)

    @clause("STORE-LINEAR-02", since="1.0")
    async def counts_at_once_are_as_if_one_by_one(self, one: StorePort, other: StorePort) -> None:
        await self.tries((one, other), _counting, _value_after)

    @clause("STORE-LINEAR-03", since="1.0")
    async def entries_at_once_are_as_if_one_by_one(self, one: StorePort, other: StorePort) -> None:
        await self.tries((one, other), _logging, _log_after)


_ALIKE: list[tuple[Any, Any]] = [
    *((1, True), (1, 1.0), (0, False), ([], {}), ("1", 1), (None, 0)),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
]
_PATTERNS = [({"a", "A", "é"}, "a"), ({"%a", "aa"}, "%"), ({"_a", "aa"}, "_"), ({"*", "a"}, "*")]
_NOTHING = "null"
_EMPTY = "[]"


async def _follow(history: History, calls: Mapping[str, Callable[..., Any]], plan: Plan) -> None:
    for verb, args in plan:
        await history.call(verb, *args, by=calls[verb])


def _calls(store: StorePort, key: str) -> dict[str, Callable[..., Any]]:
    """Give the verbs of *store*, each on *key*."""
    verbs = ("get", "set", "delete", "compare_and_set", "increment", "append", "list")
    return {verb: partial(getattr(store, verb), key) for verb in verbs}


def _swapping(dice: random.Random) -> Plan:
    kinds: list[Callable[[], tuple[str, tuple[Any, ...]]]] = [
        lambda: ("get", ()),
        lambda: ("set", (dice.randrange(3),)),
        lambda: ("delete", ()),
        lambda: ("compare_and_set", (dice.choice((None, 0, 1, 2)), dice.randrange(3))),
        lambda: ("compare_and_set", (dice.choice((None, 0, 1, 2)), dice.randrange(3))),
    ]
    return [dice.choice(kinds)() for _ in range(CALLS)]


def _counting(dice: random.Random) -> Plan:
    kinds: list[Callable[[], tuple[str, tuple[Any, ...]]]] = [
        lambda: ("increment", (dice.choice((1, 2, -1)),)),
        lambda: ("increment", (dice.choice((1, 2, -1)),)),
        lambda: ("get", ()),
        lambda: ("compare_and_set", (dice.choice((None, 1, 2)), 5)),
    ]
    return [dice.choice(kinds)() for _ in range(CALLS)]


def _logging(dice: random.Random) -> Plan:
    return [
        ("append", (dice.randrange(9),)) if dice.random() < 0.6 else ("list", ())
        for _ in range(CALLS)
    ]


def _value_after(state: str, call: Call) -> str:
    """Give the value, as JSON, after *call*."""
    model = StoreModel()
    if state != _NOTHING:
        model.set("k", int(state), None)
    ttl = () if call.verb in {"get", "delete"} else (None,)
    if not same(model.perform((call.verb, "k", *call.args, *ttl)), call.result):
        raise Impossible
    return encode_value(model.get("k"))


def _log_after(state: str, call: Call) -> str:
    """Give the log, as JSON, after *call*."""
    entries = _EMPTY if state == _NOTHING else state
    if call.verb == "append":
        separator = "," if entries != _EMPTY else ""
        return f"{entries[:-1]}{separator}{encode_value(call.args[0])}]"
    if encode_value(call.result) != entries:
        raise Impossible
    return entries


def _pairs(st: Any, values: Any) -> Any:
    """Draw pairs of values, of which many are equal or look so."""
    return st.tuples(values, values) | values.map(_twice) | st.sampled_from(_ALIKE)


def _twice(value: Any) -> tuple[Any, Any]:
    return value, value


def _names_and_a_prefix(st: Any) -> Any:
    return st.tuples(st.sets(key_endings(st), max_size=8), st.just("") | key_endings(st))
