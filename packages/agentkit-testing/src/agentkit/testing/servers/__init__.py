"""Real servers for tests, from wheels: no container, no root, nothing installed by hand.

The kit's pytest plugin brings the fixtures `redis_server` and `valkey_server`; a test that kills
its server starts one of its own.
"""

from agentkit.testing.servers._place import GivenServer, Server
from agentkit.testing.servers._process import ServerProcess, ServerStartError, free_port
from agentkit.testing.servers._redis import RedisServer, redis_binary, valkey_binary
from agentkit.testing.servers._redis_cluster import RedisCluster

__all__ = [
    "GivenServer",
    "RedisCluster",
    "RedisServer",
    "Server",
    "ServerProcess",
    "ServerStartError",
    "free_port",
    "redis_binary",
    "valkey_binary",
]
