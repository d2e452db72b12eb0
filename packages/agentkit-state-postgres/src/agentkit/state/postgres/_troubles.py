"""What a driver's failures say, with nothing in it that a log must not have."""

from __future__ import annotations

from agentkit.state.postgres._driver import Trouble

__all__ = ["late", "lost", "refused"]

# By the server's code, or how it begins: what to say, and whether to quote the server.
_WHAT = [
    ("28", "the server refused the credentials", False),
    ("3D000", "there is no such database", False),
    ("08", "no connection to the server", False),
    ("57P", "the server is not in service", True),
    ("53", "the server is out of resources", True),
    ("58", "the server failed", True),
    ("XX", "the server failed", True),
    ("57014", "the server stopped the statement", True),
    ("25006", "the server takes no writes", True),
    ("40", "the statement met others too often", True),
    ("42501", "the user may not do this", True),
    ("3F000", "the schema is not there: call init()", False),
    ("42P01", "the tables are not there: call init()", False),
]


def refused(sqlstate: str, said: str) -> Trouble:
    """Give the trouble that the server tells of with *sqlstate* and the words it *said*."""
    for code, what, is_quoted in _WHAT:
        if sqlstate.startswith(code):
            return Trouble(f"{what}: {said}" if is_quoted else what, sqlstate=sqlstate)
    return Trouble(f"the server refused the statement: {said}", sqlstate=sqlstate)


def late() -> Trouble:
    """Give the trouble of a server that does not answer."""
    return Trouble("the server did not answer in time")


def lost() -> Trouble:
    """Give the trouble of a server that is not there, or went away."""
    return Trouble("no connection to the server")
