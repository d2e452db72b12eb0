"""Clauses: what goes wrong with a model is told in one way, with all that is known of it."""

import pickle
import traceback
from collections.abc import Iterator
from typing import Any

from agentkit.core.contracts.errors import ErrorClass, ProviderAuthError
from agentkit.core.testing import Turn
from agentkit.testing._play import Cut, Played, failing
from agentkit.testing.suites._clause import clause
from agentkit.testing.suites._model_steps import ModelSteps, failed

__all__ = [
    "PERMANENT",
    "TRANSIENT",
    "ErrorClauses",
    "ModelFaultClauses",
    "broken",
    "everything_told_by",
]

TRANSIENT = (408, 429, 500, 502, 503, 504, 529)
PERMANENT = (400, 404, 409, 413, 422)
MANY = "so far so good " * 200


def broken() -> list[Played]:
    """Give an answer of every kind that ends badly."""
    statuses = [failing(status) for status in (400, 401, 429, 500)]
    return [*statuses, failing(503, after="so far"), Cut(turn=Turn(MANY), after=900)]


class ErrorClauses(ModelSteps):
    """A backend's failure is a `ProviderError`, which says whether trying again may help."""

    @clause("MODEL-ERROR-01", since="1.0", hook="play")
    async def what_may_pass_is_transient(self, model: Any) -> None:
        for status in TRANSIENT:
            await self.play([failing(status)])
            for way in self.ways(model, self.asking()):
                error = await failed(way)

                assert (error.error_class, error.status) == (ErrorClass.TRANSIENT, status)

    @clause("MODEL-ERROR-02", since="1.0", hook="play")
    async def what_will_not_pass_is_permanent(self, model: Any) -> None:
        for status in PERMANENT:
            await self.play([failing(status, message="the timeout of 503 s is overloaded")])
            for way in self.ways(model, self.asking()):
                error = await failed(way)

                assert (error.error_class, error.status) == (ErrorClass.PERMANENT, status)

    @clause("MODEL-ERROR-03", since="1.0", hook="play")
    async def a_refused_credential_is_told_apart(self, model: Any) -> None:
        for status in (401, 403):
            await self.play([failing(status)])
            for way in self.ways(model, self.asking()):
                error = await failed(way)

                assert isinstance(error, ProviderAuthError)
                assert error.error_class is ErrorClass.PERMANENT

    @clause("MODEL-ERROR-04", since="1.0", hook="play")
    async def when_to_come_back_is_told(self, model: Any) -> None:
        await self.play([failing(429, retry_after=7.0)])
        for way in self.ways(model, self.asking()):
            assert (await failed(way)).retry_after == 7.0

        await self.play([failing(503)])
        assert (await failed(self.ways(model, self.asking())[0])).retry_after is None

    @clause("MODEL-ERROR-05", since="1.0", hook="play")
    async def the_backend_s_own_words_are_told(self, model: Any) -> None:
        await self.play([failing(400, message="the window is 8 tokens")])
        for way in self.ways(model, self.asking()):
            assert "the window is 8 tokens" in str(await failed(way))

    @clause("MODEL-ERROR-06", since="1.0", hook="play")
    async def an_error_after_output_is_raised(self, model: Any) -> None:
        await self.play([failing(503, message="overloaded", after="so far so good")])
        for way in self.ways(model, self.asking()):
            error = await failed(way)

            assert error.error_class is not ErrorClass.PERMANENT

    @clause("MODEL-ERROR-07", since="1.0", hook="play")
    async def a_connection_that_breaks_is_raised(self, model: Any) -> None:
        for after in (0, 1, 50, 900, 2000):
            await self.play([Cut(turn=Turn(MANY), after=after)])
            for way in self.ways(model, self.asking()):
                assert (await failed(way)).error_class is ErrorClass.TRANSIENT

    @clause("MODEL-ERROR-08", since="1.0", hook="play")
    async def an_answer_without_its_end_is_raised(self, model: Any) -> None:
        for after in (0, 900, 2000):
            await self.play([Cut(turn=Turn(MANY), after=after, then="close")])
            for way in self.ways(model, self.asking()):
                await failed(way)

    @clause("MODEL-ERROR-09", since="1.0", hook="play")
    async def what_had_arrived_is_attached(self, model: Any) -> None:
        await self.play([Cut(turn=Turn(MANY), after=2000)])
        stream, text = self.stream(model, self.asking()), [""]
        error = await failed(lambda: self.read(stream, text))

        assert error.output_started is bool("".join(text))
        assert not "".join(text) or error.partial.content == "".join(text)

    @clause("MODEL-ERROR-10", since="1.0", hook="play")
    async def a_failure_leaves_it_usable(self, model: Any) -> None:
        for failure in broken():
            await self.play([failure])
            for way in self.ways(model, self.asking()):
                await failed(way)
            await self.play([Turn("well again")])

            assert (await self.told(model)).text == "well again"

    @clause("MODEL-ERROR-11", since="1.0", hook="play")
    async def an_error_goes_through_a_pickle(self, model: Any) -> None:
        for failure in broken():
            await self.play([failure])
            error = await failed(self.ways(model, self.asking())[0])
            copy = pickle.loads(pickle.dumps(error))  # noqa: S301 - made in the line above

            assert type(copy) is type(error)
            assert (copy.args, copy.error_class) == (error.args, error.error_class)

    @clause("MODEL-ERROR-12", since="1.0", hook=("play", "secret"))
    async def no_error_tells_the_credential(self, model: Any) -> None:
        echo = failing(401, message=f"there is no key {self.secret()} here")
        for failure in [*broken(), echo]:
            await self.play([failure])
            for way in self.ways(model, self.asking()):
                told = "".join([repr(model), *everything_told_by(await failed(way))])

                assert self.secret() not in told


class ModelFaultClauses(ModelSteps):
    """A backend that cannot be reached is told as such, and forgiven."""

    @clause("MODEL-FAULT-01", since="1.0", hook="break_connection")
    async def an_unreachable_backend_is_told(self, model: Any) -> None:
        await self.break_connection()

        for way in self.ways(model, self.asking()):
            assert (await failed(way)).error_class is ErrorClass.TRANSIENT

    @clause("MODEL-FAULT-02", since="1.0", hook=("break_connection", "play"))
    async def it_works_again_once_the_backend_is_back(self, model: Any) -> None:
        await self.play([Turn("hello")])
        await self.told(model)
        await self.break_connection()
        await failed(self.ways(model, self.asking())[0])
        await self.restore()

        assert (await self.told(model)).text == "hello"


def everything_told_by(error: BaseException) -> Iterator[str]:
    """Give *error* in every form in which it may get into a log."""
    yield from (str(error), repr(error), repr(vars(error)))
    yield from traceback.format_exception(error)
    yield pickle.dumps(error, protocol=0).decode("latin-1")
