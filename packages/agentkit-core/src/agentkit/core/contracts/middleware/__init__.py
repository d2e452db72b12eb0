"""The one way in which anything cross-cutting wraps a model call or a tool call."""

from agentkit.core.contracts.middleware._call import (
    Call,
    Handler,
    Middleware,
    chain,
    closing,
    collect,
    collect_one,
    restream,
)
from agentkit.core.contracts.middleware._context import MiddlewareContext
from agentkit.core.contracts.middleware._phases import BaseMiddleware

__all__ = [
    "BaseMiddleware",
    "Call",
    "Handler",
    "Middleware",
    "MiddlewareContext",
    "chain",
    "closing",
    "collect",
    "collect_one",
    "restream",
]
