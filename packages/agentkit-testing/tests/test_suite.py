"""What a class line may say, and what it is told when it may not."""

import asyncio
from contextlib import nullcontext

import pytest

from agentkit.testing import Feature, Opener, Suite, clause
from agentkit.testing.suites import clause_of
from agentkit.testing.suites._judging import LeftOut


class BoxSuite(Suite):
    port = "BoxPort"
    version = "1.0"
    features = frozenset({Feature.TTL})
    verbs = frozenset({"get", "put"})

    @clause("BOX-GET-01", since="1.0")
    async def an_empty_box_gives_none(self, box: None) -> None:
        """Say that nothing is in it."""

    @clause("BOX-TTL-01", since="1.0", needs=Feature.TTL)
    async def a_value_expires(self, box: None) -> None:
        """Say that nothing stays."""


def test_overriding_a_clause_is_refused() -> None:
    with pytest.raises(TypeError, match=r"TestOwn overrides BOX-GET-01 .*: say `deviates=`"):
        type("TestOwn", (BoxSuite,), {"an_empty_box_gives_none": print})


def test_overriding_a_clause_through_a_mixin_is_refused() -> None:
    mixin = type("Mixin", (), {"an_empty_box_gives_none": None})

    with pytest.raises(TypeError, match="TestOwn overrides BOX-GET-01"):
        type("TestOwn", (mixin, BoxSuite), {})


def test_adding_a_clause_is_refused() -> None:
    @clause("BOX-GET-99", since="1.0")
    async def own(self: object) -> None: ...

    with pytest.raises(TypeError, match="TestOwn adds BOX-GET-99 to BoxSuite"):
        type("TestOwn", (BoxSuite,), {"own": own})


def test_two_clauses_of_one_id_are_refused() -> None:
    @clause("BOX-GET-01", since="1.0")
    async def again(self: object) -> None: ...

    with pytest.raises(TypeError, match="Twice has two clauses BOX-GET-01"):
        type("Twice", (BoxSuite,), {"port": "BoxPort", "again": again})


@pytest.mark.parametrize(
    ("said", "match"),
    [
        ({"deviates": {"BOX-GET-09": "?"}}, "deviates from no clause asked of it: BOX-GET-09"),
        ({"lacks": {Feature.WHERE}}, "features that BoxPort has not: where"),
        ({"ignores": {Feature.VISION}}, "features that BoxPort has not: vision"),
        ({"partial": {"fly"}}, "partial in no verb of BoxPort: fly"),
        ({"lacks": {Feature.TTL}, "ignores": {Feature.TTL}}, "both lacks and ignores ttl"),
        ({"ignores": {Feature.TTL}, "deviates": {"BOX-TTL-01": "?"}}, "asked of it: BOX-TTL-01"),
        ({"misses": {Feature.TTL}}, "unexpected keyword argument 'misses'"),
    ],
    ids=["id", "lacks", "ignores", "verb", "both", "replaced", "keyword"],
)
def test_a_wrong_declaration_is_refused(said: dict[str, object], match: str) -> None:
    with pytest.raises(TypeError, match=match):
        type("TestOwn", (BoxSuite,), {}, **said)


def test_a_subclass_keeps_what_its_parent_says() -> None:
    class Parent(BoxSuite, lacks={Feature.TTL}): ...

    class Child(Parent, partial={"put"}): ...

    assert Child.lacks | Child.partial == {Feature.TTL, "put"}


@pytest.mark.parametrize("wrong", ["STORE-1", "store-cas-01", "STORE-CAS-1", "STORE-CAS-001", ""])
def test_an_id_has_one_form(wrong: str) -> None:
    with pytest.raises(ValueError, match="a clause id is like 'STORE-CAS-04'"):
        clause(wrong, since="1.0")


def test_a_clause_reads_as_its_sentence() -> None:
    made = clause_of(BoxSuite.an_empty_box_gives_none)

    assert made is not None
    assert (made.sentence, made.area, made.takes) == (
        "an empty box gives none", "BOX-GET", ("box",),
    )  # fmt: skip


def test_a_sibling_of_a_partial_adapter_lacks_the_same_verbs() -> None:
    class TestPart(BoxSuite, partial={"put"}):
        def other_namespace(self) -> Opener:
            return lambda: nullcontext(object())

    async def steps() -> None:
        async with TestPart().sibling()() as other:
            with pytest.raises(LeftOut, match="put"):
                await other.put(1)

    asyncio.run(steps())
