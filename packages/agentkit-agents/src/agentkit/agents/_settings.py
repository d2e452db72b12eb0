"""What an agent may be told."""

from collections.abc import Callable, Iterable
from types import NoneType
from typing import TYPE_CHECKING, Any, Final

from agentkit.agents._checks import (
    check_amount,
    check_choice,
    check_count,
    check_kind,
    check_text,
)
from agentkit.agents.cognition import Cognition
from agentkit.agents.context import RequestBuilder
from agentkit.agents.prompts import Prompt
from agentkit.core.contracts.errors import UnsupportedOption

if TYPE_CHECKING:
    from agentkit.agents._agent import Agent

__all__ = ["check_settings"]

_LATER: Final = ("memory", "policy", "channel")
_ON_UNKNOWN: Final = ("warn", "refuse", "allow")
_KINDS: Final[tuple[tuple[str, Any, str], ...]] = (
    ("prompt", (str, Prompt, NoneType), "a text, a Prompt or None"),
    ("request_builder", (RequestBuilder, NoneType), "a RequestBuilder or None"),
    ("response_format", (dict, NoneType), "a dict or None"),
    ("parse", (Callable, NoneType), "a function or None"),
    ("cognition", Cognition, "a cognition, which has a name and drive()"),
    ("requires", Iterable, "a list of names"),
)


def check_settings(agent: "Agent") -> None:
    """Return if each setting of *agent* is one by itself.

    Raises:
        TypeError: One is of another type.
        ValueError: One is out of its range.
        UnsupportedOption: One is for a later version.

    """
    for option in _LATER:
        if getattr(agent, option) not in (None, ()):
            raise UnsupportedOption(
                f"Agent({option}=...) is not supported by this version", option=option
            )
    check_text("Agent.name", agent.name)
    check_text("Agent.model", agent.model, wanted="the name of a model or None", optional=True)
    for name, kinds, wanted in _KINDS:
        check_kind(f"Agent.{name}", getattr(agent, name), kinds, wanted=wanted)
    if isinstance(agent.requires, str):
        raise TypeError(f"Agent.requires is a list of names; got {agent.requires!r}")
    check_amount("Agent.temperature", agent.temperature, optional=True)
    check_count("Agent.max_tokens", agent.max_tokens, least=1, optional=True)
    check_count("Agent.max_repairs", agent.max_repairs, least=0)
    check_count("Agent.min_context_window", agent.min_context_window, least=1, optional=True)
    check_choice("Agent.on_unknown_capability", agent.on_unknown_capability, _ON_UNKNOWN)
