"""Errors of model providers."""

from typing import Any

from agentkit.core.contracts.errors._base import AgentkitError, ErrorClass

__all__ = ["ProviderAuthError", "ProviderError", "UnsupportedOption"]


class ProviderError(AgentkitError):
    """A model provider refused, failed or cut a call; `error_class` says whether to try again.

    Attributes:
        status: The HTTP status, or None when none arrived.
        code: The provider's own code, as text.
        error_type: The provider's own type, such as `overloaded_error`.
        request_id: What the provider calls this request in its logs.
        retry_after: Seconds the provider asks to wait.
        output_started: Whether any output had reached the caller, so that sending again repeats it.
        partial: What had arrived before the failure, an `LLMResult`, or None.
        provider: The provider's name.
        error_class: The verdict on trying again.

    """

    def __init__(  # noqa: PLR0913 - one keyword per fact a provider reports
        self,
        message: str = "",
        *,
        status: int | None = None,
        code: str | None = None,
        error_type: str | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
        output_started: bool = False,
        partial: Any = None,
        provider: str = "",
        error_class: ErrorClass = ErrorClass.UNKNOWN,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.error_type = error_type
        self.request_id = request_id
        self.retry_after = retry_after
        self.output_started = output_started
        self.partial = partial
        self.provider = provider
        self.error_class = error_class


class ProviderAuthError(ProviderError):
    """The provider does not accept the credential; trying again never helps."""

    def __init__(
        self, message: str = "", *, error_class: ErrorClass = ErrorClass.PERMANENT, **facts: Any
    ) -> None:
        super().__init__(message, error_class=error_class, **facts)


class UnsupportedOption(AgentkitError, NotImplementedError):
    """The caller set an option that this model client cannot honour; nothing was sent."""

    def __init__(self, message: str = "", *, option: str = "", provider: str = "") -> None:
        super().__init__(message)
        self.option = option
        self.provider = provider
