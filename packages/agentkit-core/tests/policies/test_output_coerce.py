"""The typed object of an answer, on its way and finished."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from agentkit.core.contracts.errors import OutputCoercionError
from agentkit.core.contracts.types import Delta, ToolCall
from agentkit.core.policies import output_coerce, tracing
from agentkit.core.serialization.partial_json import read_partial
from agentkit.core.testing import RecordingTracer, make_test_ctx

from .drive import END, Terminal, chat, leave, run, tool

TEXT = json.dumps({"title": "Octopus", "tags": ["a", "b"], "body": "x" * 40})


class Adapter:
    """An adapter for JSON objects, by text alone."""

    name = "output"
    python_type = dict

    def __init__(self) -> None:
        self.parses = 0

    def json_schema(self) -> dict[str, Any]:
        return {"type": "object"}

    def parse(self, raw: str | Mapping[str, Any]) -> Any:
        try:
            return json.loads(str(raw))
        except ValueError as exc:
            raise OutputCoercionError("no JSON", raw=str(raw), errors=["$: no JSON"]) from exc

    def partial_parse(self, raw: str) -> Any | None:
        self.parses += 1
        return read_partial(raw)

    def serialize(self, value: Any) -> dict[str, Any]:
        return dict(value)

    def validate(self, value: Any) -> Any:
        return value


class Builder(Adapter):
    """An adapter that builds from the value so far."""

    def partial_from(self, value: Any) -> Any | None:
        return value


def answer(text: str, *, piece: int = 4) -> list[Delta]:
    return [*(Delta(text[at : at + piece]) for at in range(0, len(text), piece)), END]


def coerced(adapter: Any, script: list[Any], **knobs: Any) -> list[Delta]:
    return run(output_coerce(**knobs), Terminal(script), chat(meta={"output_adapter": adapter}))


def partials(deltas: list[Delta]) -> list[Any]:
    return [delta.partial for delta in deltas if delta.partial is not None]


@pytest.mark.parametrize("make", [Adapter, Builder])
def test_the_object_comes_after_the_last_delta(make: type) -> None:
    call = chat(meta={"output_adapter": make()})
    deltas = run(output_coerce(), Terminal(answer(TEXT)), call)

    assert deltas[-1] == Delta(parsed=json.loads(TEXT))
    assert call.meta["output_parsed"] == json.loads(TEXT)
    assert [delta.text for delta in deltas[:-1]] == [delta.text for delta in answer(TEXT)]


@pytest.mark.parametrize("make", [Adapter, Builder])
def test_a_partial_comes_when_a_value_is_complete(make: type) -> None:
    seen = partials(coerced(make(), answer(TEXT, piece=1), partial_every=1_000))

    assert seen == [
        {"title": "Octopus"},
        {"title": "Octopus", "tags": ["a"]},
        {"title": "Octopus", "tags": ["a", "b"]},
        {"title": "Octopus", "tags": ["a", "b"]},
        json.loads(TEXT),
        json.loads(TEXT),
    ]


def test_a_long_value_shows_itself_every_so_many_characters() -> None:
    text = json.dumps({"body": "x" * 100})
    seen = partials(coerced(Builder(), answer(text, piece=1), partial_every=25))

    assert [len(partial["body"]) for partial in seen] == [15, 40, 65, 90, 100, 100]


def test_a_partial_that_was_shown_does_not_change_later() -> None:
    deltas = coerced(Builder(), answer(TEXT, piece=1))

    assert partials(deltas)[0] == {"title": "Octopus"}


def test_an_adapter_that_builds_never_reads_the_text_again() -> None:
    adapter = Builder()
    coerced(adapter, answer(TEXT, piece=1))

    assert adapter.parses == 0


def test_text_that_does_not_fit_is_told_with_all_of_it() -> None:
    ctx = make_test_ctx(trace=RecordingTracer())
    call = chat(ctx=ctx, meta={"output_adapter": Adapter()})

    with pytest.raises(OutputCoercionError, match="no JSON") as caught:
        run([tracing(), output_coerce()], Terminal(answer("Sure!")), call)
    assert caught.value.raw == "Sure!"
    (told,) = [f for name, f in ctx.trace.spans[0].events if name == "output.coercion_failed"]  # type: ignore[attr-defined]
    assert told == {"error_type": "OutputCoercionError", "errors_count": 1}


def test_a_turn_that_calls_tools_is_no_answer() -> None:
    turn = [Delta("Let me look."), Delta(tool_calls=(ToolCall("c", "look"),))]

    assert coerced(Adapter(), turn) == turn


def test_a_preview_that_fails_does_not_cost_the_answer() -> None:
    class Broken(Builder):
        def partial_from(self, value: Any) -> Any | None:
            raise RuntimeError("oops")

    deltas = coerced(Broken(), answer(TEXT))
    assert partials(deltas) == []
    assert deltas[-1].parsed == json.loads(TEXT)


def test_without_an_adapter_nothing_is_touched() -> None:
    assert run(output_coerce(), Terminal(answer("plain")), chat()) == answer("plain")


def test_a_tools_result_is_not_touched() -> None:
    call = tool()
    call.meta["output_adapter"] = Adapter()

    assert run(output_coerce(), Terminal([1]), call) == [1]


def test_leaving_early_parses_nothing() -> None:
    call = chat(meta={"output_adapter": Adapter()})
    end = Terminal(answer(TEXT))
    leave(output_coerce(), end, call)

    assert end.closed == 1
    assert "output_parsed" not in call.meta


@pytest.mark.parametrize("every", [0, -1, True, 1.5])
def test_how_often_is_checked(every: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="partial_every"):
        output_coerce(partial_every=every)
