"""A function as a tool."""

import asyncio
import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from agentkit.agents.output import adapt
from agentkit.agents.tools._names import check_tool_name
from agentkit.agents.tools._render import render_result
from agentkit.agents.tools._signature import Signature
from agentkit.core.contracts.errors import OutputCoercionError, ToolDefinitionError, ToolShapeError
from agentkit.core.contracts.protocols import SchemaAdapter
from agentkit.core.contracts.types import ToolSchema

__all__ = ["FunctionTool"]


@dataclass(eq=False)
class FunctionTool:
    """A function that a model may call.

    `fn` may be async, or sync, which runs it in a thread. Its parameters become the arguments; one
    that is annotated as a run's context, or called `ctx` or `context` and not annotated, receives
    the run's context. `schema` and `output_schema` are derived from the signature where not given,
    and a result is checked against the latter. `idempotent` says that repeating a call does no
    harm, `caps` what the tool has access to, and `url_arg` which argument is an address to guard.

    Raises:
        ToolDefinitionError: The name is none that providers take, a flag is no bool, the signature
            cannot be described to a model, or `fn` is a generator function: a model reads one
            result, so return a list.
        TypeError: `output_schema` is nothing that can be adapted.

    """

    name: str
    fn: Callable[..., Any]
    description: str
    side_effecting: bool
    schema: ToolSchema | None = None
    _: KW_ONLY
    idempotent: bool = False
    requires_approval: bool = False
    caps: tuple[str, ...] = ()
    url_arg: str | None = None
    output_schema: Any = None
    _signature: Signature = field(init=False, repr=False)
    _output: SchemaAdapter | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        check_tool_name(self.name)
        self._check_flags()
        _refuse_generator(self.name, self.fn)
        signature = Signature(self.name, self.fn)
        self._set("_signature", signature)
        self._set("caps", tuple(self.caps))
        if self.schema is None:
            self._set("schema", ToolSchema(self.name, self.description, signature.schema()))
        if self.output_schema is None:
            self._set("output_schema", _checkable(signature.returns))
        self._set("_output", None if self.output_schema is None else adapt(self.output_schema))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function itself, as if it were no tool."""
        return self.fn(*args, **kwargs)

    def check_arguments(self, args: Mapping[str, Any]) -> None:
        """Return if the function can be called with *args*.

        Raises:
            ToolArgumentError: Some are unexpected, missing or of the wrong type.

        """
        self._signature.read(args)

    async def run(self, args: Mapping[str, Any], ctx: Any) -> Any:
        """Call the function with *args*, decoded JSON, and give what it returns.

        Raises:
            ToolArgumentError: The arguments do not fit; the function was not called.
            ToolShapeError: The result does not fit the declared output.

        """
        positional, named = self._signature.bind(self._signature.read(args), ctx)
        result = await _call(self.fn, positional, named)
        return result if self._output is None else self._checked(result, self._output, ctx)

    def _checked(self, result: Any, output: SchemaAdapter, ctx: Any) -> Any:
        try:
            return output.validate(result)
        except OutputCoercionError as exc:
            trace = getattr(ctx, "trace", None)
            if trace is not None:
                trace.add_event_to_current_span("tool.shape_mismatch", tool=self.name)
            raise ToolShapeError(
                f"tool {self.name!r} returned something other than {output.name}: "
                f"{'; '.join(exc.errors)}",
                tool_name=self.name,
                expected=output.name,
                raw=render_result(result),
                errors=exc.errors,
            ) from None

    def _check_flags(self) -> None:
        for flag in ("side_effecting", "idempotent", "requires_approval"):
            value: object = getattr(self, flag)
            if not isinstance(value, bool):
                raise ToolDefinitionError(
                    f"tool {self.name!r}: {flag} is True or False; got {value!r}"
                )

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)


async def _call(fn: Callable[..., Any], positional: list[Any], named: dict[str, Any]) -> Any:
    """Call *fn*: on the loop if it is a coroutine function, else in a thread."""
    if _is_async(fn):
        return await fn(*positional, **named)
    result = await asyncio.to_thread(_contained, fn, positional, named)
    result = await result if inspect.isawaitable(result) else result
    if inspect.isgenerator(result) or inspect.isasyncgen(result):
        raise TypeError("the function returned a generator, of which a model can read nothing")
    return result


def _contained(fn: Callable[..., Any], positional: list[Any], named: dict[str, Any]) -> Any:
    """Call *fn*; a future takes no StopIteration, and whoever awaits it would wait for ever."""
    try:
        return fn(*positional, **named)
    except StopIteration as exc:
        raise RuntimeError("the function raised StopIteration") from exc


def _is_async(fn: Any) -> bool:
    return _is_made_with(inspect.iscoroutinefunction, fn)


def _refuse_generator(name: str, fn: Any) -> None:
    for makes in (inspect.isgeneratorfunction, inspect.isasyncgenfunction):
        if _is_made_with(makes, fn):
            raise ToolDefinitionError(
                f"tool {name!r} is a generator function; a model reads one result: return a list"
            )


def _is_made_with(test: Callable[[Any], bool], fn: Any) -> bool:
    """Say whether *test* holds for what is called in the end: through partials and `__call__`."""
    while isinstance(fn, functools.partial):
        fn = fn.func
    return test(fn) or test(
        getattr(fn, "__call__", None)  # noqa: B004 - an object's own call, not whether it has one
    )


def _checkable(annotation: Any) -> Any:
    """Give the class that a function says it returns, if its instances can be checked."""
    try:
        adapt(annotation)
    except (TypeError, NotImplementedError):
        return None
    return annotation if isinstance(annotation, type) else None
