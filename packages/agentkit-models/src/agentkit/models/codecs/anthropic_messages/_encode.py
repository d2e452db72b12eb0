"""Neutral messages and options to the JSON of a request."""

from collections.abc import Sequence
from typing import Any

from agentkit.core.contracts.content import ChatMessage
from agentkit.core.contracts.errors import UnsupportedOption
from agentkit.core.contracts.llm import GenerationOptions
from agentkit.core.contracts.types import ToolSchema
from agentkit.models.codecs._json import as_list
from agentkit.models.codecs._structured import json_instruction, schema_of
from agentkit.models.codecs.anthropic_messages._dialect import Dialect
from agentkit.models.codecs.anthropic_messages._encode_messages import encode_turns, system_texts
from agentkit.models.codecs.anthropic_messages._thinking import put_thinking

__all__ = ["encode_request"]

_RESERVED = frozenset({"messages", "stream", "system"})
_CHOICES = {"auto": "auto", "required": "any", "none": "none"}


def encode_request(
    messages: Sequence[ChatMessage],
    *,
    model: str,
    options: GenerationOptions = GenerationOptions(),  # noqa: B008 - frozen
    dialect: Dialect = Dialect(),  # noqa: B008 - frozen
    sender: str = "",
    stream: bool = True,
    default_max_tokens: int = 4096,
) -> dict[str, Any]:
    """Give the body of the request; an option left None is not in it.

    The API demands a ceiling on the answer; *default_max_tokens* is that where none is given.
    Opaque parts of *messages* are sent if *sender* is the provider that made them. All system text
    goes where the API has it, before the messages. `tools` in the options' `extra` are the
    provider's own, and join the others.

    Raises:
        UnsupportedOption: The API has no place for something that was asked for.
        ValueError: `extra` holds a key that is the client's to set, or `response_format` is of no
            known form.

    """
    if options.seed is not None:
        raise UnsupportedOption(f"the messages API has no seed; got {options.seed}", option="seed")
    if taken := _RESERVED & options.extra.keys():
        raise ValueError(f"extra may not set {', '.join(sorted(taken))}")
    body: dict[str, Any] = {
        "model": model,
        "messages": encode_turns(messages, sender=sender),
        "max_tokens": options.max_tokens,
    }
    _put_system(body, messages, options, dialect=dialect)
    if options.temperature is not None:
        body["temperature"] = options.temperature
    if options.stop is not None:
        body["stop_sequences"] = options.stop
    _put_tools(body, options)
    put_thinking(body, options, dialect=dialect, default_max_tokens=default_max_tokens)
    _put_cache(body, options.cache)
    if stream:
        body["stream"] = True
    return body | {name: value for name, value in options.extra.items() if name != "tools"}


def _put_system(
    body: dict[str, Any],
    messages: Sequence[ChatMessage],
    options: GenerationOptions,
    *,
    dialect: Dialect,
) -> None:
    """Put the system text, and into it or beside it what structure the answer is to have."""
    schema = schema_of(options.response_format)
    texts = [options.system_instructions, *system_texts(messages)]
    if schema and dialect.has_json_schema:
        body["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
    else:
        texts.append(json_instruction(schema))
    if text := "\n\n".join(filter(None, texts)):
        body["system"] = text


def _put_tools(body: dict[str, Any], options: GenerationOptions) -> None:
    own = as_list(options.extra.get("tools"))
    if options.tools is not None or own:
        body["tools"] = [*(_tool(schema) for schema in options.tools or ()), *own]
    choice = options.tool_choice
    if choice is None:
        return
    if not body.get("tools"):
        if isinstance(choice, str) and choice in {"auto", "none"}:
            return
        raise UnsupportedOption(
            f"tool_choice {choice!r} needs tools, and none are given", option="tool_choice"
        )
    if not isinstance(choice, str):
        body["tool_choice"] = choice
    elif choice in _CHOICES:
        body["tool_choice"] = {"type": _CHOICES[choice]}
    elif choice in {tool.get("name") for tool in body["tools"]}:
        body["tool_choice"] = {"type": "tool", "name": choice}
    else:
        raise UnsupportedOption(
            f"tool_choice {choice!r} is none of the tools", option="tool_choice"
        )


def _tool(schema: ToolSchema) -> dict[str, Any]:
    return {
        "name": schema.name,
        "description": schema.description,
        "input_schema": schema.parameters or {"type": "object", "properties": {}},
    }


def _put_cache(body: dict[str, Any], cache: str | None) -> None:
    """Mark the end of what stays the same from call to call: the system text, or else the tools."""
    if not cache:
        return
    mark = {"type": "ephemeral"} if cache != "1h" else {"type": "ephemeral", "ttl": "1h"}
    if text := body.get("system"):
        body["system"] = [{"type": "text", "text": text, "cache_control": mark}]
    elif body.get("tools"):
        *tools, last = body["tools"]
        body["tools"] = [*tools, {**last, "cache_control": mark}]
