"""An object in progress can be shown, compared, copied and pickled, whatever is not there yet."""

import abc
import copy
import pickle
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar, final

import attrs
import pytest

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
