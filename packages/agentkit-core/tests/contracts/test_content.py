"""Blocks: where media comes from, what they say, and how they travel as JSON."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

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
    blocks_text,
    content_block_from_dict,
    content_block_to_dict,
    content_blocks_to_str,
)
from agentkit.core.contracts.errors import BlockValidationError, Cancelled
from agentkit.core.contracts.llm import GenerationOptions, RunMeta
from agentkit.core.execution import CancellationToken

from .examples import EXAMPLES

BLOCKS = [v for v in EXAMPLES if type(v).__name__.endswith("Block")]


@pytest.mark.parametrize("block", BLOCKS, ids=lambda b: b.type)
def test_a_block_survives_json(block: Any) -> None:
    assert content_block_from_dict(content_block_to_dict(block)) == block


@pytest.mark.parametrize("block", BLOCKS, ids=lambda b: b.type)
def test_a_block_says_its_type(block: Any) -> None:
    assert content_block_to_dict(block)["type"] == block.type


def test_an_unrecognised_type_is_kept_as_it_came() -> None:
    raw = {"type": "hologram", "depth": 3}
    block = content_block_from_dict(raw)

    assert block == UnknownBlock(raw)
    assert content_block_to_dict(block) == raw


@pytest.mark.parametrize(
    "data",
    [
        {"type": "text"},
        {"type": "text", "text": 1},
        {"type": "image"},
        {"type": "image", "url": "a", "file_id": "b"},
        {"type": "tool_use", "call_id": "c"},
    ],
    ids=str,
)
def test_a_malformed_block_of_a_known_type_is_refused(data: dict[str, Any]) -> None:
    with pytest.raises(BlockValidationError, match=f"not a valid '{data['type']}' block"):
        content_block_from_dict(data)


@pytest.mark.parametrize("block", [ImageBlock, DocumentBlock])
def test_an_image_or_document_comes_from_exactly_one_place(block: Any) -> None:
    with pytest.raises(ValueError, match="exactly one of url, data, file_id"):
        block(url="a", data=b"b")


@pytest.mark.parametrize("block", [AudioBlock, VideoBlock])
def test_sound_and_pictures_come_from_somewhere(block: Any) -> None:
    with pytest.raises(ValueError, match="at least one of url, data"):
        block()


def test_the_text_of_blocks_is_joined_with_nothing_between() -> None:
    blocks: list[ContentBlock] = [
        TextBlock("a"),
        ThinkingBlock("hm"),
        ToolResultBlock("c", content=[TextBlock("b")]),
    ]

    assert blocks_text(blocks) == "ab"


def test_a_reader_is_told_of_what_is_no_text() -> None:
    blocks: list[ContentBlock] = [
        TextBlock("look: "),
        ImageBlock(url="u"),
        ToolUseBlock("c", "search"),
    ]

    assert content_blocks_to_str(blocks) == "look: [image image/jpeg][tool call search]"


@pytest.mark.parametrize(
    ("block", "shown"),
    [
        (TextBlock("a"), "a"),
        (ThinkingBlock("hm"), "hm"),
        (ToolUseBlock("c", "search", {"q": 1}), "[tool call search]"),
        (
            ToolResultBlock("c", content=[TextBlock("a"), ImageBlock(url="u")]),
            "a[image image/jpeg]",
        ),
        (CodeBlock("x = 1"), "```python\nx = 1\n```"),
        (DataBlock({"a": 1}), "[data]"),
        (DataBlock({"a": 1}, "invoice"), "[data invoice]"),
        (ErrorBlock("Timeout", "late"), "Timeout: late"),
        (ImageBlock(file_id="f", media_type="image/png"), "[image image/png]"),
        (AudioBlock("u"), "[audio audio/wav]"),
        (AudioBlock("u", transcript="hello"), "hello"),
        (VideoBlock("u"), "[video video/mp4]"),
        (DocumentBlock("u"), "[document application/pdf]"),
        (DocumentBlock("u", filename="a.pdf"), "[document a.pdf]"),
        (UnknownBlock({"type": "hologram"}), "[unknown block]"),
    ],
    ids=repr,
)
def test_each_block_has_a_text_for_a_reader(block: ContentBlock, shown: str) -> None:
    assert block.to_text_repr() == shown


def test_an_error_may_have_no_details() -> None:
    assert ErrorBlock("Timeout", "late").details is None


def test_media_bytes_stay_out_of_a_repr() -> None:
    assert "secret" not in repr(ImageBlock(data=b"secret"))


def test_a_message_takes_any_sequence_of_blocks_and_keeps_its_own() -> None:
    given: list[ContentBlock] = [TextBlock("a")]
    message = ChatMessage("user", given)

    given.append(TextBlock("b"))

    assert message.content == [TextBlock("a")]


def test_options_left_out_are_not_sent() -> None:
    options = GenerationOptions()

    assert (options.temperature, options.max_tokens, options.stop) == (None, None, None)


def _meta(token: CancellationToken | None = None, **fields: Any) -> RunMeta:
    return RunMeta("r", token or CancellationToken(), **fields)


def test_a_cancelled_run_is_expired_and_says_why() -> None:
    token = CancellationToken()
    token.cancel("user left")

    assert _meta(token).is_expired()
    with pytest.raises(Cancelled, match="user left"):
        _meta(token).check()


def test_a_run_past_its_deadline_is_expired() -> None:
    meta = _meta(deadline=datetime.now(UTC) - timedelta(seconds=1))

    assert meta.is_expired()
    with pytest.raises(Cancelled, match=r"^deadline exceeded$"):
        meta.check()


def test_two_runs_can_be_told_apart_in_a_set_without_comparing_them() -> None:
    assert hash(_meta(tenant_id="a")) != hash(_meta(tenant_id="b"))


def test_a_live_run_goes_on() -> None:
    meta = _meta(deadline=datetime.now(UTC) + timedelta(hours=1))

    meta.check()

    assert not meta.is_expired()


def test_a_deadline_without_a_time_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="needs a time zone"):
        _meta(deadline=datetime(2026, 1, 1))  # noqa: DTZ001 - the mistake under test


def test_a_child_token_is_cancelled_with_the_run_only() -> None:
    token = CancellationToken()
    child = _meta(token).child_token()

    token.cancel()

    assert child.is_cancelled
