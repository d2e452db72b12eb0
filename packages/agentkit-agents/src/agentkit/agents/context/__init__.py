"""What a model is shown: the working context of a run, and how a request is built from it."""

from agentkit.agents.context._builder import BuiltRequest, Grounder, RequestBuilder
from agentkit.agents.context._prefix import PrefixContext
from agentkit.agents.context._scopes import (
    AllOf,
    AnyOf,
    ContextScope,
    LastNTurns,
    Not,
    RoleFilter,
    Since,
    Tagged,
)
from agentkit.agents.context._tokens import ApproxTokenCounter, TokenCounter
from agentkit.agents.context._working import (
    ContextDiff,
    FrozenContext,
    Mutation,
    MutationJournal,
    WorkingContext,
)

__all__ = [
    "AllOf",
    "AnyOf",
    "ApproxTokenCounter",
    "BuiltRequest",
    "ContextDiff",
    "ContextScope",
    "FrozenContext",
    "Grounder",
    "LastNTurns",
    "Mutation",
    "MutationJournal",
    "Not",
    "PrefixContext",
    "RequestBuilder",
    "RoleFilter",
    "Since",
    "Tagged",
    "TokenCounter",
    "WorkingContext",
]
