"""The errors of running an agent, in one place."""

from agentkit.agents import errors
from agentkit.core.contracts import errors as core


def test_they_are_cores_own() -> None:
    assert all(getattr(errors, name) is getattr(core, name) for name in errors.__all__)
