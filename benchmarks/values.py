"""Freezing and hashing a value, and importing the types of them all."""

import copy
import hashlib
import json
import subprocess
import sys
from time import process_time
from typing import Any

from measuring import Row, Sample, seconds_of

from agentkit.core.contracts.types import ChatRequest, Message, ToolCall, ToolSchema
from agentkit.core.serialization import deep_freeze, stable_hash

__all__ = ["imports", "values"]

IMPORTS = "agentkit.core.contracts.types, agentkit.core.runtime"
IMPORTS_FLOOR = "asyncio, dataclasses, typing, json"
EVERY_NAME = "from agentkit.core.contracts.types import *; from agentkit.core.runtime import *"
ARGUMENTS: dict[str, Any] = {
    "query": "octopus cognition",
    "filters": {"tags": ["marine", "biology"], "year": {"from": 2010, "to": 2026}},
    "limit": 20,
    "fields": ["title", "abstract", "authors", "year"],
    "options": {"safe": True, "boost": 1.5, "sort": [{"by": "year", "order": "desc"}]},
}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"query": {"type": "string"}},
    "required": ["query"],
}


def values() -> list[Row]:
    """Freezing and hashing, against copying and against JSON."""
    request = ChatRequest(
        [Message("system", "Answer with care."), *[_turn(n) for n in range(19)]],
        "fake-model",
        tools=[ToolSchema("s", "Searches.", SCHEMA)],
    )

    def by_hand() -> str:
        text = json.dumps(_plain(request), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    return [
        Row(
            what="freezing a tool call's arguments",
            ours=seconds_of(lambda: deep_freeze(ARGUMENTS), times=500, clock=process_time),
            floor=seconds_of(lambda: copy.deepcopy(ARGUMENTS), times=500, clock=process_time),
            against="copy.deepcopy",
            at_most=0.6,
        ),
        Row(
            what="stable_hash of 20 messages",
            ours=seconds_of(lambda: stable_hash(request), times=50, clock=process_time),
            floor=seconds_of(by_hand, times=50, clock=process_time),
            against="json.dumps and sha256",
            at_most=1.5,
        ),
    ]


def _turn(number: int) -> Message:
    if number % 2:
        return Message("user", f"what about number {number}? " * 8)
    call = ToolCall(f"c{number}", "s", ARGUMENTS)
    return Message("assistant", "let me see " * 6, tool_calls=(call,))


def _plain(request: ChatRequest) -> dict[str, Any]:
    """Give *request* as a person would write it down, fields left empty and all."""
    return {
        "messages": [
            {
                "role": m.role,
                "content": m.content,
                "name": m.name,
                "tool_call_id": m.tool_call_id,
                "tool_calls": [
                    {"id": c.id, "name": c.name, "arguments": c.arguments} for c in m.tool_calls
                ],
                "blocks": [],
            }
            for m in request.messages
        ],
        "model": request.model,
        "tools": [
            {"name": t.name, "description": t.description, "parameters": t.parameters}
            for t in request.tools or ()
        ],
        "response_format": request.response_format,
        "temperature": request.temperature,
        "max_tokens": request.max_tokens,
        "cache_hint": request.cache_hint,
    }


def imports() -> list[Row]:
    """The import of the vocabulary and the runtime, against that of what they stand on.

    A package loads what it is asked for, so the second row is what a program pays that asks for
    every name.
    """
    floor = _seconds_to(f"import {IMPORTS_FLOOR}")
    ours = _seconds_to(f"import {IMPORTS}")
    all_of_it = _seconds_to(EVERY_NAME)
    what = "importing types and runtime"
    return [
        Row(what=what, ours=ours, floor=floor, against=IMPORTS_FLOOR, at_most=1.5, unit="ms"),
        Row(what=f"{what}, every name", ours=all_of_it, floor=floor, against="same", unit="ms"),
    ]


def _seconds_to(statement: str) -> Sample:
    program = f"import time; start = time.process_time(); {statement}; "
    program += "print(time.process_time() - start)"

    async def sample() -> float:
        done = subprocess.run(  # noqa: ASYNC221, S603 - nothing else is to run meanwhile
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        )
        return float(done.stdout)

    return sample
