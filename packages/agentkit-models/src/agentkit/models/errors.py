"""What picking and building a model client can fail with.

    AgentkitError
    ├── ClientSettingError           (ValueError) no client can be made with a setting
    └── RegistryError
        ├── UnknownModel             no row and no rule knows the model
        ├── ProviderNotConfigured    the credential is missing
        ├── MissingProviderExtra     (ImportError) the extra is not installed
        └── CapabilityMismatch       the model cannot do what is required of it

None of them helps to be tried again, and none ever holds a credential.
"""

from agentkit.core.contracts.errors import AgentkitError

__all__ = [
    "CapabilityMismatch",
    "ClientSettingError",
    "MissingProviderExtra",
    "ProviderNotConfigured",
    "RegistryError",
    "UnknownModel",
]


class ClientSettingError(AgentkitError, ValueError):
    """A client cannot be made with the `setting`; nothing was sent."""

    def __init__(self, message: str = "", *, setting: str = "") -> None:
        super().__init__(message)
        self.setting = setting


class RegistryError(AgentkitError):
    """The registry cannot give what was asked for."""


class UnknownModel(RegistryError):
    """No provider is known to serve the model."""

    def __init__(self, message: str = "", *, model: str = "") -> None:
        super().__init__(message)
        self.model = model


class ProviderNotConfigured(RegistryError):
    """No credential was given and none is in the environment."""

    def __init__(
        self, message: str = "", *, provider: str = "", env_vars: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message)
        self.provider = provider
        self.env_vars = env_vars


class MissingProviderExtra(RegistryError, ImportError):
    """The provider's client needs an extra that is not installed."""

    def __init__(self, message: str = "", *, extra: str = "") -> None:
        super().__init__(message)
        self.extra = extra


class CapabilityMismatch(RegistryError):
    """The model cannot do what is required of it, or is not known to where that is refused."""

    def __init__(
        self, message: str = "", *, model: str = "", capabilities: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message)
        self.model = model
        self.capabilities = capabilities
