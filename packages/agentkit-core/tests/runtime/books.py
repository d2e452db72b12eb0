"""The books of meters as they are kept: what is held, and for whom, shows nowhere outside."""

from agentkit.core.runtime import Budget, Quota
from agentkit.core.runtime._ledger import Ledger
from agentkit.core.runtime._quota_windows import LocalWindows


def ledger_of(budget: Budget) -> Ledger:
    """Give what *budget* spent, counted and holds."""
    return budget._ledger  # pyright: ignore[reportPrivateUsage] - see above


def windows_of(quota: Quota) -> LocalWindows:
    """Give the windows of *quota* in this process."""
    return quota._local  # pyright: ignore[reportPrivateUsage] - see above


def tenants_of(quota: Quota) -> list[str]:
    """Give whom *quota* keeps a window for."""
    return list(windows_of(quota)._tenants)  # pyright: ignore[reportPrivateUsage] - see above
