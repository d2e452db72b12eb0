"""Neutral messages and options to the JSON of a request."""

from collections.abc import Mapping, Sequence
from typing import Any

from agentkit.core.contracts.content import ChatMessage
from agentkit.core.contracts.errors import UnsupportedOption
from agentkit.core.contracts.llm import GenerationOptions
from agentkit.core.contracts.types import ToolSchema
from agentkit.models.codecs._structured import json_instruction, schema_of
from agentkit.models.codecs.chat_completions._dialect import Dialect
from agentkit.models.codecs.chat_completions._encode_messages import encode_message

__all__ = ["encode_request"]

_RESERVED = frozenset({"messages", "stream", "stream_options"})


def encode_request(
    messages: Sequence[ChatMessage],
    *,
    model: str,
    options: GenerationOptions = GenerationOptions(),  # noqa: B008 - frozen
    dialect: Dialect = Dialect(),  # noqa: B008 - frozen
    sender: str = "",
    stream: bool = True,
) -> dict[str, Any]:
    """Give the body of the request; an option left None is not in it.

    Opaque parts of *messages* are sent if *sender* is the provider that made them.

    Raises:
        UnsupportedOption: The API or the dialect has no place for something that was asked for.
        ValueError: `extra` holds a key that is the client's to set, or a value is no JSON.

    """
    body: dict[str, Any] = {
        "model": model,
        "messages": _messages(messages, options, dialect=dialect, sender=sender),
    }
    body |= {name: value for name, value in _plain_options(options, dialect) if value is not None}
    if options.tools is not None:
        body["tools"] = [_tool(schema) for schema in options.tools]
    if options.tool_choice is not None:
        body.update(_tool_choice(options))
    if options.response_format is not None:
        body["response_format"] = _response_format(options.response_format, dialect)
    if options.reasoning_effort is not None:
        _put_effort(body, options.reasoning_effort, dialect)
    if stream:
        body |= {"stream": True, "stream_options": {"include_usage": True}}
    return _with_extra(body, options.extra)


def _messages(
    messages: Sequence[ChatMessage], options: GenerationOptions, *, dialect: Dialect, sender: str
) -> list[dict[str, Any]]:
    wire = [turn for message in messages for turn in encode_message(message, sender=sender)]
    system = [options.system_instructions, _schema_instruction(options.response_format, dialect)]
    if text := "\n\n".join(filter(None, system)):
        wire.insert(0, {"role": "system", "content": text})
    return wire


def _plain_options(options: GenerationOptions, dialect: Dialect) -> list[tuple[str, Any]]:
    return [
        ("temperature", options.temperature),
        (dialect.max_tokens, options.max_tokens),
        ("stop", options.stop),
        (dialect.seed, options.seed),
    ]


def _tool(schema: ToolSchema) -> dict[str, Any]:
    parameters = schema.parameters or {"type": "object", "properties": {}}
    function = {"name": schema.name, "description": schema.description, "parameters": parameters}
    return {"type": "function", "function": function}


def _tool_choice(options: GenerationOptions) -> dict[str, Any]:
    """Give the choice as a field, or none where it says what the lack of tools says already."""
    choice = options.tool_choice
    if not options.tools:
        if isinstance(choice, str) and choice in {"auto", "none"}:
            return {}
        raise UnsupportedOption(
            f"tool_choice {choice!r} needs tools, and none are given", option="tool_choice"
        )
    if isinstance(choice, str) and choice not in {"auto", "none", "required"}:
        if choice not in {schema.name for schema in options.tools}:
            raise UnsupportedOption(
                f"tool_choice {choice!r} is none of the tools", option="tool_choice"
            )
        choice = {"type": "function", "function": {"name": choice}}
    return {"tool_choice": choice}


def _response_format(wanted: Mapping[str, Any], dialect: Dialect) -> dict[str, Any]:
    if wanted.get("type") == "json_schema" and not dialect.has_json_schema:
        return {"type": "json_object"}
    return dict(wanted)


def _schema_instruction(wanted: Mapping[str, Any] | None, dialect: Dialect) -> str:
    """Give the words that stand in for a mode that the provider does not have."""
    if not wanted or wanted.get("type") != "json_schema" or dialect.has_json_schema:
        return ""
    return json_instruction(schema_of(wanted))


def _put_effort(body: dict[str, Any], effort: str, dialect: Dialect) -> None:
    if not dialect.reasoning_effort:
        raise UnsupportedOption(
            f"{dialect.provider} has no reasoning effort; got {effort!r}",
            option="reasoning_effort",
            provider=dialect.provider,
        )
    *path, last = dialect.reasoning_effort
    for key in path:
        body = body.setdefault(key, {})
    body[last] = effort


def _with_extra(body: dict[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    if taken := _RESERVED & extra.keys():
        raise ValueError(f"extra may not set {', '.join(sorted(taken))}")
    return body | dict(extra)
