"""A function's signature as a tool's arguments: their schema, and reading them strictly."""

import functools
import inspect
import re
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from agentkit.agents._shapes import Definitions, Shape, shape_of
from agentkit.agents.tools._optional import advertised
from agentkit.core.contracts.errors import ToolArgumentError, ToolDefinitionError
from agentkit.core.contracts.protocols import Ctx
from agentkit.core.runtime import RunContext

__all__ = ["Signature"]

_CONTEXT_NAMES: Final = frozenset({"ctx", "context"})
_CONTEXT_TYPES: Final = frozenset({RunContext, Ctx})
_CONTEXT_WORDS: Final = frozenset(kind.__name__ for kind in _CONTEXT_TYPES)
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Argument:
    """One argument that the model may give."""

    parameter: inspect.Parameter
    shape: Shape

    @property
    def is_required(self) -> bool:
        return self.parameter.default is inspect.Parameter.empty


class Signature:
    """What the tool *name* takes, derived from the function behind it.

    Raises:
        ToolDefinitionError: A parameter cannot be described to a model.

    """

    def __init__(self, name: str, fn: Callable[..., Any]) -> None:
        self._name = name
        self._arguments: dict[str, _Argument] = {}
        self._context: inspect.Parameter | None = None
        self._rest: Shape | None = None
        hints = _hints_of(fn, name)
        self.returns: Any = hints.get("return", Any)
        for parameter in _parameters_of(fn):
            self._take(parameter, hints.get(parameter.name, parameter.annotation))

    def schema(self) -> dict[str, Any]:
        """Give the JSON Schema of the arguments."""
        definitions = Definitions()
        properties = {
            name: advertised(argument.shape, argument.parameter.default, definitions)
            for name, argument in self._arguments.items()
        }
        required = [name for name, argument in self._arguments.items() if argument.is_required]
        rest = False if self._rest is None else (self._rest.schema(definitions) or True)
        return definitions.attach_to(
            {
                "type": "object",
                "properties": properties,
                "required": required,
                "additionalProperties": rest,
            }
        )

    def read(self, args: Mapping[str, Any]) -> dict[str, Any]:
        """Give *args*, decoded JSON, as the values the function is annotated with.

        Raises:
            ToolArgumentError: Some are unexpected, missing or of the wrong type; all are told.

        """
        faults: dict[str, list[str]] = {
            "unexpected argument(s)": self._unexpected(args),
            "missing argument(s)": self._missing(args),
            "invalid argument(s):": [],
        }
        problems = faults["invalid argument(s):"]
        values = {key: self._value(key, value, problems) for key, value in args.items()}
        if any(faults.values()):
            raise self._rejection(faults)
        return values

    def bind(self, values: Mapping[str, Any], ctx: Any) -> tuple[list[Any], dict[str, Any]]:
        """Give the positional and keyword arguments of the function, the context among them."""
        by_name = dict(values)
        if self._context is not None:
            by_name[self._context.name] = ctx
        parameters = [argument.parameter for argument in self._arguments.values()]
        parameters += [] if self._context is None else [self._context]
        positional = [
            by_name.pop(parameter.name, parameter.default)
            for parameter in parameters
            if parameter.kind is inspect.Parameter.POSITIONAL_ONLY
        ]
        return positional, by_name

    def _take(self, parameter: inspect.Parameter, annotation: Any) -> None:
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            self._rest = self._shape(parameter.name, _one_of(annotation))
        elif parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            raise ToolDefinitionError(
                f"tool {self._name!r}: *{parameter.name} has no name a model could use; take a list"
            )
        elif _is_context(parameter, annotation):
            self._context = parameter
        else:
            self._arguments[parameter.name] = _Argument(
                parameter=parameter, shape=self._shape(parameter.name, annotation)
            )

    def _shape(self, name: str, annotation: Any) -> Shape:
        if annotation is inspect.Parameter.empty:
            annotation = Any
        try:
            return shape_of(annotation)
        except TypeError as exc:
            raise ToolDefinitionError(f"tool {self._name!r}: argument {name!r}: {exc}") from None

    def _value(self, key: str, value: Any, problems: list[str]) -> Any:
        argument = self._arguments.get(key)
        shape = self._rest if argument is None else argument.shape
        return value if shape is None else shape.read(value, key, problems)

    def _unexpected(self, args: Mapping[str, Any]) -> list[str]:
        return [] if self._rest else [key for key in args if key not in self._arguments]

    def _missing(self, args: Mapping[str, Any]) -> list[str]:
        return [
            name
            for name, argument in self._arguments.items()
            if argument.is_required and name not in args
        ]

    def _rejection(self, faults: Mapping[str, list[str]]) -> ToolArgumentError:
        accepted = list(self._arguments)
        told = "; ".join(_told(fault, parts) for fault, parts in faults.items() if parts)
        return ToolArgumentError(
            f"tool {self._name!r} call rejected: {told}. Accepted arguments: {accepted}",
            tool_name=self._name,
            unexpected=faults["unexpected argument(s)"],
            missing=faults["missing argument(s)"],
            accepted=accepted,
        )


def _told(fault: str, parts: list[str]) -> str:
    return f"{fault} {'; '.join(parts) if fault.endswith(':') else parts}"


def _one_of(annotation: Any) -> Any:
    """Give the type of each keyword of `**rest: annotation`; those of an `Unpack` differ."""
    return Any if typing.get_origin(annotation) is typing.Unpack else annotation


def _parameters_of(fn: Callable[..., Any]) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(fn).parameters.values())
    except (TypeError, ValueError) as exc:
        raise ToolDefinitionError(f"{fn!r} is no function a tool can be made of: {exc}") from None


def _is_context(parameter: inspect.Parameter, annotation: Any) -> bool:
    """Say whether *parameter* is for the context: by type, or by name where that says nothing."""
    if annotation in (inspect.Parameter.empty, Any, object):
        return parameter.name in _CONTEXT_NAMES
    if _names_context(annotation):
        return True
    return any(kind in _CONTEXT_TYPES for kind in (annotation, *typing.get_args(annotation)))


def _names_context(annotation: Any) -> bool:
    """Say whether *annotation* is text that names a context, which need not be importable."""
    return isinstance(annotation, str) and bool(_CONTEXT_WORDS & set(_WORD.findall(annotation)))


def _function_behind(fn: Any) -> Any:
    """Give what carries the annotations of *fn*: through partials, decorators and `__call__`."""
    while isinstance(fn, functools.partial):
        fn = fn.func
    fn = inspect.unwrap(fn)
    return fn if inspect.isroutine(fn) else type(fn).__call__


def _hints_of(fn: Callable[..., Any], name: str) -> dict[str, Any]:
    """Resolve the annotations of *fn*, except that of a context, which may not be imported."""
    target = _function_behind(fn)
    written: dict[str, Any] = getattr(target, "__annotations__", {})
    needed = {key: hint for key, hint in written.items() if not _names_context(hint)}
    holder = types.SimpleNamespace(__annotations__=needed)
    try:
        return typing.get_type_hints(
            holder, globalns=getattr(target, "__globals__", {}), include_extras=True
        )
    except NameError as exc:
        raise ToolDefinitionError(
            f"tool {name!r}: {exc}; a type in its signature must be importable at run time"
        ) from None
