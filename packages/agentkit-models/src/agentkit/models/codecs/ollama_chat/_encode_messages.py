"""One neutral message to the messages of a request."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any

from agentkit.core.contracts.content import (
    ChatMessage,
    CodeBlock,
    ContentBlock,
    DataBlock,
    ErrorBlock,
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    UnknownBlock,
)
from agentkit.core.contracts.errors import UnsupportedOption
from agentkit.core.serialization import canonical_json

__all__ = ["encode_messages"]

_ROLES = frozenset({"system", "user", "assistant", "tool"})


def encode_messages(messages: Sequence[ChatMessage], *, sender: str) -> list[dict[str, Any]]:
    """Give the wire messages: one for each message, or one for each tool result in it.

    Raises:
        UnsupportedOption: The API has no place for a role, a name or a block.

    """
    names = {
        block.call_id: block.tool_name
        for message in messages
        for block in message.content
        if isinstance(block, ToolUseBlock)
    }
    return [turn for message in messages for turn in _turns(message, sender, names)]


def _turns(message: ChatMessage, sender: str, names: Mapping[str, str]) -> list[dict[str, Any]]:
    _check(message)
    results = [block for block in message.content if isinstance(block, ToolResultBlock)]
    rest = [block for block in message.content if not isinstance(block, ToolResultBlock)]
    wire = [_result(result, names) for result in results]
    if rest or not results:
        is_assistant = message.role == "assistant"
        turn = _assistant(rest, sender) if is_assistant else _said(rest)
        wire.append({"role": message.role, **turn})
    return wire


def _check(message: ChatMessage) -> None:
    if message.role not in _ROLES:
        raise UnsupportedOption(f"Ollama has no role {message.role!r}", option="role")
    if message.name is not None and message.role in {"user", "assistant"}:
        raise UnsupportedOption(
            f"Ollama takes no name of a speaker; got {message.name!r}", option="name"
        )


def _result(result: ToolResultBlock, names: Mapping[str, str]) -> dict[str, Any]:
    """Give a tool's result; the API has no mark for a failed one, so the text says it."""
    turn = {"role": "tool", **_said(result.content), "tool_call_id": result.call_id}
    if result.is_error and not turn["content"].lower().startswith("error"):
        turn["content"] = f"ERROR: {turn['content']}"
    if name := result.name or names.get(result.call_id):
        turn["tool_name"] = name
    return turn


def _said(blocks: Sequence[ContentBlock]) -> dict[str, Any]:
    """Give the text of *blocks*, and the images beside it: the API has no order among them."""
    turn: dict[str, Any] = {
        "content": "".join(_text(block) for block in blocks if not isinstance(block, ImageBlock))
    }
    if images := [_image(block) for block in blocks if isinstance(block, ImageBlock)]:
        turn["images"] = images
    return turn


def _assistant(blocks: Sequence[ContentBlock], sender: str) -> dict[str, Any]:
    own = [
        b for b in blocks if isinstance(b, ThinkingBlock) and b.provider and b.provider == sender
    ]
    calls = [block for block in blocks if isinstance(block, ToolUseBlock)]
    rest = [b for b in blocks if not isinstance(b, ThinkingBlock | ToolUseBlock | UnknownBlock)]
    turn = _said(rest)
    if thinking := "".join(block.text for block in own):
        turn["thinking"] = thinking
    if calls:
        turn["tool_calls"] = [_tool_call(index, call) for index, call in enumerate(calls)]
    return turn


def _tool_call(index: int, call: ToolUseBlock) -> dict[str, Any]:
    function = {"index": index, "name": call.tool_name, "arguments": call.arguments}
    return {"id": call.call_id, "function": function}


def _image(block: ImageBlock) -> str:
    if block.data is None:
        _refuse(block, "image by URL or file id")
    if block.detail != "auto":
        _refuse(block, f"image in {block.detail!r} detail")
    return b64encode(block.data or b"").decode()


def _text(block: ContentBlock) -> str:
    if isinstance(block, TextBlock):
        return block.text
    if isinstance(block, DataBlock):
        return canonical_json(block.data)
    if isinstance(block, CodeBlock | ErrorBlock):
        return block.to_text_repr()
    return _refuse(block)


def _refuse(block: ContentBlock, what: str = "") -> str:
    raise UnsupportedOption(
        f"Ollama takes no {what or block.type + ' block'} here", option=block.type
    )
