"""An object in progress can be shown, compared, copied and pickled, whatever is not there yet."""

import abc
import copy
import pickle
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar, final

import attrs
import pytest
from pydantic import BaseModel, computed_field

from agentkit.agents.output import adapt

T = TypeVar("T")


@dataclass
class Plain:
    """A dataclass."""

    city: str
    celsius: int


@dataclass(frozen=True)
class Frozen:
    """A hashable one."""

    city: str
    celsius: int


@dataclass(slots=True)
class Slotted:
    """One without a `__dict__`."""

    city: str
    celsius: int


@final
@dataclass(frozen=True, slots=True)
class Final:
    """One that says that nobody inherits from it."""

    city: str
    celsius: int


@dataclass
class Strict:
    """One with a check of its own."""

    city: str
    celsius: int

    def __post_init__(self) -> None:
        if self.celsius > 100:
            raise ValueError(self.celsius)


@dataclass(order=True)
class Own:
    """One with a text of its own, which counts on every field."""

    city: str
    celsius: int

    def __str__(self) -> str:
        return f"{self.city} at {self.celsius}"


@attrs.define
class Attrs:
    """An attrs class, which has slots."""

    city: str
    celsius: int


@attrs.frozen
class AttrsFrozen:
    """A hashable one."""

    city: str
    celsius: int


@dataclass
class Registered:
    """One that keeps a list of what inherits from it."""

    seen: ClassVar[list[type]] = []
    city: str
    celsius: int

    def __init_subclass__(cls) -> None:
        Registered.seen.append(cls)


class Closed(type):
    """Lets nobody inherit from its classes."""

    def __new__(cls, name: str, bases: tuple[type, ...], names: dict[str, Any]) -> "Closed":
        if bases:
            raise TypeError(name)
        return type.__new__(cls, name, bases, names)


@dataclass
class Sealed(metaclass=Closed):
    """One that really cannot be inherited from."""

    city: str
    celsius: int


@dataclass
class Nested:
    """One of others."""

    first: Plain
    rest: list[Slotted]


KINDS = [Plain, Frozen, Slotted, Final, Strict, Own, Attrs, AttrsFrozen, Registered]
EACH = pytest.mark.parametrize("kind", KINDS)


def part(kind: Any, text: str = '{"city": "Rom') -> Any:
    return adapt(kind).partial_parse(text)


@EACH
def test_it_is_shown_with_what_has_arrived(kind: type[Any]) -> None:
    assert repr(part(kind)) == str(part(kind)) == f"{kind.__qualname__}(city='Rom')"


@EACH
def test_it_is_an_object_of_its_class_whose_absent_fields_are_absent(kind: type[Any]) -> None:
    partial = part(kind)

    assert isinstance(partial, kind)
    assert type(partial).__name__ == kind.__name__
    assert getattr(partial, "celsius", None) is None
    with pytest.raises(AttributeError):
        _ = partial.celsius


@EACH
def test_it_is_equal_to_what_has_the_same_fields(kind: type[Any]) -> None:
    whole = kind("Rom", 3)

    assert part(kind) == part(kind)
    assert part(kind) != part(kind, '{"city": "Ro')
    assert part(kind) != "Rom"
    assert (part(kind) == whole, whole == part(kind)) == (False, False)


@EACH
def test_all_of_it_is_an_object_like_any_other(kind: type[Any]) -> None:
    whole = part(kind, '{"city": "Rome", "celsius": 3}')

    assert type(whole) is kind
    assert whole == kind("Rome", 3)


def pickled(value: object) -> Any:
    return pickle.loads(pickle.dumps(value))  # noqa: S301 - our own bytes


@EACH
@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, pickled])
def test_it_can_be_handed_on(kind: type[Any], again: Any) -> None:
    assert again(part(kind)) == part(kind)
    assert repr(again(part(kind))) == repr(part(kind))


@pytest.mark.parametrize("kind", [Frozen, Final, AttrsFrozen])
def test_it_is_hashable_where_its_class_is(kind: type[Any]) -> None:
    assert {part(kind)} == {part(kind)}


@pytest.mark.parametrize("kind", [Plain, Attrs])
def test_it_is_not_hashable_where_its_class_is_not(kind: type[Any]) -> None:
    with pytest.raises(TypeError, match=f"unhashable type: '{kind.__name__}'"):
        hash(part(kind))


def test_objects_within_objects_and_lists_are_shown_too() -> None:
    text = '{"first": {"city": "Rome", "celsius": 3}, "rest": [{"city": "Oslo", "celsius": 1}, {"ci'

    assert repr(part(Nested, '{"first": {"city": "Ro')) == "Nested(first=Plain(city='Ro'))"
    assert repr(part(Nested, text)).endswith("Slotted(city='Oslo', celsius=1), Slotted()])")


def test_a_field_that_is_not_shown_stays_hidden() -> None:
    @dataclass
    class Login:
        user: str
        key: str = field(repr=False)
        port: int

    assert part(Login, '{"key": "hunter2", "user": "ann').key == "hunter2"
    assert repr(part(Login, '{"key": "hunter2", "user": "ann')).endswith("Login(user='ann')")


def test_a_field_that_is_not_compared_does_not_count() -> None:
    @dataclass
    class Note:
        text: str
        author: str = field(compare=False)
        page: int

    assert part(Note, '{"text": "a", "author": "b') == part(Note, '{"text": "a", "author": "c')


def test_a_class_that_compares_by_identity_goes_on_doing_so() -> None:
    @dataclass(eq=False)
    class One:
        a: int
        b: int

    one = part(One, '{"a": 1, ')
    assert (one == one, one == part(One, '{"a": 1, ')) == (True, False)  # noqa: PLR0124 - that is the question


def test_a_registry_of_subclasses_sees_none() -> None:
    repr(part(Registered))

    assert Registered.seen == []


def test_a_class_that_cannot_be_inherited_from_is_built_all_the_same() -> None:
    assert (part(Sealed).city, getattr(part(Sealed), "celsius", None)) == ("Rom", None)


def test_a_generic_class_is_built_all_the_same() -> None:
    @dataclass
    class Box(Generic[T]):
        label: str
        size: int

    assert repr(part(Box, '{"label": "x')).endswith("Box(label='x')")


def test_a_class_of_which_nothing_can_be_bare_is_left_out() -> None:
    @dataclass
    class Failure(Exception):
        city: str

    @dataclass
    class Abstract(abc.ABC):
        city: str

        @abc.abstractmethod
        def act(self) -> None: ...

    assert (part(Failure), part(Abstract)) == (None, None)


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


@dataclass
class Deputy:
    """A dataclass that asks a part of itself for what it has not."""

    city: str
    inner: dict[str, int]

    def __getattr__(self, name: str) -> Any:
        return self.inner[name]


def test_what_a_class_asks_of_itself_never_ends_in_a_circle() -> None:
    found = part(Deputy)

    assert repr(found) == str(found) == "Deputy(city='Rom')"
    assert getattr(found, "inner", None) is getattr(found, "anything", None) is None
    assert copy.copy(found) == found


def test_what_a_class_asks_of_itself_is_found_once_it_is_there() -> None:
    @dataclass
    class Late(Deputy):
        last: int

    found = part(Late, '{"city": "Rome", "inner": {"a": 1}')
    assert found.a == 1
