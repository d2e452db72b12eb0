"""The tool calls of an answer, made fit to be run, saved and told apart."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from agentkit.agents._json import is_json
from agentkit.core.contracts.content import ContentBlock, ToolUseBlock
from agentkit.core.contracts.types import RAW_ARGUMENTS, Message, ToolCall

__all__ = ["blocks_with", "ids_in", "settled_calls"]


def settled_calls(calls: Iterable[ToolCall], taken: Iterable[str]) -> tuple[ToolCall, ...]:
    """Give *calls* with ids that neither each other nor *taken* have, and arguments to save.

    Some providers send no id, or the tool's name, or begin anew with each answer. An id that is
    the run's first of its kind stays as it is. Arguments that are no JSON become what is told of
    malformed ones.
    """
    seen = set(taken)
    settled: list[ToolCall] = []
    for number, call in enumerate(calls, 1):
        own = _free_id(call.id, number, seen)
        seen.add(own)
        fits = is_json(call.arguments)
        if own == call.id and fits:
            settled.append(call)
            continue
        arguments = call.arguments if fits else {RAW_ARGUMENTS: _shown(call)}
        settled.append(ToolCall(own, call.name, arguments))
    return tuple(settled)


def blocks_with(
    calls: Sequence[ToolCall], blocks: Sequence[ContentBlock], sent: Sequence[ToolCall]
) -> tuple[ContentBlock, ...]:
    """Give *blocks* naming *calls* where they name the calls as they were *sent*.

    Blocks that tell of other calls than those are left out: what is said twice must agree.
    """
    named = [block for block in blocks if isinstance(block, ToolUseBlock)]
    if calls == sent or not named:
        return tuple(blocks)
    if [(block.call_id, block.tool_name) for block in named] != [(c.id, c.name) for c in sent]:
        return ()
    settled = iter(calls)
    return tuple(
        _naming(next(settled), block) if isinstance(block, ToolUseBlock) else block
        for block in blocks
    )


def ids_in(messages: Iterable[Message]) -> set[str]:
    """Give the ids of every call in *messages*."""
    return {call.id for message in messages for call in message.tool_calls}


def _naming(call: ToolCall, block: ToolUseBlock) -> ToolUseBlock:
    return replace(block, call_id=call.id, arguments=call.arguments)


def _free_id(given: str, number: int, taken: set[str]) -> str:
    if given and given not in taken:
        return given
    while True:
        own = f"{given or 'call'}-{number}"
        if own not in taken:
            return own
        number += 1


def _shown(call: ToolCall) -> str:
    try:
        return repr(dict(call.arguments))
    except Exception:  # noqa: BLE001 - what it holds is not ours
        return "what is no JSON"
