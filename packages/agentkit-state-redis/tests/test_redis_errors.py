"""The driver's errors leave as the port's, without what they quote."""

import asyncio
import ssl

import pytest
import redis.exceptions as driver

from agentkit.core.contracts.errors import (
    AgentkitError,
    CheckpointerError,
    StoreUnavailable,
    StoreValueError,
)
from agentkit.state.redis._errors import translated

SECRET = "rediss://user:hunter2@host"  # noqa: S105  # what must not be told


def full_name(each: object) -> str:
    return f"{type(each).__module__}.{type(each).__name__}"


TOLD = [
    (driver.ConnectionError(SECRET), "no connection"),
    (driver.TimeoutError(SECRET), "did not answer in time"),
    (TimeoutError(SECRET), "did not answer in time"),
    (ConnectionResetError(SECRET), "no connection"),
    (ssl.SSLError(SECRET), "no secure connection"),
    (asyncio.IncompleteReadError(b"", 1), "no connection"),
    (driver.AuthenticationError(SECRET), "refused the credentials"),
    (driver.BusyLoadingError(SECRET), "loading"),
    (driver.MaxConnectionsError(SECRET), "no connection"),
    (driver.RedisClusterException(SECRET), "cluster cannot serve"),
    (driver.InvalidResponse(SECRET), "driver failed"),
]
QUOTED = [
    (driver.NoPermissionError("no rights to 'get'"), "may not run this command.*no rights"),
    (driver.OutOfMemoryError("used memory > 'maxmemory'"), "out of memory.*used memory"),
    (driver.ReadOnlyError("against a replica"), "replica and takes no writes"),
    (driver.ClusterDownError("Hash slot not served"), "cluster cannot serve.*not served"),
    (driver.ResponseError("MISCONF no disk"), "refused the command: MISCONF no disk"),
]


def told(problem: Exception, kind: type[AgentkitError] = StoreUnavailable) -> AgentkitError:
    with pytest.raises(kind) as caught, translated(kind):
        raise problem
    return caught.value


@pytest.mark.parametrize(("problem", "text"), TOLD, ids=full_name)
def test_a_connections_error_is_told_without_its_text(problem: Exception, text: str) -> None:
    error = told(problem)

    assert text in str(error)
    assert "hunter2" not in str(error)
    assert error.__cause__ is None
    assert error.__suppress_context__


@pytest.mark.parametrize(("problem", "text"), QUOTED, ids=full_name)
def test_what_a_server_answered_is_quoted(problem: Exception, text: str) -> None:
    with pytest.raises(StoreUnavailable, match=text), translated(StoreUnavailable):
        raise problem


def test_a_checkpoint_store_has_an_error_of_its_own() -> None:
    assert isinstance(told(OSError(), CheckpointerError), CheckpointerError)


@pytest.mark.parametrize("error", [StoreValueError("no"), KeyError("no"), asyncio.CancelledError()])
def test_other_errors_pass(error: BaseException) -> None:
    with pytest.raises(type(error)) as caught, translated(StoreUnavailable):
        raise error

    assert caught.value is error
