"""A pydantic model in progress can be shown, compared, copied and pickled, like any object."""

import copy
import pickle
from typing import Any, ClassVar

import pytest
from pydantic import BaseModel, computed_field

from agentkit.agents.output import adapt


class Computed(BaseModel):
    """A model that computes from what it has."""

    city: str
    celsius: int

    @computed_field
    def fahrenheit(self) -> float:
        return self.celsius * 1.8 + 32


class Worded(BaseModel, frozen=True):
    """One with words of its own, for all that is done with it."""

    city: str
    celsius: int

    def __repr__(self) -> str:
        return f"{self.city}: {self.celsius}"

    def __str__(self) -> str:
        return repr(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Worded) and self.celsius == other.celsius

    def __hash__(self) -> int:
        return hash(self.celsius)


class Registering(BaseModel):
    """One that keeps a registry of its subclasses."""

    seen: ClassVar[list[type]] = []
    city: str
    celsius: int

    def __str__(self) -> str:
        return f"{self.celsius}"

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        cls.seen.append(cls)


class Plainest(BaseModel):
    """One of which nothing is special."""

    city: str
    celsius: int


class Delegating(BaseModel):
    """One that asks a part of itself for what it has not."""

    city: str
    celsius: dict[str, int]

    def __getattr__(self, name: str) -> Any:
        return self.celsius[name]


def part(kind: Any, text: str = '{"city": "Rom') -> Any:
    return adapt(kind).partial_parse(text)


def pickled(value: object) -> Any:
    return pickle.loads(pickle.dumps(value))  # noqa: S301 - our own bytes


MODELS = pytest.mark.parametrize(
    "kind", [Computed, Worded, Registering, Plainest, Delegating], ids=lambda kind: kind.__name__
)


@MODELS
def test_a_model_in_progress_is_shown_with_what_has_arrived(kind: Any) -> None:
    assert repr(part(kind)) == f"{kind.__name__}(city='Rom')"
    assert str(part(kind)) in {"city='Rom'", repr(part(kind))}
    assert f"{part(kind)!s}" == str(part(kind))


@MODELS
def test_a_model_in_progress_is_one_of_its_class_and_tells_what_it_has(kind: Any) -> None:
    found = part(kind)

    assert isinstance(found, kind)
    assert (found.city, getattr(found, "celsius", None)) == ("Rom", None)
    assert found.model_fields_set == {"city"}
    assert not hasattr(found, "anything_else")


@MODELS
def test_a_model_in_progress_is_compared_by_what_has_arrived(kind: Any) -> None:
    assert part(kind) == part(kind)
    assert part(kind) != part(kind, '{"city": "Ro')
    assert part(kind) != "Rom"


@MODELS
@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, pickled, BaseModel.model_copy])
def test_a_model_in_progress_can_be_handed_on(kind: Any, again: Any) -> None:
    found = again(part(kind))

    assert (found, found.model_fields_set) == (part(kind), {"city"})


def test_a_model_in_progress_is_hashable_where_its_class_is() -> None:
    assert hash(part(Worded)) == hash(part(Worded))
    with pytest.raises(TypeError, match="unhashable type: 'Computed'"):
        hash(part(Computed))


def test_a_registry_of_models_sees_none() -> None:
    part(Registering)

    assert Registering.seen == []


def test_a_whole_model_is_of_the_class_itself() -> None:
    found = part(Computed, '{"city": "Rome", "celsius": 100}')

    assert type(found) is Computed
    assert found.model_dump()["fahrenheit"] == 212
