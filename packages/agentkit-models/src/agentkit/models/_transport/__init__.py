"""HTTP for every provider's client; importing it needs the extra `http`."""

from agentkit.models.errors import MissingProviderExtra

try:
    import httpx as _httpx  # noqa: F401 - named here once, so that its lack has one message
except ImportError:
    raise MissingProviderExtra(
        "a provider's client needs httpx: pip install 'agentkit-models[http]'", extra="http"
    ) from None

from agentkit.models._transport._bounds import Timeouts
from agentkit.models._transport._http import HttpTransport, Reply

__all__ = ["HttpTransport", "Reply", "Timeouts"]
