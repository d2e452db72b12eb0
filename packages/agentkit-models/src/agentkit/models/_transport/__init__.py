"""HTTP for every provider's client; importing it needs the extra `http`."""

from agentkit.models.errors import MissingProviderExtra

try:
    from agentkit.models._transport._body import Body
    from agentkit.models._transport._bounds import Timeouts
    from agentkit.models._transport._http import HttpTransport, Reply
    from agentkit.models._transport._secrets import Secrets
except ModuleNotFoundError as exc:
    if exc.name != "httpx":
        raise
    raise MissingProviderExtra(
        "a provider's client needs httpx: pip install 'agentkit-models[http]'", extra="http"
    ) from None

__all__ = ["Body", "HttpTransport", "Reply", "Secrets", "Timeouts"]
