"""Replay stores: whole requests and responses, beside the spans. Each is a `ReplayStore`."""

from agentkit.state.replay._file import FileReplayStore

__all__ = ["FileReplayStore"]
