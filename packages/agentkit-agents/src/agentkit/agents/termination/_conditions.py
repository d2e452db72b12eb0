"""The conditions that come with agentkit."""

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Self

from agentkit.agents._checks import check_amount, check_count
from agentkit.agents.termination._base import Stop, TerminationCondition
from agentkit.core.contracts.types import Message
from agentkit.core.runtime import SystemClock

__all__ = [
    "ExternalTermination",
    "FunctionCall",
    "FunctionalTermination",
    "MaxMessages",
    "MaxTurns",
    "SourceMatch",
    "TextMention",
    "Timeout",
    "judge_termination",
]


_NOW: Final = SystemClock().now


class _Counting(TerminationCondition):
    """Stops once *n* messages that count have come."""

    reason = ""

    def __init__(self, n: int) -> None:
        super().__init__()
        check_count(f"n of {type(self).__name__}", n, least=1)
        self._n = n
        self._seen = 0

    async def decide(self, messages: Sequence[Message], ctx: Any) -> Stop | None:  # noqa: ARG002
        await self.replay(messages)
        return Stop(self.reason, {"count": self._seen}) if self._seen >= self._n else None

    async def reset(self) -> None:
        await super().reset()
        self._seen = 0

    async def replay(self, messages: Sequence[Message]) -> None:
        self._seen += sum(1 for message in messages if self.counts(message))

    def counts(self, message: Message) -> bool:  # noqa: ARG002 - the shape for those that look
        return True


class MaxMessages(_Counting):
    """Stops after *n* messages."""

    reason = "max_messages"


class MaxTurns(_Counting):
    """Stops after *n* answers of a model."""

    reason = "max_turns"

    def counts(self, message: Message) -> bool:
        """Count assistant messages."""
        return message.role == "assistant"


class TextMention(TerminationCondition):
    """Stops when *text* occurs, in any message or in those that *sources* (names or roles) sent."""

    def __init__(self, text: str, *, sources: Iterable[str] | None = None) -> None:
        super().__init__()
        if not text:
            raise ValueError("every message mentions the empty text: give some")
        self._text = text
        self._sources = None if sources is None else frozenset(sources)

    async def decide(self, messages: Sequence[Message], ctx: Any) -> Stop | None:  # noqa: ARG002
        """Stop on the first mention."""
        found = any(self._text in message.content for message in messages if self._heeds(message))
        return Stop("text_mention", {"text": self._text}) if found else None

    def _heeds(self, message: Message) -> bool:
        return self._sources is None or bool(self._sources & {message.name, message.role})


class FunctionCall(TerminationCondition):
    """Stops when the model asks for the tool *name*; the call is not run."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    async def decide(self, messages: Sequence[Message], ctx: Any) -> Stop | None:  # noqa: ARG002
        """Stop on the first such call."""
        calls = (call for message in messages for call in message.tool_calls)
        found = any(call.name == self._name for call in calls)
        return Stop("function_call", {"name": self._name}) if found else None


class SourceMatch(TerminationCondition):
    """Stops when one of *sources* speaks."""

    def __init__(self, *sources: str) -> None:
        super().__init__()
        self._sources = frozenset(sources)

    async def decide(self, messages: Sequence[Message], ctx: Any) -> Stop | None:  # noqa: ARG002
        """Stop on the first message of one of them."""
        names = [message.name for message in messages if message.name in self._sources]
        return Stop("source_match", {"source": names[0]}) if names else None


class Timeout(TerminationCondition):
    """Stops at the first message once *seconds* have passed since the run began or was resumed."""

    def __init__(self, seconds: float, *, clock: Callable[[], float] = _NOW) -> None:
        super().__init__()
        check_amount("seconds", seconds)
        self._seconds = seconds
        self._clock = clock
        self._since = clock()

    async def decide(self, messages: Sequence[Message], ctx: Any) -> Stop | None:  # noqa: ARG002
        """Stop when the time is up."""
        elapsed = self._clock() - self._since
        return Stop("timeout", {"elapsed_s": elapsed}) if elapsed >= self._seconds else None

    async def reset(self) -> None:
        """Begin to count now."""
        await super().reset()
        self._since = self._clock()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return type(self)(self._seconds, clock=self._clock)


class ExternalTermination(TerminationCondition):
    """Stops when somebody outside says so with `set`; every run it is given to shares it."""

    def __init__(self) -> None:
        super().__init__()
        self._is_set = False

    def set(self) -> None:
        """Stop the runs at their next message."""
        self._is_set = True

    async def decide(self, messages: Sequence[Message], ctx: Any) -> Stop | None:  # noqa: ARG002
        """Stop when it is set."""
        return Stop("external") if self._is_set else None

    async def reset(self) -> None:
        """Do nothing: what was set before the run began still holds."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


class FunctionalTermination(TerminationCondition):
    """Stops when *predicate*, sync or async, is true of the new messages."""

    def __init__(
        self, predicate: Callable[[Sequence[Message]], Any], *, reason: str = "predicate"
    ) -> None:
        super().__init__()
        self._predicate = predicate
        self._reason = reason

    async def decide(self, messages: Sequence[Message], ctx: Any) -> Stop | None:  # noqa: ARG002
        """Stop when it is true."""
        verdict = self._predicate(messages)
        if inspect.isawaitable(verdict):
            verdict = await verdict
        return Stop(self._reason) if verdict else None

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return type(self)(self._predicate, reason=self._reason)


class _Judged(TerminationCondition):
    """Stops when a judge answers a question about the newest message with yes."""

    def __init__(self, judge: Any, question: str, *, ctx: Any, reason: str, yes: str) -> None:
        super().__init__()
        self._judge = judge
        self._question = question
        self._ctx = ctx
        self._reason = reason
        self._yes = yes

    async def decide(self, messages: Sequence[Message], ctx: Any) -> Stop | None:
        text = "\n".join(message.content for message in messages)
        reply = await self._reply(f"{self._question}\n\n{text}", ctx or self._ctx)
        agrees = reply.strip().upper().startswith(self._yes.upper())
        return Stop(self._reason, {"reply": reply}) if agrees else None

    async def _reply(self, question: str, ctx: Any) -> str:
        if hasattr(self._judge, "run"):
            return str((await self._judge.run(question, ctx.child())).output)
        reply = self._judge(question)
        return str(await reply if inspect.isawaitable(reply) else reply)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return type(self)(
            self._judge, self._question, ctx=self._ctx, reason=self._reason, yes=self._yes
        )


def judge_termination(
    judge: Any, ctx: Any = None, *, question: str, reason: str = "judged", yes: str = "YES"
) -> TerminationCondition:
    """Give a condition that stops when *judge* answers *question* about new messages with *yes*.

    The judge is an agent, run in a child of the run (or of *ctx*), or a function from the question
    to the reply. The reply must begin with *yes*.
    """
    return _Judged(judge, question, ctx=ctx, reason=reason, yes=yes)
