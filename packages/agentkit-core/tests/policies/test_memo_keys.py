"""Which calls share an entry of `memoize()`, and which never do."""

from collections.abc import Callable
from functools import partial
from typing import Any, cast

import pytest

from agentkit.core.contracts.middleware import Call, restream
from agentkit.core.contracts.types import LLMResult, Scope
from agentkit.core.policies import memoize, output_coerce
from agentkit.core.policies._memo_keys import space_of
from agentkit.core.testing import JsonStore, make_test_ctx

from .drive import Terminal, chat, run, run_each, tool


def in_store(store: Any, **wired: Any) -> Any:
    return make_test_ctx(store=store, **wired)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Scope("a:dom1", 2), Scope("a", "1:dom2")),
        (Scope(None), Scope("None")),
        (Scope(1), Scope("1")),
    ],
)
def test_tenants_never_share_an_entry(one: Scope, other: Scope) -> None:
    store, end = JsonStore(), Terminal([1])
    for scope in (one, other):
        run(memoize(key=lambda _: "same"), end, tool(ctx=in_store(store, scope=scope)))

    assert end.calls == 2


def test_keys_of_ones_own_do_not_meet() -> None:
    def by_host(_: Any) -> str:
        return "same"

    def by_path(_: Any) -> str:
        return "same"

    store, end = JsonStore(), Terminal([1])
    for key in (by_host, by_path, by_host):
        run(memoize(key=key), end, tool(ctx=in_store(store)))
    assert end.calls == 2


def same(_given: int, _: Call) -> str:
    return "same"


def by(*fields: str, default: str = "") -> Callable[[Call], str]:
    return lambda call: default + str([getattr(call.request, field) for field in fields])


class Keys:
    def of(self, _: Call) -> str:
        return "same"

    def __call__(self, _: Call) -> str:
        return "same"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (by("temperature"), by("max_tokens")),
        (by("seed", default="a"), by("seed", default="b")),
        (partial(same, 1), partial(same, 2)),
    ],
    ids=["captured", "captured texts", "partial"],
)
def test_what_a_key_has_captured_keeps_its_entries_apart(one: Any, other: Any) -> None:
    spaces = [space_of(key, "") for key in (one, other, one)]

    assert spaces[0] == spaces[2] != spaces[1]


@pytest.mark.parametrize(
    "key", [Keys().of, Keys(), partial(Keys().of), by(cast("Any", object()))], ids=repr
)
def test_a_key_that_cannot_be_told_from_another_wants_a_namespace(key: Any) -> None:
    memoize(key=key, namespace="mine")

    with pytest.raises(ValueError, match="namespace="):
        memoize(key=key)


@pytest.mark.parametrize("made", ["x" * 1025, "a\0b"], ids=["long", "NUL"])
def test_a_key_that_no_store_takes_leaves_the_call_uncached(made: str) -> None:
    end, call = Terminal([1]), tool(ctx=in_store(JsonStore()))

    with pytest.warns(UserWarning, match="a key must"):
        assert run(memoize(key=lambda _: made, namespace="n"), end, call) == [1]
    assert call.meta["cache_stored"] is False


def test_outside_of_output_coerce_each_declared_type_has_its_own_entry() -> None:
    ctx, end = in_store(JsonStore()), Terminal([restream(LLMResult("1"))])
    policies, declared = [memoize(), output_coerce()], (Whole(), Text(), None, Whole())
    calls = [chat(ctx=ctx, meta={"output_adapter": kind} if kind else {}) for kind in declared]
    parsed = [items[0].parsed for items in run_each(policies, end, calls)]

    assert (parsed, end.calls) == ([1, "1", None, 1], 3)


class Whole:
    python_type = int

    def json_schema(self) -> dict[str, Any]:
        return {}

    def parse(self, text: str) -> Any:
        return self.python_type(text)

    def partial_parse(self, text: str) -> Any:
        return None


class Text(Whole):
    python_type = str  # type: ignore[assignment]


def test_a_key_of_ones_own_is_apart_for_chats_and_for_tools() -> None:
    store = JsonStore()
    policy = memoize(key=lambda _: "same", namespace="mine")
    run(policy, Terminal([1]), tool(ctx=in_store(store)))

    assert (
        run(policy, Terminal([restream(LLMResult("text"))]), chat(ctx=in_store(store)))[0].text
        == "text"
    )


def test_a_key_that_is_no_text_is_no_key() -> None:
    def bad(_: Any) -> Any:
        return 7

    with pytest.warns(UserWarning, match="is a str; got 7"):
        run(memoize(key=bad, store=JsonStore()), Terminal([1]), tool())
