"""A reasoning effort in the words of the messages API, and the ceiling that leaves it room."""

from typing import Any, NoReturn

from agentkit.core.contracts.errors import UnsupportedOption
from agentkit.core.contracts.llm import GenerationOptions
from agentkit.models.codecs._json import as_dict, count
from agentkit.models.codecs.anthropic_messages._dialect import Dialect

__all__ = ["put_thinking"]

_BUDGETS = {"minimal": 1024, "low": 2048, "medium": 8192, "high": 24576}
_SMALLEST = 1024
_ADAPTIVE = frozenset({"low", "medium", "high", "xhigh", "max"})


def put_thinking(
    body: dict[str, Any],
    options: GenerationOptions,
    *,
    dialect: Dialect,
    default_max_tokens: int,
) -> None:
    """Put the thinking that `reasoning_effort` asks for, and `max_tokens` where none is given.

    The API counts thinking into `max_tokens`: a ceiling that the caller set shrinks the budget, and
    the default one grows by it.

    Raises:
        UnsupportedOption: The effort is none, or goes with no other option that was set.

    """
    effort = options.reasoning_effort
    if effort == "none":
        body["thinking"] = {"type": "disabled"}
    elif effort is not None and dialect.has_adaptive_thinking:
        if effort not in _ADAPTIVE:
            _refuse(f"{effort!r} is none of {', '.join(sorted(_ADAPTIVE))} or none")
        body["thinking"] = {"type": "adaptive"}
        body["output_config"] = {**body.get("output_config", {}), "effort": effort}
    elif effort is not None:
        body["thinking"] = {"type": "enabled", "budget_tokens": _budget(effort, options)}
    if effort not in {None, "none"}:
        _check_beside_thinking(options)
    if body["max_tokens"] is None:
        thinking = as_dict(options.extra.get("thinking")) or as_dict(body.get("thinking"))
        body["max_tokens"] = default_max_tokens + count(thinking.get("budget_tokens"))


def _budget(effort: str, options: GenerationOptions) -> int:
    budget = _BUDGETS.get(effort)
    if budget is None:
        _refuse(f"{effort!r} is none of {', '.join(_BUDGETS)} or none")
    if options.max_tokens is None:
        return budget
    if options.max_tokens <= _SMALLEST:
        _refuse(f"max_tokens {options.max_tokens} leaves no room beside {_SMALLEST} for thinking")
    return max(_SMALLEST, min(budget, options.max_tokens * 4 // 5))


def _check_beside_thinking(options: GenerationOptions) -> None:
    if options.temperature not in {None, 1}:
        _refuse(f"thinking goes with no temperature but 1; got {options.temperature}")
    choice = options.tool_choice
    if options.tools and isinstance(choice, str) and choice not in {"auto", "none"}:
        _refuse(f"thinking goes with no forced tool; got tool_choice {choice!r}")


def _refuse(why: str) -> NoReturn:
    raise UnsupportedOption(f"reasoning_effort: {why}", option="reasoning_effort")
