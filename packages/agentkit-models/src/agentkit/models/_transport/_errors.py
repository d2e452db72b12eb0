"""What httpx raises, in our words."""

import httpx

from agentkit.core.contracts.errors import ErrorClass, ProviderError

__all__ = ["request_failed", "translated"]


def request_failed(error_type: str, what: str, error_class: ErrorClass) -> ProviderError:
    """Give the error of a request that got no answer, or not all of one.

    Only what may pass is said to be the network's fault: retries go by such words as well.
    """
    why = "could not be made" if error_class is ErrorClass.PERMANENT else "failed (network/timeout)"
    return ProviderError(
        f"provider request {why}: {what}", error_type=error_type, error_class=error_class
    )


def translated(exc: Exception, *, origin: str) -> ProviderError:
    """Give *exc*, which the HTTP client raised, as ours.

    Of its text nothing is kept, since that may hold a credential, but why there is no connection.
    """
    if type(exc) is httpx.ConnectError:
        return request_failed(
            "connect_error", f"cannot connect to {origin}: {exc}", ErrorClass.TRANSIENT
        )
    for kind, error_type, error_class, what in _TABLE:
        if isinstance(exc, kind):
            return request_failed(error_type, what.format(origin), error_class)
    return ProviderError(
        f"provider request failed: the HTTP client for {origin} raised {type(exc).__name__}",
        error_type="client_error",
    )


_TABLE: tuple[tuple[type[Exception], str, ErrorClass, str], ...] = (
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
    (
        httpx.LocalProtocolError,
        "bad_request",
        ErrorClass.PERMANENT,
        "a header or the body is nothing that can be sent to {}",
    ),
    (
        httpx.RemoteProtocolError,
        "incomplete_stream",
        ErrorClass.TRANSIENT,
        "{} ended the connection before the answer was whole",
    ),
    (httpx.NetworkError, "network_error", ErrorClass.TRANSIENT, "the connection to {} broke"),
    (OSError, "network_error", ErrorClass.TRANSIENT, "the connection to {} broke"),
    (httpx.DecodingError, "undecodable_body", ErrorClass.UNKNOWN, "{} sent a corrupt body"),
)
