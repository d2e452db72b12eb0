"""Public dataclasses are made by keyword, unless the specification gives their fields an order."""

from dataclasses import fields, is_dataclass
from importlib import import_module

from public_modules import names_of_public_modules

# Those that the specification shows made by position, or lists with their fields in order.
POSITIONAL = {
    *("AgentResult", "Call", "Charge", "ChatRequest", "Checkpoint", "Chunk", "Decision", "Delta"),
    *("Agent", "CompletionEvent", "ContextDiff", "Elicitation", "EmbeddingResult", "Failure"),
    *("FetchResponse", "FrozenContext", "FunctionTool", "LLMResponse", "LLMResult", "Message"),
    *("ModelEntry", "ModelUsage", "MutationJournal", "Observation", "PrefixContext", "Price"),
    *("Prompt", "ProviderEntry", "ReasoningDelta", "ReplayRecord", "RequestBuilder", "RunContext"),
    *("RunMeta", "Scope", "SearchHit", "Stop", "StreamEvent", "Suspended", "TextDelta", "ToolCall"),
    *("ToolRequest", "ToolSchema", "TraceContext", "Turn", "Usage", "WorkingContext"),
    *("AudioBlock", "ChatMessage", "CodeBlock", "DataBlock", "DocumentBlock", "ErrorBlock"),
    *("ImageBlock", "TextBlock", "ThinkingBlock", "ToolResultBlock", "ToolUseBlock"),
    *("UnknownBlock", "VideoBlock"),
    *("AllOf", "AnyOf", "LastNTurns", "Not", "RoleFilter", "Since", "Tagged"),
    *("ApproxTokenCounter", "ImportanceFilteringCompactor", "SlidingWindowCompactor"),
    *("SummarizationCompactor", "TruncationCompactor"),
}

DATACLASSES = {
    exported
    for module in map(import_module, names_of_public_modules())
    for exported in (getattr(module, name) for name in getattr(module, "__all__", ()))
    if isinstance(exported, type) and is_dataclass(exported)
}


def takes_positions(dataclass: type) -> bool:
    return any(field.init and not field.kw_only for field in fields(dataclass))


def test_what_the_specification_does_not_order_is_made_by_keyword() -> None:
    assert {each.__name__ for each in DATACLASSES if takes_positions(each)} <= POSITIONAL


def test_the_list_of_those_made_by_position_has_no_other() -> None:
    assert {each.__name__ for each in DATACLASSES if takes_positions(each)} >= POSITIONAL
