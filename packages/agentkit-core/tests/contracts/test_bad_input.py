"""What no value takes, and how it says so."""

import dataclasses
import math
from collections.abc import Callable, Iterator
from decimal import Decimal
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

import pytest

from agentkit.core.contracts import content as _content
from agentkit.core.contracts import llm as _llm
from agentkit.core.contracts import observation as _observation
from agentkit.core.contracts import ports as _ports
from agentkit.core.contracts import types as _types
from agentkit.core.contracts.middleware import Call

from .examples import EXAMPLES, OPAQUE

# As Any: what is refused below, a type checker refuses as well.
content: Any = _content
llm: Any = _llm
observation: Any = _observation
ports: Any = _ports
types: Any = _types

# Whose misuse is told by whoever keeps the value; a price has tests of its own.
CHECKED_ELSEWHERE = {"Checkpoint", "ReplayRecord", "Price"}
# A delta is made for every few characters of an answer: what joins it is checked, no more.
UNCHECKED = {
    "Delta": {"model", "provider", "finish_reason"},
    "TextDelta": {"agent_id", "run_id", "seq"},
    "ReasoningDelta": {"agent_id", "run_id", "seq"},
    "CompletionEvent": {"agent_id", "run_id", "seq", "stop_kind"},
    "LLMResponse": {"stop_kind"},
    "StreamEvent": {"usage"},
    "RunMeta": {"trace_id", "tenant_id"},
    "Failure": {"retriable"},
}


class _Thing:
    """Something that no field takes."""

    def __repr__(self) -> str:
        return "a thing"


THING: Any = _Thing()
CHOICES = {"ModelUsage.provenance", "StreamEvent.type"}  # of some texts; see below


def _checked_fields() -> Iterator[Any]:
    for value in EXAMPLES:
        kind = type(value).__name__
        spared = OPAQUE.get(kind, set()) | UNCHECKED.get(kind, set())
        if kind in CHECKED_ELSEWHERE:
            continue
        for field in dataclasses.fields(value):
            if field.name not in spared and f"{kind}.{field.name}" not in CHOICES:
                yield pytest.param(value, field.name, id=f"{kind}.{field.name}")


def _named(kind: Any) -> str:
    if kind in _WORDS:
        return _WORDS[kind]
    return f"{'an' if kind.__name__[0] in 'AEIO' else 'a'} {kind.__name__}"


_WORDS: dict[Any, str] = {
    str: "text",
    bool: "True or False",
    int: "a whole number",
    float: "a number",
    bytes: "bytes",
    list[float]: "a list of numbers",
    content.ContentBlock: "a content block",
}


def _wanted(hint: Any) -> str:
    """Give how a message calls what a field of the type *hint* is."""
    arguments = get_args(hint)
    if get_origin(hint) in {tuple, list}:
        return f"a {get_origin(hint).__name__}, each item {_named(arguments[0])}"
    if NoneType in arguments and hint not in _WORDS:
        (inner,) = (each for each in arguments if each is not NoneType)
        optional = (
            ""
            if _wanted(inner).startswith(("a tuple", "a list", "a number", "a whole"))
            else " or None"
        )
        return f"{_wanted(inner)}{optional}"
    return "a dict" if get_origin(hint) is dict else _named(hint)


# Those whose types alone do not say it.
SAID = {
    "Scope.org_id": "a whole number, text or None",
    "Scope.domain_id": "a whole number, text or None",
    "Message.content": "text (what text cannot hold goes into blocks=)",
    "ModelUsage.cost": "a Decimal or None",
    "GenerationOptions.seed": "a whole number or None",
    "GenerationOptions.tool_choice": "a dict or None",
}


