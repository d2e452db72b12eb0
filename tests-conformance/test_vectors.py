"""Every vector index that ships keeps VectorPort."""

from collections.abc import Sequence
from contextlib import nullcontext

import pytest

from agentkit.core.serialization.features import term_vector
from agentkit.state.vectors import InMemoryVector
from agentkit.testing import Opener, VectorSuite


class ModelledVector(InMemoryVector):
    """The index with a model of its own, which compares vectors instead of words."""

    def _embed(self, text: str) -> Sequence[float]:
        return term_vector(text, dimensions=512)


class TestInMemoryVector(VectorSuite):
    @pytest.fixture
    def adapter(self) -> Opener:
        index = InMemoryVector()
        return lambda: nullcontext(index)


class TestInMemoryVectorOfAModel(VectorSuite):
    @pytest.fixture
    def adapter(self) -> Opener:
        index = ModelledVector()
        return lambda: nullcontext(index)
