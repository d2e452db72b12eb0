"""What can go wrong beside the errors of `agentkit.core.contracts.errors`.

AgentkitError
└── AdapterLookupError (also a LookupError)   nothing installed opens the URL
"""

from agentkit.core.contracts.errors import AgentkitError

__all__ = ["AdapterLookupError"]


class AdapterLookupError(AgentkitError, LookupError):
    """No installed distribution opens URLs of *scheme*, or several would, or one lacks a module.

    Trying again never helps; installing *distribution*, where it is known, does.
    """

    def __init__(self, message: str = "", *, scheme: str = "", distribution: str = "") -> None:
        super().__init__(message)
        self.scheme = scheme
        self.distribution = distribution
