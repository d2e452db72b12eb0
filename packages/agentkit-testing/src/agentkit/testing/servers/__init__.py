"""Servers for tests: real ones from wheels, with nothing installed by hand, and a scripted one.

The kit's pytest plugin brings the fixtures `redis_server`, `valkey_server`, `postgres_server` and
`postgres_16_server`; a test that kills its server starts one of its own. `ScriptedProvider` stands
in for a model provider; it and its wire formats come when they are asked for, since the plugin,
which loads this package, needs none.
"""

import importlib
from typing import TYPE_CHECKING

from agentkit.testing.servers._place import GivenServer, Server
from agentkit.testing.servers._postgres import PostgresServer, postgres_16, postgres_18
from agentkit.testing.servers._process import ServerProcess, ServerStartError, free_port
from agentkit.testing.servers._redis import RedisServer, redis_binary, valkey_binary
from agentkit.testing.servers._redis_cluster import RedisCluster
from agentkit.testing.servers._redis_sentinel import RedisSentinel

if TYPE_CHECKING:
    from agentkit.testing.servers._anthropic_messages import AnthropicMessages
    from agentkit.testing.servers._chat_completions import ChatCompletions
    from agentkit.testing.servers._gemini import Gemini
    from agentkit.testing.servers._ollama_chat import OllamaChat
    from agentkit.testing.servers._scripted import ScriptedProvider
    from agentkit.testing.servers._vectors import EmbeddingWire
    from agentkit.testing.servers._wires import Answer, Asked, WireDialect

__all__ = [
    "Answer",
    "AnthropicMessages",
    "Asked",
    "ChatCompletions",
    "EmbeddingWire",
    "Gemini",
    "GivenServer",
    "OllamaChat",
    "PostgresServer",
    "RedisCluster",
    "RedisSentinel",
    "RedisServer",
    "ScriptedProvider",
    "Server",
    "ServerProcess",
    "ServerStartError",
    "WireDialect",
    "free_port",
    "postgres_16",
    "postgres_18",
    "redis_binary",
    "valkey_binary",
]

_HOMES = {
    "Answer": "_wires",
    "AnthropicMessages": "_anthropic_messages",
    "Asked": "_wires",
    "ChatCompletions": "_chat_completions",
    "EmbeddingWire": "_vectors",
    "Gemini": "_gemini",
    "OllamaChat": "_ollama_chat",
    "ScriptedProvider": "_scripted",
    "WireDialect": "_wires",
}

if not TYPE_CHECKING:  # a checker that saw this would accept any name

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        home = importlib.import_module(f"agentkit.testing.servers.{_HOMES[name]}")
        return getattr(home, name)
