"""Every value type keeps one promise: frozen all the way down, and equal to its copies."""

import copy
import dataclasses
import inspect
import json
import pickle
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from agentkit.core.contracts import content, errors, llm, observation, ports, replay, types
from agentkit.core.serialization import FrozenDict, FrozenList, from_json, to_json
from agentkit.core.serialization._kinds import is_a, kind_of

from .examples import EXAMPLES, NESTED, OPAQUE

MODULES: list[ModuleType] = [types, content, llm, ports, observation, replay, errors]

every_value = pytest.mark.parametrize("value", EXAMPLES, ids=lambda v: type(v).__name__)
every_plain_value = pytest.mark.parametrize(
    "value",
    [v for v in EXAMPLES if type(v).__name__ != "RunMeta"],
    ids=lambda v: type(v).__name__,
)


def _exported_dataclasses() -> Iterator[str]:
    for module in MODULES:
        for name in module.__all__:
            if inspect.isclass(found := getattr(module, name)) and dataclasses.is_dataclass(found):
                yield name


def _containers(value: Any) -> Iterator[Any]:
    if is_a(value, dict | list):
        yield value
    parts = value.values() if is_a(value, dict) else value
    for part in parts if is_a(value, dict | list | tuple) else ():
        yield from _containers(part)


def _fields(value: Any) -> list[tuple[str, Any]]:
    opaque = OPAQUE.get(type(value).__name__, set())
    names = [f.name for f in dataclasses.fields(value) if f.name not in opaque]
    return [(name, getattr(value, name)) for name in names]


def test_every_exported_dataclass_has_an_example() -> None:
    assert {type(v).__name__ for v in EXAMPLES} == set(_exported_dataclasses())


@every_value
def test_a_value_refuses_assignment(value: Any) -> None:
    name = dataclasses.fields(value)[0].name

    with pytest.raises(dataclasses.FrozenInstanceError, match=name):
        setattr(value, name, None)


@every_value
def test_every_container_in_a_value_is_frozen(value: Any) -> None:
    found = [c for _, held in _fields(value) for c in _containers(held)]

    assert all(isinstance(c, FrozenDict | FrozenList) for c in found)


@every_plain_value
def test_a_value_equals_its_pickle_its_deep_copy_and_its_replacement(value: Any) -> None:
    pickled = pickle.loads(pickle.dumps(value))  # noqa: S301 - our own bytes

    assert pickled == value
    assert copy.deepcopy(value) == value
    assert dataclasses.replace(value) == value


@every_plain_value
def test_an_unpickled_value_is_still_frozen(value: Any) -> None:
    pickled = pickle.loads(pickle.dumps(value))  # noqa: S301 - our own bytes

    found = [c for _, held in _fields(pickled) for c in _containers(held)]
    assert all(isinstance(c, FrozenDict | FrozenList) for c in found)


@every_value
def test_equal_values_hash_alike(value: Any) -> None:
    assert hash(dataclasses.replace(value)) == hash(value)


@every_plain_value
def test_a_value_becomes_a_dict(value: Any) -> None:
    assert dataclasses.asdict(value).keys() == {f.name for f in dataclasses.fields(value)}


@every_plain_value
def test_a_value_survives_json(value: Any) -> None:
    kind = kind_of(value)
    text = json.dumps(to_json(value))

    assert from_json(kind, json.loads(text)) == value


@every_value
def test_equality_looks_at_every_field(value: Any) -> None:
    compared = {f.name for f in dataclasses.fields(value) if f.compare}

    assert compared == {f.name for f in dataclasses.fields(value)}


