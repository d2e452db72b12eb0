"""The agent: a name, a model, a prompt, an output, and a way to think."""

import warnings
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from agentkit.agents._capabilities import check_capabilities, native_format
from agentkit.agents._settings import check_settings
from agentkit.agents.cognition import Cognition, Resumable, SingleCallCognition
from agentkit.agents.context import RequestBuilder, WorkingContext
from agentkit.agents.gates import DecisionLike
from agentkit.agents.output import adapt
from agentkit.agents.prompts import Prompt
from agentkit.agents.results import AgentResult
from agentkit.core.contracts.errors import OutputCoercionError
from agentkit.core.contracts.middleware import closing
from agentkit.core.contracts.protocols import SchemaAdapter
from agentkit.core.contracts.types import StreamEvent
from agentkit.core.telemetry import SafeSpan, run_span

__all__ = ["Agent"]


@dataclass
class Agent:
    """Something that works on a task with a model.

    `prompt` is a text or a `Prompt` whose inputs are bound. `output` declares what it answers, as
    `adapt` takes it; `parse` makes the typed answer out of the text instead; `max_repairs` is
    how often it may answer again where the text does not fit. `request_builder` goes before
    `prompt`. `temperature` and `max_tokens` None are left to the provider, and so is
    `response_format`, unless the model is known to take the schema of `output` natively.
    `requires` names capabilities of the model, and `on_unknown_capability` says what to do where
    the registry does not know. `adapter` and `sent_format` are what comes of `output`.

    Raises:
        CapabilityMismatch: The model lacks what is required, or what tools or `output` imply.
        TypeError: `output` is nothing that can be adapted, or a setting is of another type.
        ValueError: A setting is out of its range, an input of the prompt has no value, or something
            is required of a model and none is named.
        UnsupportedOption: An option is set that this version cannot honour.

    """

    name: str
    model: str | None = None
    prompt: Prompt | str | None = None
    request_builder: RequestBuilder | None = None
    response_format: dict[str, Any] | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    output: type[Any] | dict[str, Any] | SchemaAdapter | None = None
    parse: Callable[[str], Any] | None = None
    max_repairs: int = 1
    cognition: Cognition = field(default_factory=SingleCallCognition)
    memory: Any = None
    policy: Any = None
    channel: Any = None
    requires: tuple[str, ...] = ()
    min_context_window: int | None = None
    on_unknown_capability: Literal["warn", "refuse", "allow"] = "warn"
    adapter: SchemaAdapter | None = field(init=False, default=None, repr=False)
    sent_format: dict[str, Any] | None = field(init=False, default=None, repr=False)
    _warned: bool = field(init=False, default=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_settings(self)
        self.requires = tuple(self.requires)
        self.adapter = None if self.output is None else adapt(self.output)
        self.sent_format = self.response_format
        if self.sent_format is None:
            self.sent_format = native_format(self.model, self.adapter)
        check_capabilities(self)
        if isinstance(self.prompt, Prompt) and self.prompt.missing:
            raise ValueError(
                f"prompt {self.prompt.id!r} has no value for {list(self.prompt.missing)}: bind them"
            )

    @property
    def shown_adapter(self) -> SchemaAdapter | None:
        """The output to describe to the model in words: none where the request has its schema."""
        native = self.sent_format is not None and self.sent_format.get("type") == "json_schema"
        return None if native else self.adapter

    @property
    def tells_whole(self) -> bool:
        """Whether its typed output can only be read out of a whole answer."""
        return self.adapter is not None and self.parse is None

    async def run(
        self, task: str, ctx: Any, *, context: WorkingContext | None = None
    ) -> AgentResult:
        """Work on *task* in a new run and give its result; *context* is gone on with, in place.

        Raises:
            RunUnfinished: The run of this id is not over; resume it.
            CheckpointConflict: Somebody else begins a run of this id; no tool was called here.
            ApprovalUnavailable: A tool needs a decision that nobody can give.
            MeterExceeded: A ceiling is reached, where it is to raise.
            Cancelled: The run was cancelled.
            AgentkitError: Whatever else the model's call or the store raises.

        """
        return await _result_of(self.stream(task, ctx, context))

    def stream(
        self, task: str, ctx: Any, context: WorkingContext | None = None
    ) -> AsyncGenerator[StreamEvent, None]:
        """Give the events of a new run as they happen, the last one `final` with the result.

        It raises what `run` raises.
        """
        return self._watched(ctx, self.cognition.drive(self, task, ctx, context))

    async def resume(
        self,
        run_id: str,
        ctx: Any,
        *,
        decisions: Mapping[str, DecisionLike] | None = None,
    ) -> AgentResult:
        """Go on with the run *run_id* after a crash, or with *decisions* on the calls that wait.

        A decision is `"approve"`, `"deny"`, a dict of other arguments (or its JSON text), or a
        `Decision`, by the call's id. Where some calls are decided on, the others that wait are
        denied; no decisions, None or an empty mapping, decide nothing, and the run waits again. No
        tool call that has ended is made again. A run that is over gives its result again.

        It takes the run over, also from a worker that is alive: that one stops at its next save,
        and a call that is in flight there is made here again, unless `idempotent()` keeps it.

        Raises:
            CheckpointConflict: Somebody else goes on with the run; no tool was called here.
            ValueError: *ctx* is of another run, nothing is saved, or no such call waits.
            RuntimeError: The cognition saves no state.
            CheckpointerError: No checkpointer is wired, or what it saved cannot be read.
            AgentkitError: Whatever else `run` raises.

        """
        return await _result_of(self.stream_resumed(run_id, ctx, decisions=decisions))

    def stream_resumed(
        self,
        run_id: str,
        ctx: Any,
        *,
        decisions: Mapping[str, DecisionLike] | None = None,
    ) -> AsyncGenerator[StreamEvent, None]:
        """Give the events of `resume` as they happen; it raises the same."""
        if ctx.correlation_id != run_id:
            raise ValueError(
                f"the context is of run {ctx.correlation_id!r} and cannot resume {run_id!r}"
            )
        if not isinstance(self.cognition, Resumable):
            name = self.cognition.name
            raise RuntimeError(f"cognition {name!r} saves no state to resume from")  # noqa: TRY004 - as specified
        return self._watched(ctx, self.cognition.resume(self, ctx, decisions))

    def builder(self) -> RequestBuilder:
        """Give what builds its requests: the one it was given, or one over its prompt."""
        if self.request_builder is not None:
            return self.request_builder
        if isinstance(self.prompt, str):
            return RequestBuilder(Prompt(f"{self.name}.inline", "inline", self.prompt))
        return RequestBuilder(self.prompt)

    def call_meta(self) -> dict[str, Any]:
        """Give what its calls tell the middlewares: the adapter of its output."""
        return {"output_adapter": self.adapter} if self.tells_whole else {}

    def parse_output(
        self, text: str, *, coerced: Any = None, misfit: OutputCoercionError | None = None
    ) -> Any:
        """Give the typed output in *text*, None where none is declared.

        *coerced* and *misfit* are what a middleware made of the text already.

        Raises:
            OutputCoercionError: The text does not fit.

        """
        if self.parse is not None:
            return self.parse(text)
        if misfit is not None:
            raise misfit
        if coerced is not None or self.adapter is None:
            return coerced
        return self.adapter.parse(text)

    async def _watched(
        self, ctx: Any, events: AsyncIterator[StreamEvent]
    ) -> AsyncGenerator[StreamEvent, None]:
        self._check_wiring(ctx)
        facts = self._span_facts(ctx)
        span = run_span(ctx, "invoke_agent", "client", **facts)
        async with span as watched, closing(events) as source:
            async for event in source:
                _note(watched, event)
                yield event

    def _span_facts(self, ctx: Any) -> dict[str, Any]:
        registry = getattr(self.cognition, "registry", None)
        facts = {
            "gen_ai.agent.name": self.name,
            "gen_ai.agent.tools_count": len(registry.names()) if registry else 0,
            "gen_ai.agent.has_output_schema": self.adapter is not None,
            "agentkit.agent.cognition": self.cognition.name,
            "agentkit.scope.org_id": ctx.scope.org_id,
            "agentkit.scope.domain_id": ctx.scope.domain_id,
        }
        return {key: value for key, value in facts.items() if value is not None}

    def _check_wiring(self, ctx: Any) -> None:
        """Refuse a context without a model; say once that a declared output is not streamed."""
        if ctx.invoker is None:
            raise ValueError(f"agent {self.name!r} has no model to call: the context has no llm")
        chain = getattr(ctx.invoker, "chat_middleware", ())
        coerces = any(getattr(layer, "coerces_output", False) for layer in chain)
        if self.adapter is None or self.parse is not None or coerces or self._warned:
            return
        self._warned = True
        warnings.warn(
            f"agent {self.name!r} declares an output, but no output_coerce() is in the chat "
            "chain: the answer is parsed at its end, and no partial object is streamed",
            UserWarning,
            stacklevel=2,
        )


async def _result_of(events: AsyncGenerator[StreamEvent, None]) -> AgentResult:
    result: AgentResult | None = None
    async with closing(events) as source:
        async for event in source:
            result = event.result if event.type == "final" else result
    if result is None:
        raise RuntimeError("the cognition ended its run without a final event")
    return result


def _note(watched: SafeSpan, event: StreamEvent) -> None:
    if event.type != "final":
        return
    result: AgentResult = event.result
    watched.set("gen_ai.usage.input_tokens_subtree", result.usage.input_tokens)
    watched.set("gen_ai.usage.output_tokens_subtree", result.usage.output_tokens)
    watched.set("gen_ai.usage.cost_usd_subtree", result.usage.cost_usd)
    watched.set("gen_ai.system.prompt_version", result.prompt_version)
    watched.set("agentkit.agent.stop_reason", result.stop_reason)
