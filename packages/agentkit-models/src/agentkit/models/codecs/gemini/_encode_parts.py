"""One neutral block to the parts of a request."""

import mimetypes
from base64 import b64encode
from collections.abc import Callable
from typing import Any

from agentkit.core.contracts.content import (
    AudioBlock,
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
from agentkit.models.codecs.gemini._answer import BESIDE
from agentkit.models.codecs.gemini._drafts import MADE_ID, SIGNATURE

__all__ = ["encode_part", "is_media", "result_part", "text_of"]

_DETAIL = {"low": "MEDIA_RESOLUTION_LOW", "high": "MEDIA_RESOLUTION_HIGH"}

Part = dict[str, Any]


def encode_part(block: ContentBlock, *, sender: str) -> Part | None:
    """Give *block* as a part, or None where it has no place in a request to *sender*.

    What a provider wants back goes to that provider only; a signature that stands alone belongs to
    the part before and is for the caller to put there.

    Raises:
        UnsupportedOption: The API cannot take it as it is.

    """
    is_own = bool(sender) and getattr(block, "provider", "") == sender
    if isinstance(block, ThinkingBlock):
        return _signed({"text": block.text, "thought": True}, block) if is_own else None
    if isinstance(block, UnknownBlock):
        return dict(block.raw) if is_own and block.raw.keys().isdisjoint(BESIDE) else None
    if isinstance(block, TextBlock):
        return _signed({"text": block.text}, block) if is_own else {"text": block.text}
    if isinstance(block, ToolUseBlock):
        part = {"functionCall": _call(block)}
        return _signed(part, block) if is_own else part
    return _PARTS[type(block)](block)


def result_part(result: ToolResultBlock, *, name: str) -> Part:
    """Give the result of the tool *name*, without the media in it."""
    said = [block for block in result.content if not is_media(block)]
    if len(said) == 1 and isinstance(said[0], DataBlock):
        output: Any = said[0].data
    else:
        output = "".join(map(text_of, said))
    response: dict[str, Any] = {"name": name}
    if result.call_id and not result.call_id.startswith(MADE_ID):
        response["id"] = result.call_id
    response["response"] = {"error" if result.is_error else "output": output}
    return {"functionResponse": response}


def is_media(block: ContentBlock) -> bool:
    """Whether *block* is seen or heard."""
    return isinstance(block, ImageBlock | AudioBlock | VideoBlock | DocumentBlock)


def text_of(block: ContentBlock) -> str:
    """Give what *block* says as text.

    Raises:
        UnsupportedOption: It says nothing that text can hold.

    """
    if isinstance(block, TextBlock):
        return block.text
    if isinstance(block, DataBlock):
        return canonical_json(block.data)
    if isinstance(block, CodeBlock | ErrorBlock):
        return block.to_text_repr()
    raise UnsupportedOption(f"Gemini takes no {block.type} block here", option=block.type)


def _signed(part: Part, block: TextBlock | ThinkingBlock | ToolUseBlock) -> Part:
    return part if block.signature is None else part | {SIGNATURE: block.signature}


def _call(block: ToolUseBlock) -> dict[str, Any]:
    call: dict[str, Any] = {"name": block.tool_name, "args": block.arguments}
    if not block.call_id.startswith(MADE_ID):
        call["id"] = block.call_id
    return call


def _image(block: ImageBlock) -> Part:
    if block.data is not None:
        part = _inline(block.data, block.media_type)
    elif block.url is not None:
        part = _file(block.url, block.media_type, usual="image/jpeg")
    else:
        part = {"fileData": {"fileUri": block.file_id}}
    if block.detail == "auto":
        return part
    if block.detail not in _DETAIL:
        raise UnsupportedOption(f"Gemini has no detail {block.detail!r}", option="detail")
    return part | {"mediaResolution": {"level": _DETAIL[block.detail]}}


def _audio(block: AudioBlock) -> Part:
    if block.data is not None:
        return _inline(block.data, block.media_type)
    return _file(block.url or "", block.media_type, usual="audio/wav")


def _video(block: VideoBlock) -> Part:
    if block.data is not None:
        return _inline(block.data, block.media_type)
    return _file(block.url or "", block.media_type, usual="video/mp4")


def _document(block: DocumentBlock) -> Part:
    if block.data is not None:
        return _inline(block.data, block.media_type)
    if block.url is not None:
        return _file(block.url, block.media_type, usual="application/pdf")
    return {"fileData": {"fileUri": block.file_id}}


def _inline(data: bytes, media_type: str) -> Part:
    return {"inlineData": {"mimeType": media_type, "data": b64encode(data).decode()}}


def _file(url: str, media_type: str, *, usual: str) -> Part:
    """Give a file at *url*; a media type that is only the block's default yields to the name's."""
    if media_type == usual:
        media_type = mimetypes.guess_type(url.partition("?")[0])[0] or usual
    return {"fileData": {"mimeType": media_type, "fileUri": url}}


def _text_part(block: ContentBlock) -> Part:
    return {"text": text_of(block)}


_PARTS: dict[type, Callable[[Any], Part]] = {
    CodeBlock: _text_part,
    DataBlock: _text_part,
    ErrorBlock: _text_part,
    ImageBlock: _image,
    AudioBlock: _audio,
    DocumentBlock: _document,
    VideoBlock: _video,
}
