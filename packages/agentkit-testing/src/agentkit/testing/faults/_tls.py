"""TLS for tests: an authority of one's own, and a server's certificate from it."""

from __future__ import annotations

import ssl
from pathlib import Path

__all__ = ["Authority"]


class Authority:
    """Makes certificates that only who trusts it accepts; it lives as long as the object.

    Raises:
        ImportError: The extra is not installed; the message names it.

    """

    def __init__(self) -> None:
        try:
            import trustme  # noqa: PLC0415  # an extra
        except ImportError as problem:
            raise ImportError(
                f"{problem}: install agentkit-testing[servers]", name=problem.name
            ) from None
        self._authority = trustme.CA()

    def server_context(self, *names: str) -> ssl.SSLContext:
        """Give what a server called *names* (by default the loopback address) speaks TLS with."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        certificate = self._authority.issue_cert(*(names or ("127.0.0.1", "localhost")))
        # It takes pyOpenSSL's contexts as well, whose type is unknown where that is not installed.
        certificate.configure_cert(context)  # pyright: ignore[reportUnknownMemberType]
        return context

    def write_certificate(self, path: Path) -> Path:
        """Write to *path* what a client is to trust, as PEM, and give the path."""
        self._authority.cert_pem.write_to_path(str(path))
        return path
