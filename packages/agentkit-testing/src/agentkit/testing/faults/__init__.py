"""Faults for tests: a network that fails where it is told to, cancellation at every await."""

from agentkit.testing.faults._cancelling import cancel_at_every_await
from agentkit.testing.faults._passage import Way
from agentkit.testing.faults._proxy import TcpProxy
from agentkit.testing.faults._tls import Authority

__all__ = ["Authority", "TcpProxy", "Way", "cancel_at_every_await"]
