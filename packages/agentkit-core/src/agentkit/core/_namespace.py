"""The one thing installed beside agentkit that breaks it: a regular package of the same name."""

import warnings
from types import ModuleType


def warn_if_regular(namespace: ModuleType) -> None:
    """Warn when *namespace* is a regular package, which hides what is installed elsewhere."""
    foreign = getattr(namespace, "__file__", None)
    if foreign is None:
        return
    warnings.warn(
        f"{foreign} belongs to another distribution and makes `agentkit` a regular package, so "
        "that parts of agentkit may not be found: uninstall that distribution, or keep the two "
        "in separate environments",
        RuntimeWarning,
        stacklevel=3,
    )
