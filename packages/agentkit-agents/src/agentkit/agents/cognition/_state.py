"""The state of a loop, and its form in a checkpoint.

Messages never hold a tool call without its outcome: an assistant turn that calls tools stays apart,
with the outcome of each call as it comes, and joins the messages when the last one is in.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import uuid4

from agentkit.agents.context import PrefixContext, WorkingContext
from agentkit.agents.results import ToolOutcome
from agentkit.core.contracts.errors import CheckpointerError
from agentkit.core.contracts.types import Message, ToolCall, Usage
from agentkit.core.serialization import from_json, to_json

__all__ = ["CallRecord", "LoopState", "PendingTurn"]

_FORMAT: Final = 1


@dataclass(slots=True, kw_only=True)
class CallRecord:
    """One tool call of a turn: what was asked, whether a person approved it, how it ended.

    `arguments` are those to run with, where the person changed them.
    """

    call: ToolCall
    approved: bool = False
    arguments: dict[str, Any] | None = None
    outcome: ToolOutcome | None = None

    @property
    def to_run(self) -> ToolCall:
        """The call with the arguments to run with."""
        if self.arguments is None:
            return self.call
        return ToolCall(self.call.id, self.call.name, self.arguments)


@dataclass(slots=True, kw_only=True)
class PendingTurn:
    """An assistant turn whose tool calls are being run.

    `waits` says that a person is to decide about the open ones, until `deadline_at`.
    """

    message: Message
    calls: list[CallRecord]
    waits: bool = False
    deadline_at: float | None = None

    @classmethod
    def of(cls, message: Message) -> "PendingTurn":
        """Give the turn that *message* begins."""
        return cls(message=message, calls=[CallRecord(call=call) for call in message.tool_calls])

    @property
    def open_calls(self) -> list[CallRecord]:
        """The calls that have no outcome yet."""
        return [record for record in self.calls if record.outcome is None]

    def as_messages(self) -> list[Message]:
        """Give the assistant message and what each of its calls came to."""
        return [self.message, *(_tool_message(record) for record in self.calls)]


@dataclass(slots=True, kw_only=True)
class LoopState:
    """Everything a loop needs to go on; `run` tells it from every other run, under one id too."""

    agent: str
    task: str
    context: WorkingContext
    run: str = field(default_factory=lambda: uuid4().hex)
    prompt_version: str = ""
    usage: Usage = field(default_factory=Usage)
    iteration: int = 0
    repairs: int = 0
    turn: PendingTurn | None = None
    result: dict[str, Any] | None = None

    @property
    def last_answer(self) -> str:
        """The text of the newest assistant message."""
        if self.turn is not None and self.turn.message.content:
            return self.turn.message.content
        texts = (m.content for m in reversed(self.context.messages) if m.role == "assistant")
        return next(texts, "")

    def to_json(self) -> dict[str, Any]:
        """Give the state as plain JSON.

        Raises:
            TypeError: The scratchpad holds something that is no JSON; what saves it says so.

        """
        return {
            "format": _FORMAT,
            "agent": self.agent,
            "task": self.task,
            "run": self.run,
            "prompt_version": self.prompt_version,
            "prefix": to_json(self.context.prefix),
            "messages": [to_json(message) for message in self.context.messages],
            "scratchpad": dict(self.context.scratchpad),
            "usage": to_json(self.usage),
            "iteration": self.iteration,
            "repairs": self.repairs,
            "turn": None if self.turn is None else _turn_to_json(self.turn),
            "result": self.result,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "LoopState":
        """Give the state that *data* is.

        Raises:
            CheckpointerError: It is none, or one of another version.

        """
        if data.get("format") != _FORMAT:
            raise CheckpointerError(
                f"the saved state has format {data.get('format')!r}; this version reads {_FORMAT}"
            )
        try:
            return _state_from_json(data)
        except (KeyError, TypeError, ValueError, AttributeError) as exc:
            raise CheckpointerError(f"the saved state cannot be read: {exc!r}") from exc


def _tool_message(record: CallRecord) -> Message:
    outcome = record.outcome or ToolOutcome(kind="not_run", text="ERROR: this call was not run")
    return Message("tool", outcome.text, name=record.call.name, tool_call_id=record.call.id)


def _turn_to_json(turn: PendingTurn) -> dict[str, Any]:
    return {
        "message": to_json(turn.message),
        "waits": turn.waits,
        "deadline_at": turn.deadline_at,
        "calls": [
            {
                "approved": record.approved,
                "arguments": record.arguments,
                "outcome": None if record.outcome is None else to_json(record.outcome),
            }
            for record in turn.calls
        ],
    }


def _turn_from_json(data: Mapping[str, Any]) -> PendingTurn:
    message = from_json(Message, data["message"])
    calls = [
        CallRecord(
            call=call,
            approved=saved["approved"],
            arguments=saved["arguments"],
            outcome=saved["outcome"] and from_json(ToolOutcome, saved["outcome"]),
        )
        for call, saved in zip(message.tool_calls, data["calls"], strict=True)
    ]
    return PendingTurn(
        message=message, calls=calls, waits=data["waits"], deadline_at=data["deadline_at"]
    )


def _state_from_json(data: Mapping[str, Any]) -> LoopState:
    context = WorkingContext(
        from_json(PrefixContext, data["prefix"]),
        [from_json(Message, message) for message in data["messages"]],
        dict(data["scratchpad"]),
    )
    return LoopState(
        agent=data["agent"],
        task=data["task"],
        context=context,
        run=data["run"],
        prompt_version=data["prompt_version"],
        usage=from_json(Usage, data["usage"]),
        iteration=data["iteration"],
        repairs=data["repairs"],
        turn=data["turn"] and _turn_from_json(data["turn"]),
        result=data["result"],
    )
