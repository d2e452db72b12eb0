"""Neutral messages and options to the JSON of a request."""

from collections.abc import Sequence
from typing import Any

from agentkit.core.contracts.content import ChatMessage
from agentkit.core.contracts.errors import UnsupportedOption
from agentkit.core.contracts.llm import GenerationOptions
from agentkit.core.contracts.types import ToolSchema
from agentkit.models.codecs._json import as_dict
from agentkit.models.codecs._structured import schema_of
from agentkit.models.codecs.ollama_chat._encode_messages import encode_messages

__all__ = ["encode_request"]

_RESERVED = frozenset({"messages", "stream"})
_EFFORTS: dict[str, str | bool] = {"none": False, "low": "low", "medium": "medium", "high": "high"}


def encode_request(
    messages: Sequence[ChatMessage],
    *,
    model: str,
    options: GenerationOptions = GenerationOptions(),  # noqa: B008 - frozen
    sender: str = "",
    stream: bool = True,
    keep_alive: str | float | None = None,
) -> dict[str, Any]:
    """Give the body of the request; an option left None is not in it.

    Opaque parts of *messages* are sent if *sender* is the provider that made them. *keep_alive* is
    how long the model stays loaded, in seconds or as `10m`. `options` in the options' `extra` join
    those that are set here, such as `num_ctx`.

    Raises:
        UnsupportedOption: The API has no place for something that was asked for.
        ValueError: `extra` holds a key that is the client's to set, or `response_format` is of no
            known form.

    """
    if taken := _RESERVED & options.extra.keys():
        raise ValueError(f"extra may not set {', '.join(sorted(taken))}")
    turns = encode_messages(messages, sender=sender)
    if options.system_instructions:
        turns.insert(0, {"role": "system", "content": options.system_instructions})
    body: dict[str, Any] = {"model": model, "messages": turns, "stream": stream}
    _put_tools(body, options)
    schema = schema_of(options.response_format)
    if schema is not None:
        body["format"] = schema or "json"
    if options.reasoning_effort is not None:
        body["think"] = _think(options.reasoning_effort)
    if keep_alive is not None:
        body["keep_alive"] = keep_alive
    tuning = {**_tuning(options), **as_dict(options.extra.get("options"))}
    return body | dict(options.extra) | ({"options": tuning} if tuning else {})


def _tuning(options: GenerationOptions) -> dict[str, Any]:
    named = {
        "temperature": options.temperature,
        "num_predict": options.max_tokens,
        "stop": options.stop,
        "seed": options.seed,
    }
    return {name: value for name, value in named.items() if value is not None}


def _put_tools(body: dict[str, Any], options: GenerationOptions) -> None:
    """Put the tools; without them no model calls any, which is what `none` asks for."""
    choice = options.tool_choice
    is_honoured = choice is None or (isinstance(choice, str) and choice in {"auto", "none"})
    if not is_honoured:
        raise UnsupportedOption(
            f"Ollama cannot be told which tool to call; got tool_choice {choice!r}",
            option="tool_choice",
        )
    if options.tools is not None and choice != "none":
        body["tools"] = [_tool(schema) for schema in options.tools]


def _tool(schema: ToolSchema) -> dict[str, Any]:
    parameters = schema.parameters or {"type": "object", "properties": {}}
    function = {"name": schema.name, "description": schema.description, "parameters": parameters}
    return {"type": "function", "function": function}


def _think(effort: str) -> str | bool:
    if effort not in _EFFORTS:
        raise UnsupportedOption(
            f"reasoning_effort: {effort!r} is none of {', '.join(_EFFORTS)}",
            option="reasoning_effort",
        )
    return _EFFORTS[effort]
