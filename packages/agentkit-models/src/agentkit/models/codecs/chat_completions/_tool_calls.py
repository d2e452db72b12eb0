"""Tool calls, put together from the fragments of a stream."""

import json
from dataclasses import dataclass, field
from typing import Any

from agentkit.core.contracts.errors import ErrorClass, ProviderError
from agentkit.models.codecs._errors import kept, stream_error
from agentkit.models.codecs._json import as_dict, as_text
from agentkit.models.codecs._pairs import joined

__all__ = ["PartialCall", "ToolCallFragments"]


@dataclass(slots=True)
class PartialCall:
    """A tool call as far as it has come; *extra* is what the provider attached to it."""

    index: int | None
    id: str
    name: str = ""
    arguments: list[Any] = field(default_factory=list[Any])
    extra: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def raw_arguments(self) -> Any:
        """What came for the arguments: text, or the value of a server that sends no text.

        Text beside a value is half of something: all of it is kept, and no object comes of it.
        """
        values = [piece for piece in self.arguments if not isinstance(piece, str)]
        if not values:
            return joined(self.arguments)
        if any(isinstance(piece, str) and piece for piece in self.arguments):
            told = [p if isinstance(p, str) else json.dumps(p) for p in self.arguments]
            return f"{''.join(told)} (in pieces of several kinds)"
        return values[-1]


class ToolCallFragments:
    """Gathers fragments by their wire index, then by their id.

    A fragment that could belong to more than one call, or that contradicts its call, is an error:
    guessing would run a tool with another call's arguments.
    """

    def __init__(self) -> None:
        self.calls: list[PartialCall] = []

    def add(self, fragment: dict[str, Any], *, whole: bool = False) -> None:
        """Add one fragment as it came; a *whole* call is never joined to another.

        Raises:
            ProviderError: It cannot be told which call it belongs to.

        """
        function = as_dict(fragment.get("function"))
        name = as_text(function.get("name"))
        if whole:
            call = self._open(None, as_text(fragment.get("id")))
        else:
            call = self._call_of(fragment, opens=bool(name))
        if name and call.name not in {"", name}:
            raise _ambiguous(f"call {call.id!r} is {call.name!r} and {name!r}")
        call.name = call.name or name
        if (arguments := function.get("arguments")) is not None:
            call.arguments.append(arguments)
        call.extra |= {k: kept(v) for k, v in fragment.items() if v and k not in _KNOWN}

    def _call_of(self, fragment: dict[str, Any], *, opens: bool) -> PartialCall:
        """Give the call that *fragment* continues, or a new one."""
        call_id, index = as_text(fragment.get("id")), fragment.get("index")
        index = index if type(index) is int else None
        peers = self.calls if index is None else [c for c in self.calls if c.index == index]
        for call in peers:
            if call_id and call.id == call_id:
                return call
        if not peers or (index is None and (call_id or opens)):
            return self._open(index, call_id)
        if not call_id:
            return _only(peers, index)
        if len(peers) > 1 or peers[0].id:
            return self._open(index, call_id)  # some servers number parallel calls all alike
        peers[0].id = call_id
        return peers[0]

    def _open(self, index: int | None, call_id: str) -> PartialCall:
        self.calls.append(PartialCall(index, call_id))
        return self.calls[-1]


def _only(peers: list[PartialCall], index: int | None) -> PartialCall:
    if len(peers) > 1:
        raise _ambiguous(f"a fragment at index {index} may belong to any of {len(peers)} calls")
    return peers[0]


_KNOWN = frozenset({"index", "id", "type", "function", "custom"})


def _ambiguous(what: str) -> ProviderError:
    return stream_error("ambiguous_tool_call", what, ErrorClass.UNKNOWN)