def test_a_payload_is_copied_on_the_way_in() -> None:
    given: dict[str, Any] = {"q": {"tags": ["a"]}}
    call = types.ToolCall("c", "t", given)

    given["q"]["tags"].append("b")

    assert call.arguments == {"q": {"tags": ["a"]}}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (types.ToolCall("c", "n", {"a": 1}), types.ToolCall("c", "n", {"a": 2})),
        (types.ToolSchema("n", "d", {"a": 1}), types.ToolSchema("n", "d", {"a": 2})),
        (types.ToolRequest("n", {"a": 1}, None), types.ToolRequest("n", {"a": 2}, None)),
        (
            types.ChatRequest([types.Message("user", "a")], "m"),
            types.ChatRequest([types.Message("user", "b")], "m"),
        ),
        (
            ports.Checkpoint("r", 1, {"a": 1}, 0.0, ports.CheckpointStatus.DONE),
            ports.Checkpoint("r", 1, {"a": 2}, 0.0, ports.CheckpointStatus.DONE),
        ),
    ],
    ids=lambda v: type(v).__name__,
)
def test_values_of_one_identity_share_a_bucket_and_differ(one: Any, other: Any) -> None:
    assert hash(one) == hash(other)
    assert one != other


# The fields that a value is hashed on, where it has payloads that have no hash.
IDENTITY = {
    types.ToolCall: ["id", "name"],
    types.ToolSchema: ["name", "description"],
    types.ToolRequest: ["name", "side_effecting", "url_arg"],
    types.ChatRequest: ["model", "temperature", "max_tokens", "messages"],
    types.Chunk: ["id", "text"],
    types.LLMResult: ["content", "model", "provider", "finish_reason", "tool_calls"],
    types.Delta: ["text", "model", "provider", "finish_reason", "tool_calls"],
    types.StreamEvent: ["type", "text"],
    content.ThinkingBlock: ["text", "signature"],
    content.ToolUseBlock: ["call_id", "tool_name"],
    content.ToolResultBlock: ["call_id", "name"],
    content.DataBlock: ["schema_id"],
    content.ErrorBlock: ["error_type", "message"],
    content.UnknownBlock: ["provider"],
    content.ChatMessage: ["role", "content", "name"],
    llm.GenerationOptions: ["system_instructions", "temperature", "max_tokens", "seed"],
    llm.LLMResponse: ["content", "usage", "finish_reason"],
    llm.EmbeddingResult: ["model", "usage_tokens", "embeddings"],
    llm.CompletionEvent: ["content", "usage", "run_id", "seq"],
    ports.SearchHit: ["url", "title"],
    ports.FetchResponse: ["url", "status", "content_type", "fetched_at"],
    ports.Checkpoint: ["run_id", "version"],
    observation.Observation: ["run_id", "agent", "seq", "ts", "kind"],
    replay.ReplayRecord: ["span_id", "operation"],
    errors.Failure: ["category", "source", "message"],
}
OTHER: dict[str, Any] = {
    "type": "step", "usage": types.ModelUsage(7), "category": errors.ErrorClass.TRANSIENT,
    "side_effecting": False, "tool_calls": (), "messages": [], "embeddings": [],
    "content": [content.TextBlock("another")],
}  # fmt: skip


def test_every_value_with_a_hash_of_its_own_is_listed() -> None:
    kinds: set[type] = {value.__class__ for value in EXAMPLES}
    own = {kind for kind in kinds if "__hash__" in inspect.getsource(kind)}

    assert own - {llm.RunMeta} == set(IDENTITY)


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind, names in IDENTITY.items() for name in names]
)
def test_another_identity_has_another_hash(kind: Any, name: str) -> None:
    value = next(v for v in EXAMPLES if type(v) is kind)
    old: Any = getattr(value, name)
    if name == "content" and isinstance(old, str):
        value, new = dataclasses.replace(value, blocks=()), "another"
    else:
        new = OTHER[name] if name in OTHER else f"{old}!" if isinstance(old, str) else old + 1

    assert hash(dataclasses.replace(value, **{name: new})) != hash(value)


def test_tools_none_and_tools_empty_stay_two_things() -> None:
    assert types.ChatRequest([], "m").tools is None
    assert types.ChatRequest([], "m", tools=[]).tools == []


def test_a_cache_hint_is_passed_on_as_it_is() -> None:
    hint = NESTED

    assert types.ChatRequest([], "m", cache_hint=hint).cache_hint is hint
