"""The pytest plugin: it collects clauses, and says last how every adapter did.

pytest loads it in every run of every project that has the kit installed, before coverage starts,
so it imports nothing else of agentkit until a session begins.
"""

from pathlib import Path

import pytest

__all__ = ["pytest_addoption", "pytest_configure", "pytest_pycollect_makeitem"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--conformance-report`."""
    parser.getgroup("agentkit").addoption(
        "--conformance-report",
        type=Path,
        metavar="FILE",
        help="write the certificates of the adapters that were tried, as JSON; "
        "the run fails unless every required clause of each was",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Start the account of this run, and bring the fixtures of the servers."""
    # See the module's docstring.
    from agentkit.testing._account import Account  # noqa: PLC0415
    from agentkit.testing.servers import _fixtures  # noqa: PLC0415

    path: Path | None = config.getoption("conformance_report")
    if path is not None and not path.resolve().parent.is_dir():
        raise pytest.UsageError(f"--conformance-report: there is no folder for {str(path)!r}")
    config.pluginmanager.register(Account(config, path), "agentkit-account")
    config.pluginmanager.register(_fixtures, "agentkit-servers")


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(
    collector: pytest.Module | pytest.Class, obj: object
) -> list[pytest.Item | pytest.Collector] | None:
    """Leave out the clauses that this adapter is not asked; pytest collects the others itself."""
    clause = getattr(obj, "__agentkit_clause__", None)
    if clause is None or not isinstance(collector, pytest.Class):
        return None
    return None if collector.obj.applies(clause) else []
