"""Models that tell failures wrongly, or do not get over them."""

from collections.abc import AsyncGenerator, Sequence
from typing import Any

from agentkit.core.contracts.errors import ErrorClass, ProviderError
from agentkit.core.contracts.llm import RunMeta
from agentkit.testing.mutants._model_backend import Event, RefusedError
from agentkit.testing.mutants._model_kinds import breaks_both
from agentkit.testing.mutants._model_reference import Needs, ReferenceModel

Told = ProviderError | None
Before = Sequence[Event]


@breaks_both("MODEL-ERROR-01")
class TakesEveryFailureForGood(ReferenceModel):
    """It calls every failure permanent."""

    def error_of(self, told: Told, before: Before) -> ProviderError:
        error = super().error_of(told, before)
        error.error_class = ErrorClass.PERMANENT
        return error


@breaks_both("MODEL-ERROR-01", "MODEL-ERROR-02", "MODEL-ERROR-07")
class LetsTheModelDriverSpeak(ReferenceModel):
    """It lets the driver's own error out."""

    def error_of(self, told: Told, before: Before) -> ProviderError:
        raise RefusedError(told)


@breaks_both("MODEL-ERROR-02")
class ReadsTheWords(ReferenceModel):
    """It takes a failure that speaks of a timeout for one that may pass."""

    def error_of(self, told: Told, before: Before) -> ProviderError:
        error = super().error_of(told, before)
        if "timeout" in str(error):
            error.error_class = ErrorClass.TRANSIENT
        return error


@breaks_both("MODEL-ERROR-03")
class KnowsNoCredentials(ReferenceModel):
    """It tells a refused credential like any other failure."""

    def error_of(self, told: Told, before: Before) -> ProviderError:
        error = super().error_of(told, before)
        return ProviderError(str(error), status=error.status, error_class=error.error_class)


@breaks_both("MODEL-ERROR-04")
class ForgetsWhenToComeBack(ReferenceModel):
    """It reads no header."""

    def error_of(self, told: Told, before: Before) -> ProviderError:
        error = super().error_of(told, before)
        error.retry_after = None
        return error


@breaks_both("MODEL-ERROR-05")
class TellsTheStatusOnly(ReferenceModel):
    """It does not read what the backend says."""

    def error_of(self, told: Told, before: Before) -> ProviderError:
        error = super().error_of(told, before)
        error.args = (f"status {error.status}",)
        return error


@breaks_both("MODEL-ERROR-06")
class SkipsErrorFrames(ReferenceModel):
    """It takes an error frame for the end."""

    async def ask(self) -> AsyncGenerator[Event]:
        async for event in self.backend.answer():
            yield Event("end", "stop") if event.kind == "error" else event


@breaks_both("MODEL-ERROR-07")
class TakesABreakForTheEnd(ReferenceModel):
    """It takes a broken connection for the end."""

    async def ask(self) -> AsyncGenerator[Event]:
        try:
            async for event in self.backend.answer():
                yield event
        except RefusedError as exc:
            if exc.told is not None:
                raise
            yield Event("end", "stop")


@breaks_both("MODEL-ERROR-08")
class NeedsNoEnd(ReferenceModel):
    """It takes whatever came for the answer."""

    async def ask(self) -> AsyncGenerator[Event]:
        last = ""
        async for event in self.backend.answer():
            last = event.kind
            yield event
        if last != "end":
            yield Event("end", "stop")


@breaks_both("MODEL-ERROR-09")
class DropsWhatHadArrived(ReferenceModel):
    """It says only that the answer broke off."""

    def arrived(self, before: Before) -> dict[str, Any]:
        return {}


@breaks_both("MODEL-ERROR-10")
class StaysFailed(ReferenceModel):
    """It opens a breaker that it never closes."""

    error: ProviderError | None = None

    def error_of(self, told: Told, before: Before) -> ProviderError:
        self.error = super().error_of(told, before)
        return self.error

    def look_at(self, needs: Needs) -> None:
        super().look_at(needs)
        if self.error is not None:
            raise self.error


class UnpicklableError(ProviderError):
    """An error that wants two things to be made."""

    def __init__(self, status: int | None, text: str, *, error_class: ErrorClass) -> None:
        super().__init__(text, status=status, error_class=error_class)


@breaks_both("MODEL-ERROR-11")
class RaisesWhatCannotTravel(ReferenceModel):
    """Its errors cannot be made from their message."""

    def error_of(self, told: Told, before: Before) -> ProviderError:
        error = super().error_of(told, before)
        return UnpicklableError(error.status, str(error), error_class=error.error_class)


@breaks_both("MODEL-ERROR-12")
class RepeatsTheCredential(ReferenceModel):
    """It tells what the backend told, key and all."""

    def error_of(self, told: Told, before: Before) -> ProviderError:
        error = super().error_of(told, before)
        error.args = (str(told or error),)
        return error


@breaks_both("MODEL-ERROR-12")
class ChainsTheRequest(ReferenceModel):
    """It raises from the driver's error, which holds the request."""

    async def events(self, needs: Needs, run: RunMeta | None = None) -> AsyncGenerator[Event]:
        try:
            async for event in super().events(needs, run):
                yield event
        except ProviderError as error:
            raise error from ConnectionError(f"authorization: {self.backend.secret}")


@breaks_both("MODEL-ERROR-12")
class ShowsItsCredential(ReferenceModel):
    """It has the key in its representation."""

    def __repr__(self) -> str:
        return f"Model({self.backend.secret!r})"


@breaks_both("MODEL-FAULT-01")
class SpeaksTheSocketsLanguage(ReferenceModel):
    """It says that a connection was refused as the socket does."""

    async def ask(self) -> AsyncGenerator[Event]:
        if not self.backend.is_up:
            raise ConnectionRefusedError(111, "Connection refused")
        async for event in self.backend.answer():
            yield event


@breaks_both("MODEL-FAULT-02")
class NeverConnectsAgain(ReferenceModel):
    """It keeps its one connection, broken or not."""

    is_broken = False

    async def ask(self) -> AsyncGenerator[Event]:
        self.is_broken = self.is_broken or not self.backend.is_up
        if self.is_broken:
            raise RefusedError
        async for event in self.backend.answer():
            yield event
