"""One neutral message to the messages of a request."""

import json
from base64 import b64encode
from collections.abc import Callable, Sequence
from typing import Any

from agentkit.core.contracts.content import (
    AudioBlock,
    ChatMessage,
    CodeBlock,
    ContentBlock,
    DataBlock,
    DocumentBlock,
    ErrorBlock,
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    UnknownBlock,
    VideoBlock,
)
from agentkit.core.contracts.errors import UnsupportedOption
from agentkit.core.serialization import canonical_json
from agentkit.models.codecs._json import as_dict, load
from agentkit.models.codecs.chat_completions._blocks import FIELD, FUNCTION_CALL, REFUSAL

__all__ = ["encode_message"]

_AUDIO_FORMATS = {
    "audio/wav": "wav",
    "audio/x-wav": "wav",
    "audio/wave": "wav",
    "audio/mp3": "mp3",
    "audio/mpeg": "mp3",
}


def encode_message(message: ChatMessage, *, sender: str) -> list[dict[str, Any]]:
    """Give the wire messages of *message*: one, or one for each tool result in it.

    Raises:
        UnsupportedOption: The API has no place for a block.

    """
    results = [block for block in message.content if isinstance(block, ToolResultBlock)]
    rest = [block for block in message.content if not isinstance(block, ToolResultBlock)]
    wire = [_tool_message(result) for result in results]
    if rest or not results:
        turn = _assistant(rest, sender) if message.role == "assistant" else _speaker(message, rest)
        if message.name:
            turn["name"] = message.name
        wire.append(turn)
    return wire


def _tool_message(result: ToolResultBlock) -> dict[str, Any]:
    """Give a tool's result; the API has no mark for a failed one, so the text says it."""
    text = "".join(_text(block) for block in result.content)
    if result.is_error and not text.lower().startswith("error"):
        text = f"ERROR: {text}"
    return {"role": "tool", "tool_call_id": result.call_id, "content": text}


def _speaker(message: ChatMessage, blocks: Sequence[ContentBlock]) -> dict[str, Any]:
    if all(isinstance(block, TextBlock | CodeBlock | DataBlock | ErrorBlock) for block in blocks):
        return {"role": message.role, "content": "".join(_text(block) for block in blocks)}
    return {"role": message.role, "content": [_part(block) for block in blocks]}


def _assistant(blocks: Sequence[ContentBlock], sender: str) -> dict[str, Any]:
    turn: dict[str, Any] = {"role": "assistant", "content": None}
    text: list[str] = []
    for block in blocks:
        if isinstance(block, ToolUseBlock):
            turn.setdefault("tool_calls", []).append(_tool_call(block, sender))
        elif isinstance(block, ThinkingBlock | UnknownBlock):
            turn |= _opaque(block) if block.provider and block.provider == sender else {}
        elif isinstance(block, ErrorBlock) and block.error_type == REFUSAL:
            turn["refusal"] = block.message
        else:
            text.append(_text(block))
    if text or "tool_calls" not in turn:
        turn["content"] = "".join(text)
    return _with_thinking_part(turn)


def _tool_call(block: ToolUseBlock, sender: str) -> dict[str, Any]:
    call: dict[str, Any] = {
        "id": block.call_id,
        "type": "function",
        "function": {"name": block.tool_name, "arguments": json.dumps(block.arguments)},
    }
    if block.signature and block.provider == sender:
        call |= as_dict(load(block.signature))
    return call


def _opaque(block: ThinkingBlock | UnknownBlock) -> dict[str, Any]:
    """Give the fields that put back what the provider sent."""
    if isinstance(block, UnknownBlock):
        function = {key: value for key, value in block.raw.items() if key != "type"}
        return {FUNCTION_CALL: function} if block.raw.get("type") == FUNCTION_CALL else {}
    fields = dict(block.opaque)
    if name := fields.pop(FIELD, None):
        fields[name] = block.text
    return fields


def _with_thinking_part(turn: dict[str, Any]) -> dict[str, Any]:
    """Give *turn* with its reasoning among the content parts, where that is the provider's form."""
    if (thought := turn.pop("thinking", None)) is None:
        return turn
    parts: list[Any] = [{"type": "thinking", "thinking": [{"type": "text", "text": thought}]}]
    if turn["content"]:
        parts.append({"type": "text", "text": turn["content"]})
    return turn | {"content": parts}


def _text(block: ContentBlock) -> str:
    if isinstance(block, TextBlock):
        return block.text
    if isinstance(block, DataBlock):
        return canonical_json(block.data)
    if isinstance(block, CodeBlock | ErrorBlock):
        return block.to_text_repr()
    return str(_refuse(block))


def _image(block: ImageBlock) -> dict[str, Any]:
    if block.file_id is not None:
        return _refuse(block, "an image by file id")
    image = {"url": block.url or _data_url(block.data, block.media_type)}
    if block.detail != "auto":
        image["detail"] = block.detail
    return {"type": "image_url", "image_url": image}


def _audio(block: AudioBlock) -> dict[str, Any]:
    kind = _AUDIO_FORMATS.get(block.media_type)
    if block.data is None or kind is None:
        return _refuse(block, f"audio by URL, or as {block.media_type}")
    sound = {"data": b64encode(block.data).decode(), "format": kind}
    return {"type": "input_audio", "input_audio": sound}


def _document(block: DocumentBlock) -> dict[str, Any]:
    if block.url is not None:
        return _refuse(block, "a document by URL")
    if block.file_id is not None:
        return {"type": "file", "file": {"file_id": block.file_id}}
    name = block.filename or "document"
    data = _data_url(block.data, block.media_type)
    return {"type": "file", "file": {"filename": name, "file_data": data}}


def _video(block: VideoBlock) -> dict[str, Any]:
    url = block.url or _data_url(block.data, block.media_type)
    return {"type": "video_url", "video_url": {"url": url}}


def _part(block: ContentBlock) -> dict[str, Any]:
    encode = _PARTS.get(type(block))
    return encode(block) if encode else _refuse(block)


def _text_part(block: ContentBlock) -> dict[str, Any]:
    return {"type": "text", "text": _text(block)}


def _data_url(data: bytes | None, media_type: str) -> str:
    return f"data:{media_type};base64,{b64encode(data or b'').decode()}"


def _refuse(block: ContentBlock, what: str = "") -> dict[str, Any]:
    raise UnsupportedOption(
        f"the chat-completions API takes no {what or block.type + ' block'} here",
        option=block.type,
    )


_PARTS: dict[type, Callable[[Any], dict[str, Any]]] = {
    TextBlock: _text_part,
    CodeBlock: _text_part,
    DataBlock: _text_part,
    ErrorBlock: _text_part,
    ImageBlock: _image,
    AudioBlock: _audio,
    DocumentBlock: _document,
    VideoBlock: _video,
}
