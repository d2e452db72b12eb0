"""Neutral messages and options to the JSON of a request."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from agentkit.core.contracts.content import ChatMessage
from agentkit.core.contracts.errors import UnsupportedOption
from agentkit.core.contracts.llm import GenerationOptions
from agentkit.core.contracts.types import ToolSchema
from agentkit.models.codecs._json import is_dict
from agentkit.models.codecs._structured import json_instruction, schema_of
from agentkit.models.codecs.gemini._encode_contents import encode_contents, system_texts

__all__ = ["encode_count", "encode_request", "needs_schema_in_words"]

_RESERVED = frozenset({"contents", "model"})
_MODES = {"auto": "AUTO", "required": "ANY", "none": "NONE"}
_EARLY = re.compile(r"(^|/)gemini-(1|2)[.-]")
_BUDGETS = {"none": 0, "minimal": 512, "low": 1024, "medium": 8192, "high": 24576}
_LEVELS = frozenset({"minimal", "low", "medium", "high"})


def encode_request(
    messages: Sequence[ChatMessage],
    *,
    model: str,
    options: GenerationOptions = GenerationOptions(),  # noqa: B008 - frozen
    sender: str = "",
) -> dict[str, Any]:
    """Give the body of the request; an option left None is not in it.

    Opaque parts of *messages* are sent if *sender* is the provider that made them. Of `extra`
    objects are merged into ours, and tools added to ours. What is in the cache is for the API to
    find: `cache` is not sent.

    Raises:
        UnsupportedOption: The API has no place for something that was asked for.
        ValueError: `extra` holds a key that is the client's to set, or `response_format` is of no
            known form.

    """
    in_words = needs_schema_in_words(model, options)
    body = _prompt(messages, model=model, options=options, sender=sender, in_words=in_words)
    if options.tools is not None:
        body["tools"] = _tools(options.tools)
    if options.tool_choice is not None:
        body |= _tool_choice(options)
    if settings := _settings(model, options, in_words=in_words):
        body["generationConfig"] = settings
    if taken := _RESERVED & options.extra.keys():
        raise ValueError(f"extra may not set {', '.join(sorted(taken))}")
    return _merged(body, options.extra)


def encode_count(messages: Sequence[ChatMessage], *, model: str, sender: str) -> dict[str, Any]:
    """Give the body that asks how many tokens *messages* come to."""
    options = GenerationOptions()
    body = _prompt(messages, model=model, options=options, sender=sender, in_words=False)
    if "systemInstruction" not in body:
        return body
    return {"generateContentRequest": {"model": f"models/{model.rsplit('/', 1)[-1]}", **body}}


def needs_schema_in_words(model: str, options: GenerationOptions) -> bool:
    """Whether the model has no mode for what was asked: those before the third have it or tools."""
    has_schema = schema_of(options.response_format) is not None
    return has_schema and bool(options.tools) and _is_early(model)


def _is_early(model: str) -> bool:
    return _EARLY.search(model) is not None


def _prompt(
    messages: Sequence[ChatMessage],
    *,
    model: str,
    options: GenerationOptions,
    sender: str,
    in_words: bool,
) -> dict[str, Any]:
    contents = encode_contents(messages, sender=sender, wants_signatures=not _is_early(model))
    schema = schema_of(options.response_format) if in_words else None
    texts = [options.system_instructions, *system_texts(messages), json_instruction(schema)]
    if text := "\n\n".join(filter(None, texts)):
        return {"systemInstruction": {"parts": [{"text": text}]}, "contents": contents}
    return {"contents": contents}


def _tools(schemas: Sequence[ToolSchema]) -> list[dict[str, Any]]:
    return [{"functionDeclarations": [_tool(schema) for schema in schemas]}] if schemas else []


def _tool(schema: ToolSchema) -> dict[str, Any]:
    declared: dict[str, Any] = {"name": schema.name, "description": schema.description}
    if schema.parameters:
        declared["parametersJsonSchema"] = schema.parameters
    return declared


def _tool_choice(options: GenerationOptions) -> dict[str, Any]:
    """Give the choice as a field, or none where it says what the lack of tools says already."""
    choice = options.tool_choice
    if is_dict(choice):
        return {"toolConfig": choice if "mode" not in choice else {"functionCallingConfig": choice}}
    if not options.tools:
        if choice in {"auto", "none"}:
            return {}
        raise UnsupportedOption(
            f"tool_choice {choice!r} needs tools, and none are given", option="tool_choice"
        )
    config: dict[str, Any] = {"mode": _MODES.get(str(choice), "ANY")}
    if choice not in _MODES:
        if choice not in {schema.name for schema in options.tools}:
            raise UnsupportedOption(
                f"tool_choice {choice!r} is none of the tools", option="tool_choice"
            )
        config["allowedFunctionNames"] = [choice]
    return {"toolConfig": {"functionCallingConfig": config}}


def _settings(model: str, options: GenerationOptions, *, in_words: bool) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "temperature": options.temperature,
        "maxOutputTokens": options.max_tokens,
        "stopSequences": options.stop,
        "seed": options.seed,
    }
    settings = {name: value for name, value in plain.items() if value is not None}
    if not in_words:
        settings |= _response_format(schema_of(options.response_format))
    if options.reasoning_effort is not None:
        settings["thinkingConfig"] = _thinking(model, options.reasoning_effort)
    return settings


def _response_format(schema: Mapping[str, Any] | None) -> dict[str, Any]:
    if schema is None:
        return {}
    form: dict[str, Any] = {"responseMimeType": "application/json"}
    return form | {"responseJsonSchema": schema} if schema else form


def _thinking(model: str, effort: str) -> dict[str, Any]:
    """Give how much to think: a budget for the early models, a level for the others."""
    if _is_early(model) and effort in _BUDGETS:
        return {"thinkingBudget": _BUDGETS[effort], "includeThoughts": effort != "none"}
    if not _is_early(model) and effort in _LEVELS:
        return {"thinkingLevel": effort, "includeThoughts": True}
    known = _BUDGETS if _is_early(model) else sorted(_LEVELS)
    raise UnsupportedOption(
        f"the reasoning effort of {model!r} is one of {', '.join(known)}; got {effort!r}",
        option="reasoning_effort",
    )


def _merged(body: dict[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """Give *body* with *extra* merged into it, objects by key and tools one after the other."""
    merged = dict(body)
    for name, value in extra.items():
        ours = merged.get(name)
        if is_dict(ours) and is_dict(value):
            merged[name] = _merged(ours, value)
        elif name == "tools" and isinstance(ours, list) and isinstance(value, list | tuple):
            merged[name] = [*ours, *value]
        else:
            merged[name] = value
    return merged
