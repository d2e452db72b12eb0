"""What the suites of the web share: their hooks, and failures in one form."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from agentkit.core.contracts.errors import ErrorClass, ProviderError
from agentkit.testing.suites._clause import hook
from agentkit.testing.suites._suite import Suite

__all__ = ["WebSteps", "ends_as"]


class WebSteps(Suite):
    """The hooks of what asks the web."""

    @hook
    async def requests(self) -> int:
        """Give how often the backend was asked."""
        raise NotImplementedError

    @hook
    def secret(self) -> str:
        """Give the credential that the adapter was made with."""
        raise NotImplementedError


async def ends_as(category: ErrorClass, call: Callable[[], Awaitable[Any]]) -> ProviderError:
    """Give the error of *category* in which *call* must end."""
    with pytest.raises(ProviderError) as raised:
        await call()
    assert raised.value.error_class is category
    return raised.value
