"""The trials of models, over a backend in this process."""

from collections.abc import Sequence
from typing import Any

from agentkit.core.contracts.errors import Failure
from agentkit.testing._play import Cut, Played
from agentkit.testing.mutants._model_backend import ModelBackend
from agentkit.testing.mutants._model_kinds import (
    EVERY,
    IgnoringClient,
    IgnoringLLM,
    LackingClient,
    LackingLLM,
)
from agentkit.testing.mutants._model_reference import ReferenceClient, ReferenceLLM
from agentkit.testing.mutants._trial import Trial, tries
from agentkit.testing.suites import Feature, LLMClientSuite, LLMSuite

__all__ = ["ModelTrial"]


class ModelTrial(Trial):
    def prepare(self) -> None:
        self.server = ModelBackend()

    def make(self) -> Any:
        return self.kind(self.server)

    async def play(self, script: Sequence[Played]) -> None:
        if Feature.REASONING in self.lacks and any(map(_reasons, script)):
            raise NotImplementedError("this backend does not reason")
        self.server.play(script)

    async def requests(self) -> int:
        return self.server.requests

    async def unfinished(self) -> int:
        return self.server.under_way

    def secret(self) -> str:
        return self.server.secret

    async def break_connection(self) -> None:
        self.server.is_up = False

    async def restore(self) -> None:
        self.server.is_up = True


@tries(ReferenceLLM)
class _LLMTrial(ModelTrial, LLMSuite): ...


@tries(LackingLLM)
class _LackingLLMTrial(ModelTrial, LLMSuite, lacks=EVERY): ...


@tries(IgnoringLLM)
class _IgnoringLLMTrial(ModelTrial, LLMSuite, ignores=EVERY): ...


@tries(ReferenceClient)
class _ClientTrial(ModelTrial, LLMClientSuite): ...


@tries(LackingClient)
class _LackingClientTrial(ModelTrial, LLMClientSuite, lacks=EVERY): ...


@tries(IgnoringClient)
class _IgnoringClientTrial(ModelTrial, LLMClientSuite, ignores=EVERY): ...


def _reasons(played: Played) -> bool:
    if isinstance(played, Failure):
        return False
    return bool((played.turn if isinstance(played, Cut) else played).reasoning)
