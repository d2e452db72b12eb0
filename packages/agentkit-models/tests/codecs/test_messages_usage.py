"""Token counts of the messages API: what is in the input, and when a later word replaces it."""

import json
from decimal import Decimal
from typing import Any

import pytest

from agentkit.core.contracts.types import ModelUsage
from agentkit.models.codecs.anthropic_messages import decode_response


def counted(**usage: Any) -> ModelUsage:
    return decode_response(json.dumps({"content": [], "usage": usage}).encode()).usage


def split(minutes: int, hours: int) -> dict[str, int]:
    return {"ephemeral_5m_input_tokens": minutes, "ephemeral_1h_input_tokens": hours}


@pytest.mark.parametrize(
    ("raw", "usage"),
    [
        ({"input_tokens": 3, "output_tokens": 2}, ModelUsage(3, output_tokens=2)),
        (
            {"input_tokens": 3, "cache_read_input_tokens": 40, "cache_creation_input_tokens": 500},
            ModelUsage(543, 40, 500),
        ),
        (
            {"cache_creation_input_tokens": 500, "cache_creation": split(100, 400)},
            ModelUsage(500, 0, 100, 400),
        ),
        (
            {"cache_creation_input_tokens": 500, "cache_creation": split(0, 0)},
            ModelUsage(500, 0, 500),
        ),
        (
            {"cache_creation_input_tokens": 500, "cache_creation": split(100, 0)},
            ModelUsage(500, 0, 500),
        ),
        ({"cache_creation": split(100, 400)}, ModelUsage(500, 0, 100, 400)),
        (
            {"output_tokens": 9, "output_tokens_details": {"thinking_tokens": 7}},
            ModelUsage(output_tokens=9, reasoning_tokens=7),
        ),
        ({"output_tokens": 9, "cost": 0.25}, ModelUsage(output_tokens=9, cost=Decimal("0.25"))),
        ({"input_tokens": 3, "output_tokens": None}, ModelUsage(3)),
    ],
    ids=[
        "plain",
        "cached",
        "split",
        "no split",
        "stale split",
        "split alone",
        "thinking",
        "cost",
        "null",
    ],
)
def test_the_input_holds_what_was_read_and_written(raw: dict[str, Any], usage: ModelUsage) -> None:
    found = counted(**raw)

    assert found.provenance == "reported"
    assert found + ModelUsage(provenance="unknown") == usage + ModelUsage()


@pytest.mark.parametrize("raw", [{}, {"input_tokens": 0, "output_tokens": 0}], ids=str)
def test_no_counts_are_unknown_not_none(raw: dict[str, Any]) -> None:
    assert counted(**raw) == ModelUsage()


def test_the_end_of_a_stream_restates_what_its_start_said() -> None:
    start = {"input_tokens": 5, "cache_read_input_tokens": 1, "output_tokens": 1}
    end = {"input_tokens": 9, "output_tokens": 7, "cache_read_input_tokens": None}
    frames = [
        {"type": "message_start", "message": {"usage": start}},
        {"type": "message_delta", "delta": {}, "usage": end},
        {"type": "message_stop"},
    ]

    usage = decode_response("".join(f"data: {json.dumps(f)}\n\n" for f in frames).encode()).usage

    assert usage == ModelUsage(10, 1, output_tokens=7, provenance="reported")
