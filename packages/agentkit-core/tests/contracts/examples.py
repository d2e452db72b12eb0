"""One full example of every value type, and the fields that are kept as they are."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from agentkit.core.contracts import content, llm, observation, ports, replay, types
from agentkit.core.contracts.errors import ErrorClass, Failure
from agentkit.core.execution import CancellationToken

NESTED: dict[str, Any] = {"a": [1, {"b": [None, "é"]}]}

USAGE = types.Usage(1, 2, 0.5, 3, 4)
MODEL_USAGE = types.ModelUsage(10, 1, 2, 3, 20, 5, Decimal("0.001"), "reported")
CALL = types.ToolCall("c1", "search", NESTED)
SCHEMA = types.ToolSchema("search", "finds", NESTED)
TEXT = content.TextBlock("hi", signature="s", provider="p")
THINKING = content.ThinkingBlock("hm", "sig", redacted=True, provider="p", opaque=NESTED)
MESSAGE = types.Message("assistant", "hi", "n", "t1", (CALL,), blocks=(THINKING, TEXT))
TOKEN = CancellationToken()

EXAMPLES: list[Any] = [
    types.Scope("acme", 2),
    USAGE,
    MODEL_USAGE,
    types.Price(*[Decimal(n) for n in range(1, 6)]),
    CALL,
    SCHEMA,
    MESSAGE,
    types.Chunk("1", "text", NESTED),
    types.ChatRequest([MESSAGE], "m", [SCHEMA], NESTED, 0.5, 9, "hint"),
    types.ToolRequest("search", NESTED, "tool", True, "url", call_id="c1"),
    types.LLMResult(
        "hi", "m", "p", "stop", USAGE, (CALL,), {"x": 1},
        blocks=(TEXT,), reasoning="hm", model_usage=MODEL_USAGE,
    ),
    types.Delta(
        "hi", "m", USAGE, "p", "stop", (CALL,), {"x": 1}, {"y": 1},
        reasoning="hm", blocks=(TEXT,), model_usage=MODEL_USAGE,
    ),
    types.StreamEvent("final", "t", "call", "result", "done", USAGE, "partial"),
    TEXT,
    THINKING,
    content.ToolUseBlock("c1", "search", NESTED, signature="s", provider="p"),
    content.ToolResultBlock("c1", "search", [TEXT], is_error=True),
    content.CodeBlock("x = 1", "py"),
    content.DataBlock(NESTED, "schema"),
    content.ErrorBlock("E", "bad", NESTED, recoverable=False),
    content.ImageBlock(data=b"\x00\xff", storage_key="k", media_type="image/png", detail="low"),
    content.AudioBlock("http://a", b"1", "audio/mp3", "hello"),
    content.VideoBlock("http://v", b"1", "video/webm"),
    content.DocumentBlock(file_id="f", media_type="text/plain", filename="a.txt"),
    content.UnknownBlock(NESTED, provider="p"),
    content.ChatMessage("user", [TEXT], "n", NESTED),
    llm.GenerationOptions(
        tools=[SCHEMA], system_instructions="be brief", temperature=0.0, max_tokens=5,
        tool_choice=NESTED, response_format=NESTED, stop=["."], seed=0, reasoning_effort="low",
        cache="5m", extra=NESTED,
    ),
    llm.LLMResponse([TEXT], MODEL_USAGE, finish_reason="end_turn", stop_kind="stop"),
    llm.EmbeddingResult([[1.0, 2.0]], "m", 3),
    llm.TextDelta("hi", "a", "r", 1),
    llm.ReasoningDelta("hm", "a", "r", 1),
    llm.CompletionEvent(
        [TEXT], MODEL_USAGE, {"k": "v"}, "a", "r", 2, finish_reason="stop", stop_kind="stop"
    ),
    llm.RunMeta("r", TOKEN, datetime(2026, 1, 1, tzinfo=UTC), "t", "tenant"),
    ports.SearchHit("http://a", "t", "s", 0.5, NESTED),
    ports.FetchResponse("http://a", 200, {"h": "v"}, "body", "text/html", 1.5),
    ports.Checkpoint("r", 1, NESTED, 1.5, ports.CheckpointStatus.DONE, NESTED),
    observation.TraceContext("1" * 32, "2" * 16),
    observation.Observation(
        "step", 1, 1.5, "a", "text", "r", NESTED, "p", observation.TraceContext("1", "2")
    ),
    replay.ReplayRecord("1" * 16, "chat", NESTED, NESTED),
    Failure(
        ErrorClass.PERMANENT, "s", "m", retriable=True, partial_output="half",
        children=(Failure(ErrorClass.UNKNOWN, "c", "m"),),
    ),
]  # fmt: skip

OPAQUE: dict[str, set[str]] = {
    "ChatRequest": {"cache_hint"},
    "ToolRequest": {"tool"},
    "LLMResult": {"parsed"},
    "Delta": {"parsed", "partial"},
    "StreamEvent": {"tool_call", "tool_result", "result", "partial_output"},
    "Failure": {"cause", "partial_output"},
    "RunMeta": {"cancellation"},
    "Observation": {"payload"},  # frozen when it is JSON, and kept as it is otherwise
}
"""The fields that are neither frozen nor pickled for their owner, by type."""
