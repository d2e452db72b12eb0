"""A correct embedding client, and those that mix vectors up or tell failures wrongly."""

from collections.abc import Sequence
from contextlib import aclosing
from typing import Any

from agentkit.core.contracts.llm import EmbeddingResult
from agentkit.testing.mutants import _model_answers, _model_cancel, _model_errors
from agentkit.testing.mutants._model_backend import ModelBackend
from agentkit.testing.mutants._model_reference import Needs, ReferenceModel
from agentkit.testing.mutants._model_trials import ModelTrial
from agentkit.testing.mutants._trial import breaks, tries
from agentkit.testing.servers._vectors import vector_of
from agentkit.testing.suites import EmbeddingSuite

__all__ = ["ReferenceEmbeddings"]


class ReferenceEmbeddings(ReferenceModel):
    """An `EmbeddingClient` that keeps every clause."""

    async def embed(self, texts: Sequence[str]) -> EmbeddingResult:
        """Give the vectors of *texts*."""
        vectors = await self.vectors(texts) if texts else []
        return EmbeddingResult(vectors, "scripted", sum(map(len, texts)))

    async def embed_single(self, text: str) -> list[float]:
        """Give the vector of *text*."""
        vector: list[float] = self.single(await self.vectors([text]))
        return vector

    async def vectors(self, texts: Sequence[str]) -> list[Any]:
        """Ask, and give one vector for each text."""
        async with aclosing(self.events(Needs())) as events:
            async for _ in events:
                pass
        return self.ordered([self.vector(text) for text in texts])

    def ordered(self, vectors: list[Any]) -> list[Any]:
        """Give *vectors* in the order of their texts."""
        return vectors

    def single(self, vectors: list[Any]) -> Any:
        """Give the only vector."""
        return vectors[0]

    def vector(self, text: str) -> Any:
        """Give the vector of *text*."""
        return vector_of(text)


@tries(ReferenceEmbeddings)
class _EmbeddingTrial(ModelTrial, EmbeddingSuite): ...


for _fault, _clauses in {
    _model_answers.AsksWhetherItMayAsk: ["EMBED-ONCE-01"],
    _model_answers.RetriesFailures: ["EMBED-ONCE-02"],
    _model_errors.TakesEveryFailureForGood: ["EMBED-ERROR-01"],
    _model_errors.ReadsTheWords: ["EMBED-ERROR-02"],
    _model_errors.KnowsNoCredentials: ["EMBED-ERROR-03"],
    _model_errors.ForgetsWhenToComeBack: ["EMBED-ERROR-04"],
    _model_errors.NeedsNoEnd: ["EMBED-ERROR-05"],
    _model_errors.StaysFailed: ["EMBED-ERROR-06"],
    _model_errors.RaisesWhatCannotTravel: ["EMBED-ERROR-07"],
    _model_errors.RepeatsTheCredential: ["EMBED-ERROR-08"],
    _model_errors.ChainsTheRequest: ["EMBED-ERROR-08"],
    _model_errors.SpeaksTheSocketsLanguage: ["EMBED-FAULT-01"],
    _model_errors.NeverConnectsAgain: ["EMBED-FAULT-02"],
    _model_cancel.StaysLockedWhenCut: ["EMBED-CANCEL-01"],
    _model_cancel.LosesItsConnections: ["EMBED-CANCEL-02"],
    _model_cancel.ReadsOnAlone: ["EMBED-CANCEL-03"],
}.items():
    _made = type(_fault.__name__, (_fault, ReferenceEmbeddings), {"__doc__": _fault.__doc__})
    breaks(*_clauses)(_made)


@breaks("EMBED-PORT-01")
class HasNoSingle(ReferenceEmbeddings):
    """It leaves out a verb of the contract."""

    embed_single = None  # type: ignore[assignment]


@breaks("EMBED-VECTOR-01")
class GivesOneForAll(ReferenceEmbeddings):
    """It gives one vector for all texts together."""

    def ordered(self, vectors: list[Any]) -> list[Any]:
        return vectors[:1]


@breaks("EMBED-VECTOR-02")
class TakesThemAsTheyCome(ReferenceEmbeddings):
    """It takes the vectors in the order in which they arrive."""

    def ordered(self, vectors: list[Any]) -> list[Any]:
        return sorted(vectors)


@breaks("EMBED-VECTOR-03")
class AsksAnotherModelForOne(ReferenceEmbeddings):
    """It has another model for single texts."""

    def single(self, vectors: list[Any]) -> Any:
        return vectors[0][::-1]


@breaks("EMBED-VECTOR-04")
class FailsWithoutTexts(ReferenceEmbeddings):
    """It wants a text."""

    async def embed(self, texts: Sequence[str]) -> EmbeddingResult:
        _ = texts[0]
        return await super().embed(texts)


@breaks("EMBED-VECTOR-05")
class TrimsZeros(ReferenceEmbeddings):
    """It leaves out what is small."""

    def vector(self, text: str) -> Any:
        return [part for part in super().vector(text) if abs(part) > 0.1]


@breaks("EMBED-VECTOR-06")
class GivesTuplesOfWholes(ReferenceEmbeddings):
    """It gives bytes as whole numbers."""

    def vector(self, text: str) -> Any:
        return [int(256 * part) for part in super().vector(text)]


@breaks("EMBED-VECTOR-07")
class DoesNotNameItsModel(ReferenceEmbeddings):
    """It does not say whose vectors they are."""

    async def embed(self, texts: Sequence[str]) -> EmbeddingResult:
        return EmbeddingResult((await super().embed(texts)).embeddings, "")


@breaks("EMBED-VECTOR-08")
class DropsRepeatedTexts(ReferenceEmbeddings):
    """It gives nothing for a text that it has just had."""

    async def vectors(self, texts: Sequence[str]) -> list[Any]:
        vectors = await super().vectors(list(dict.fromkeys(texts)))
        return [*vectors, *[[1.0] * 8] * (len(texts) - len(vectors))]


@breaks("EMBED-VECTOR-09")
class EmbedsTheFirstHundred(ReferenceEmbeddings):
    """It sends one batch."""

    async def vectors(self, texts: Sequence[str]) -> list[Any]:
        return await super().vectors(texts[:100])


@breaks("EMBED-VECTOR-10")
class StripsManyTexts(ReferenceEmbeddings):
    """It strips texts where there are several."""

    async def embed(self, texts: Sequence[str]) -> EmbeddingResult:
        return await super().embed([text.strip() for text in texts])


@breaks("EMBED-VECTOR-11")
class CachesVectors(ReferenceEmbeddings):
    """It gives the same list again."""

    def __init__(self, backend: ModelBackend) -> None:
        super().__init__(backend)
        self.known: dict[str, Any] = {}

    def vector(self, text: str) -> Any:
        return self.known.setdefault(text, super().vector(text))


@breaks("EMBED-ONCE-03")
class AsksForNothing(ReferenceEmbeddings):
    """It sends an empty list."""

    async def embed(self, texts: Sequence[str]) -> EmbeddingResult:
        return EmbeddingResult(await self.vectors(texts), "scripted")
