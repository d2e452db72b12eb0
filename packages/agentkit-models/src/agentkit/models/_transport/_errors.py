"""What httpx raises, in our words."""

import httpx

from agentkit.core.contracts.errors import ErrorClass, ProviderError

__all__ = ["request_failed", "translated"]


def request_failed(error_type: str, what: str, error_class: ErrorClass) -> ProviderError:
    """Give the error of a request that got no answer, or not all of one."""
    return ProviderError(
        f"provider request failed (network/timeout): {what}",
        error_type=error_type,
        error_class=error_class,
    )


def translated(exc: httpx.HTTPError, *, origin: str) -> ProviderError:
    """Give *exc* as ours.

    Of its text nothing is kept, since that may hold a credential, but why there is no connection.
    """
    if type(exc) is httpx.ConnectError:
        return request_failed(
            "connect_error", f"cannot connect to {origin}: {exc}", ErrorClass.TRANSIENT
        )
    for kind, error_type, error_class, what in _TABLE:
        if isinstance(exc, kind):
            return request_failed(error_type, what.format(origin), error_class)
    return request_failed("network_error", type(exc).__name__, ErrorClass.UNKNOWN)


_TABLE: tuple[tuple[type[httpx.HTTPError], str, ErrorClass, str], ...] = (
    (
        httpx.ConnectTimeout,
        "connect_timeout",
        ErrorClass.TRANSIENT,
        "no connection to {} within the connect timeout",
    ),
    (
        httpx.PoolTimeout,
        "connect_timeout",
        ErrorClass.TRANSIENT,
        "no free connection to {} within the idle timeout",
    ),
    (
        httpx.TimeoutException,
        "idle_timeout",
        ErrorClass.TRANSIENT,
        "nothing came from {} within the idle timeout",
    ),
    (httpx.ProxyError, "proxy_error", ErrorClass.TRANSIENT, "the proxy did not reach {}"),
    (httpx.UnsupportedProtocol, "bad_url", ErrorClass.PERMANENT, "cannot speak to {}"),
    (httpx.LocalProtocolError, "bad_request", ErrorClass.PERMANENT, "not sendable to {}"),
    (
        httpx.RemoteProtocolError,
        "incomplete_stream",
        ErrorClass.TRANSIENT,
        "{} ended the connection before the answer was whole",
    ),
    (httpx.NetworkError, "network_error", ErrorClass.TRANSIENT, "the connection to {} broke"),
    (httpx.DecodingError, "undecodable_body", ErrorClass.UNKNOWN, "{} sent a corrupt body"),
)