@pytest.mark.parametrize(("value", "field"), list(_checked_fields()))
def test_an_object_of_another_type_is_refused_by_the_name_of_its_field(
    value: Any, field: str
) -> None:
    name = f"{value.__class__.__name__}.{field}"
    wanted = SAID.get(name) or _wanted(get_type_hints(value.__class__)[field])
    with pytest.raises(TypeError) as caught:
        dataclasses.replace(value, **{field: THING})

    assert str(caught.value) == f"{name} is {wanted}; got a thing"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: types.Usage(True), "Usage.input_tokens is a whole number; got True"),
        (lambda: types.Usage(1.0), "Usage.input_tokens is a whole number; got 1.0"),
        (lambda: types.Usage(cost_usd=True), "Usage.cost_usd is a number; got True"),
        (lambda: types.Usage(cost_usd=Decimal(1)), "Usage.cost_usd is a number; got Decimal"),
        (lambda: types.ModelUsage(cost=1.5), "ModelUsage.cost is a Decimal or None; got 1.5"),
        (lambda: types.Scope(True), "Scope.org_id is a whole number, text or None; got True"),
        (lambda: types.Scope(1, 2.0), "Scope.domain_id is a whole number, text or None"),
        (lambda: types.Message("user", [{"type": "text"}]), "Message.content is text .*blocks="),
        (lambda: types.Message("user", None), "Message.content is text"),
        (lambda: types.Message("user", blocks=["hi"]), r"Message.blocks\[0\] is a content block"),
        (lambda: types.Message("assistant", tool_calls="c1"), "Message.tool_calls is a tuple"),
        (lambda: types.ToolCall("c1", "find", '{"q": 1}'), "ToolCall.arguments is a dict; got"),
        (lambda: types.ChatRequest("hi", "m"), "ChatRequest.messages is a list"),
        (lambda: types.ChatRequest(["hi"], "m"), r"ChatRequest.messages\[0\] is a Message"),
        (lambda: types.ChatRequest([], "m", [{}]), r"ChatRequest.tools\[0\] is a ToolSchema"),
        (lambda: types.ChatRequest([], "m", temperature=True), "temperature is a number; got True"),
        (lambda: types.ChatRequest([], "m", max_tokens=1.5), "max_tokens is a whole number"),
        (lambda: types.Delta(None), "Delta.text is text; got None"),
        (lambda: observation.Observation(1, 1, 1.0, 2, 3, 4), "Observation.kind is text; got 1"),
        (lambda: types.LLMResult("hi", 3), "LLMResult.model is text or None; got 3"),
        (lambda: content.ChatMessage("user", "hi"), "ChatMessage.content is a list"),
        (lambda: llm.GenerationOptions(stop="."), r"GenerationOptions.stop is a list.*got '\.'"),
        (lambda: llm.GenerationOptions(seed=1.5), "GenerationOptions.seed is a whole number"),
    ],
)  # fmt: skip
def test_a_wrong_type_is_told_at_once(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        make()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: types.Usage(-1), "Usage.input_tokens is 0 or more; got -1"),
        (lambda: types.Usage(cost_usd=math.nan), "Usage.cost_usd is finite, 0 or more; got nan"),
        (lambda: types.Usage(cost_usd=math.inf), "Usage.cost_usd is finite, 0 or more; got inf"),
        (lambda: types.Usage(cost_usd=-0.5), "Usage.cost_usd is finite, 0 or more; got -0.5"),
        (lambda: types.ModelUsage(cached_tokens=-1), "ModelUsage.cached_tokens is 0 or more"),
        (lambda: types.ModelUsage(cost=Decimal("NaN")), "ModelUsage.cost is finite"),
        (lambda: types.ModelUsage(cost=Decimal(-1)), "ModelUsage.cost is finite, 0 or more"),
        (lambda: types.ModelUsage(provenance="guessed"), "ModelUsage.provenance is one of"),
        (lambda: types.ChatRequest([], "m", temperature=math.nan), "temperature is finite"),
        (lambda: types.ChatRequest([], "m", temperature=-1), "temperature is finite, 0 or more"),
        (lambda: types.ChatRequest([], "m", max_tokens=-1), "max_tokens is 0 or more; got -1"),
        (lambda: types.StreamEvent("done"), "StreamEvent.type is one of .*got 'done'"),
        (lambda: observation.Observation("step", -1), "Observation.seq is 0 or more"),
        (lambda: observation.Observation("step", 1, math.nan), "Observation.ts is finite; got nan"),
        (lambda: observation.Observation("step", 1, math.inf), "Observation.ts is finite; got inf"),
        (lambda: observation.Observation("s", 1, -math.inf), "Observation.ts is finite; got -inf"),
        (lambda: ports.SearchHit("u", "t", "s", math.inf), "SearchHit.score is finite; got inf"),
        (content.ImageBlock, "ImageBlock needs exactly one of url, data, file_id"),
        (content.AudioBlock, "AudioBlock needs at least one of url, data"),
        (lambda: Call("Chat", None, None), "a call is a chat or a tool; got 'Chat'"),
    ],
)  # fmt: skip
def test_a_value_out_of_range_is_told_at_once(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_an_enormous_value_does_not_flood_the_message() -> None:
    with pytest.raises(TypeError) as caught:
        types.Message("user", ["x" * 10_000])

    assert len(str(caught.value)) < 200


def test_an_enormous_number_is_told_by_its_size() -> None:
    with pytest.raises(ValueError, match="got an integer of 33220 bits"):
        types.Usage(-(10**10_000))


@pytest.mark.parametrize(
    ("length", "told"),
    [(78, repr("x" * 78)), (79, f"'{'x' * 79}…")],
    ids=["80 characters", "81 characters"],
)
def test_a_message_shows_a_value_up_to_a_limit(length: int, told: str) -> None:
    with pytest.raises(TypeError) as caught:
        types.Message("user", tool_calls="x" * length)

    assert str(caught.value).endswith(f"; got {told}")


@pytest.mark.parametrize(
    ("bits", "told"), [(320, str(1 - 2**320)[:80] + "…"), (321, "an integer of 321 bits")]
)
def test_a_number_is_shown_by_its_digits_up_to_a_limit(bits: int, told: str) -> None:
    with pytest.raises(ValueError, match="0 or more") as caught:
        types.Usage(1 - 2**bits)

    assert str(caught.value).endswith(f"; got {told}")


def test_an_item_is_told_by_its_place_and_what_it_is() -> None:
    with pytest.raises(TypeError) as caught:
        types.ChatRequest([types.Message("user"), THING], "m")

    assert str(caught.value) == "ChatRequest.messages[1] is a Message; got a thing"


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (content.ImageBlock, "ImageBlock needs exactly one of url, data, file_id; got none"),
        (
            lambda: content.ImageBlock("u", b"d"),
            "ImageBlock needs exactly one of url, data, file_id; got ['url', 'data']",
        ),
        (content.VideoBlock, "VideoBlock needs at least one of url, data; got none"),
    ],
    ids=["nothing", "too much", "no video"],
)
def test_media_say_where_they_are(make: Any, told: str) -> None:
    with pytest.raises(ValueError, match="needs") as caught:
        make()

    assert str(caught.value) == told


