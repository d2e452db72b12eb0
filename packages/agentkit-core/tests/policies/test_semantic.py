"""What counts as the same question."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from agentkit.core.contracts.content import TextBlock, ThinkingBlock
from agentkit.core.contracts.errors import Cancelled
from agentkit.core.contracts.types import Chunk, Delta, Message, Scope, ToolCall, Usage
from agentkit.core.execution import CancellationToken
from agentkit.core.policies import meter, semantic_memoize
from agentkit.core.testing import FakeClock, make_test_ctx

from .drive import ANSWER, Terminal, chat, leave, run, run_each, text_of


class Words:
    """A vector index in which texts with the same first word mean the same."""

    def __init__(self) -> None:
        self.chunks: list[tuple[Scope, Chunk]] = []

    async def upsert(self, scope: Scope, chunks: Sequence[Chunk]) -> None:
        self.chunks += [(scope, chunk) for chunk in chunks]

    async def search(self, scope: Scope, query: str, *rest: Any) -> list[tuple[float, Chunk]]:
        where: Mapping[str, Any] = rest[1]
        found = [c for s, c in self.chunks if s == scope and where.items() <= c.metadata.items()]
        return [(0.9 if c.text.split()[0] == query.split(maxsplit=1)[0] else 0.1, c) for c in found]


@dataclass(frozen=True)
class Plan:
    """A typed output."""


def on(vector: Any, **wired: Any) -> Any:
    return make_test_ctx(vector=vector, clock=FakeClock(), **wired)


def test_other_words_for_the_same_question_get_the_same_answer() -> None:
    ctx, end = on(Words()), Terminal()
    run(semantic_memoize(), end, chat("weather today?", ctx=ctx))
    call = chat("weather now?", ctx=ctx)
    (hit,) = run(semantic_memoize(), end, call)

    assert (hit.text, hit.model, hit.provider) == ("Hello, world", "m", "semantic-cache")
    assert (hit.finish_reason, hit.usage, hit.parsed) == ("cached", Usage(), None)
    assert (end.calls, call.meta["cache_hit"]) == (1, True)


def test_a_miss_goes_out_as_it_comes() -> None:
    assert run(semantic_memoize(), Terminal(), chat(ctx=on(Words()))) == list(ANSWER)


class Unsure(Words):
    async def search(self, scope: Scope, query: str, *rest: Any) -> list[tuple[float, Chunk]]:
        return [(float("nan"), chunk) for _, chunk in await super().search(scope, query, *rest)]


def test_a_likeness_that_is_no_number_is_none() -> None:
    ctx, end = on(Unsure()), Terminal()
    for question in ("weather?", "weather?"):
        run(semantic_memoize(), end, chat(question, ctx=ctx))

    assert end.calls == 2


def test_another_question_is_asked() -> None:
    ctx, end = on(Words()), Terminal()
    for question in ("weather?", "news?"):
        run(semantic_memoize(), end, chat(question, ctx=ctx))

    assert end.calls == 2


@pytest.mark.parametrize(
    "other",
    [
        {"model": "n"},
        {"temperature": 0.5},
        {"max_tokens": 5},
        {"messages": [Message("system", "Be rude."), Message("user", "weather?")]},
        {"messages": [Message("user", "In Rome."), Message("user", "weather?")]},
        {"messages": [Message("assistant", "weather?")]},
        {"messages": [Message("user", blocks=(ThinkingBlock("x"), TextBlock("weather?")))]},
    ],
    ids=repr,
)
def test_everything_but_the_last_words_has_to_be_equal(other: dict[str, Any]) -> None:
    ctx, end = on(Words()), Terminal()
    run(semantic_memoize(), end, chat("weather?", ctx=ctx))
    changed = chat("weather?", ctx=ctx)
    changed.request = replace(changed.request, **other)
    run(semantic_memoize(), end, changed)

    assert end.calls == 2


def test_tenants_never_share_an_answer() -> None:
    vector, end = Words(), Terminal()
    for tenant in (1, "1"):
        run(semantic_memoize(), end, chat(ctx=on(vector, scope=Scope(tenant))))

    assert end.calls == 2


def test_the_threshold_decides() -> None:
    ctx, end = on(Words()), Terminal()
    for _ in range(2):
        run(semantic_memoize(threshold=0.95), end, chat(ctx=ctx))

    assert end.calls == 2


@pytest.mark.parametrize(
    "script",
    [[Delta(finish_reason="stop")], [Delta("Look"), Delta(tool_calls=(ToolCall("c", "t"),))]],
    ids=["no content", "tool calls"],
)
def test_what_is_no_answer_is_not_remembered(script: list[Delta]) -> None:
    vector = Words()
    run(semantic_memoize(), Terminal(script), chat(ctx=on(vector)))

    assert vector.chunks == []


def test_half_an_answer_is_not_remembered() -> None:
    vector = Words()
    leave(semantic_memoize(), Terminal(), chat(ctx=on(vector)))

    assert vector.chunks == []


def test_a_plain_object_comes_back_with_a_hit() -> None:
    ctx, end = on(Words()), Terminal([Delta("{}", parsed={"a": [1]})])
    run(semantic_memoize(), end, chat(ctx=ctx))

    assert run(semantic_memoize(), end, chat(ctx=ctx))[0].parsed == {"a": [1]}


def test_a_typed_object_is_not_remembered_and_says_so_once() -> None:
    vector, policy, end = Words(), semantic_memoize(), Terminal([Delta("{}", parsed=Plan())])
    calls = [chat(ctx=on(vector)), chat(ctx=on(vector))]

    with pytest.warns(UserWarning, match="did not remember") as told:
        run_each(policy, end, calls)
    assert (vector.chunks, len(told), calls[0].meta["cache_stored"]) == ([], 1, False)


def test_a_hit_is_free() -> None:
    ctx = on(Words())
    for _ in range(2):
        run([meter(), semantic_memoize()], Terminal(), chat(ctx=ctx))

    assert ctx.budget.calls == 1


def test_what_is_compared_can_be_chosen() -> None:
    ctx, end = on(Words()), Terminal()
    policy = semantic_memoize(text=lambda _: "same")
    for question in ("weather?", "news?"):
        run(policy, end, chat(question, ctx=ctx))

    assert end.calls == 1


def test_a_call_can_be_excluded() -> None:
    ctx, end = on(Words()), Terminal()
    for _ in range(2):
        run(semantic_memoize(when=lambda _: False), end, chat(ctx=ctx))

    assert end.calls == 2


def test_without_an_index_it_says_so_once_and_calls_run() -> None:
    policy = semantic_memoize()

    with pytest.warns(UserWarning, match="no vector index") as told:
        answers = run_each(policy, Terminal(), [chat(), chat()])
    assert [text_of(answer) for answer in answers] == ["Hello, world"] * 2
    assert len(told) == 1


def test_a_call_that_cannot_be_told_from_others_says_so_and_runs() -> None:
    call = chat(ctx=on(Words()), cache_hint=object())

    with pytest.warns(UserWarning, match="cannot tell"):
        assert text_of(run(semantic_memoize(), Terminal(), call)) == "Hello, world"
    assert call.meta["cache_stored"] is False


def test_an_entry_of_somebody_elses_is_no_answer() -> None:
    class Foreign(Words):
        async def search(self, scope: Scope, query: str, *rest: Any) -> list[tuple[float, Chunk]]:
            return [(1.0, Chunk("x", "x", {"content": 7}))]

    assert text_of(run(semantic_memoize(), Terminal(), chat(ctx=on(Foreign())))) == "Hello, world"


@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan"), True])
def test_a_threshold_is_checked(wrong: float) -> None:
    with pytest.raises((TypeError, ValueError), match="threshold is"):
        semantic_memoize(threshold=wrong)


def test_a_request_without_messages_is_asked_and_not_remembered() -> None:
    with pytest.warns(UserWarning, match="has no message"):
        run(semantic_memoize(), Terminal(), chat(ctx=on(Words()), messages=[]))


def test_a_run_that_waits_for_its_index_is_stopped() -> None:
    class Slow(Words):
        async def search(self, scope: Scope, query: str, *rest: Any) -> list[tuple[float, Chunk]]:
            token.cancel("the user left")
            await asyncio.sleep(0)
            return await super().search(scope, query, *rest)

    token, end = CancellationToken(), Terminal()
    with pytest.raises(Cancelled, match="the user left"):
        run(semantic_memoize(), end, chat(ctx=on(Slow(), cancel=token)))
    assert end.calls == 0