def test_zero_and_empty_are_values() -> None:
    request = types.ChatRequest([], "", [], {}, 0, 0)

    assert (request.tools, request.response_format) == ([], {})
    assert (request.temperature, request.max_tokens) == (0, 0)


def test_text_of_an_enum_is_text() -> None:
    assert types.Message(content.Role.USER, "hi").role == "user"


def test_lists_are_taken_for_tuples() -> None:
    call = types.ToolCall("c", "n")

    assert types.Message("assistant", tool_calls=[call]).tool_calls == (call,)
    assert types.Delta(tool_calls=[call]).tool_calls == (call,)


def test_a_frozen_list_is_taken_as_it_is() -> None:
    request = types.ChatRequest([types.Message("user", "hi")], "m")

    assert dataclasses.replace(request, model="n").messages is request.messages


@pytest.mark.parametrize(
    "make",
    [
        lambda: types.Usage(None),
        lambda: types.Usage(1, 1, None),
        lambda: observation.Observation("step", 1, None),
    ],
    ids=["tokens", "cost", "time"],
)
def test_a_number_that_a_value_has_to_have_is_never_none(make: Callable[[], Any]) -> None:
    with pytest.raises(TypeError, match="number; got None"):
        make()


def test_a_page_may_have_been_fetched_before_all_counting_of_time() -> None:
    page = ports.FetchResponse("u", 200, {}, "", "text/html", -1.5)

    assert page.fetched_at == -1.5
