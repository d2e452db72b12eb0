"""The suite of SearchPort."""

from collections.abc import Sequence
from typing import ClassVar

from agentkit.core.contracts.errors import ErrorClass, Failure
from agentkit.core.contracts.ports import SearchHit, SearchPort
from agentkit.testing._play import failing
from agentkit.testing.suites._clause import clause, hook
from agentkit.testing.suites._model_errors import everything_told_by
from agentkit.testing.suites._steps import cut_at_every_await
from agentkit.testing.suites._web_steps import WebSteps, ends_as

__all__ = ["SearchSuite"]

HITS = [
    SearchHit(f"https://example.com/{n}?q=a&b=%20", f"Title {n} \u00e9", f"Snippet {n}.")
    for n in range(8)
]


def seen(hits: Sequence[SearchHit]) -> list[tuple[str, str, str]]:
    """Give what every engine tells of *hits*."""
    return [(hit.url, hit.title, hit.snippet) for hit in hits]


class SearchClauses(WebSteps):
    """A search gives what the engine finds, in its order, and no more than asked for."""

    @hook
    async def play(self, found: Sequence[SearchHit]) -> None:
        """Make the engine find *found* from now on."""
        raise NotImplementedError

    @hook
    async def fail(self, failure: Failure) -> None:
        """Make the engine fail from now on, as `provider_error(failure)` says."""
        raise NotImplementedError

    @clause("SEARCH-PORT-01", since="1.0")
    async def an_adapter_has_the_verb_of_its_port(self, port: SearchPort) -> None:
        assert callable(port.search)

    @clause("SEARCH-HIT-01", since="1.0", hook="play")
    async def hits_are_told_as_the_engine_ranks_them(self, port: SearchPort) -> None:
        await self.play(HITS[:5])

        assert seen(await port.search("anything")) == seen(HITS[:5])

    @clause("SEARCH-HIT-02", since="1.0", hook="play")
    async def no_more_are_given_than_asked_for(self, port: SearchPort) -> None:
        await self.play(HITS)

        for k in (1, 3, 8):
            assert seen(await port.search("anything", k)) == seen(HITS[:k])

    @clause("SEARCH-HIT-03", since="1.0", hook="play")
    async def five_are_given_unless_told(self, port: SearchPort) -> None:
        await self.play(HITS)

        assert len(await port.search("anything")) == 5

    @clause("SEARCH-HIT-04", since="1.0", hook="play")
    async def nothing_found_is_an_empty_list(self, port: SearchPort) -> None:
        await self.play([])

        assert await port.search("anything") == []

    @clause("SEARCH-HIT-05", since="1.0", hook="play")
    async def none_are_given_where_none_are_asked_for(self, port: SearchPort) -> None:
        await self.play(HITS)

        assert await port.search("anything", 0) == []

    @clause("SEARCH-HIT-06", since="1.0", hook="play")
    async def the_answer_is_the_callers_own(self, port: SearchPort) -> None:
        await self.play(HITS[:2])
        (await port.search("anything")).clear()

        assert len(await port.search("anything")) == 2

    @clause("SEARCH-HIT-07", since="1.0", hook="play")
    async def odd_queries_are_asked(self, port: SearchPort) -> None:
        await self.play(HITS[:2])

        for query in ("\u00e9 & ? # %20", "a\nb", '"quoted" -not', "x" * 2000):
            assert len(await port.search(query)) == 2

    @clause("SEARCH-WHERE-01", since="1.0", hook="play")
    async def a_filter_never_widens(self, port: SearchPort) -> None:
        await self.play(HITS)
        try:
            found = await port.search("anything", 8, {"site": "example.com"})
        except NotImplementedError:
            return

        assert set(seen(found)) <= set(seen(HITS))

    @clause("SEARCH-ONCE-01", since="1.0", hook=("fail", "play", "requests"))
    async def a_search_is_one_request(self, port: SearchPort) -> None:
        await self.play(HITS)
        await port.search("one thing")
        assert await self.requests() == 1

        await self.fail(failing(503))
        await ends_as(ErrorClass.TRANSIENT, lambda: port.search("another"))
        assert await self.requests() == 2

    @clause("SEARCH-ERROR-01", since="1.0", hook="fail")
    async def a_failure_says_whether_to_try_again(self, port: SearchPort) -> None:
        for status, category in ((429, ErrorClass.TRANSIENT), (400, ErrorClass.PERMANENT)):
            await self.fail(failing(status))
            error = await ends_as(category, lambda: port.search("anything"))

            assert error.status == status

    @clause("SEARCH-ERROR-02", since="1.0", hook=("fail", "secret"))
    async def no_error_tells_the_credential(self, port: SearchPort) -> None:
        await self.fail(failing(401, message=f"there is no key {self.secret()}"))
        error = await ends_as(ErrorClass.PERMANENT, lambda: port.search("anything"))

        assert self.secret() not in "".join([repr(port), *everything_told_by(error)])

    @clause("SEARCH-FAULT-01", since="1.0", hook=("break_connection", "play"))
    async def an_unreachable_engine_is_told_and_forgiven(self, port: SearchPort) -> None:
        await self.play(HITS)
        await self.break_connection()
        await ends_as(ErrorClass.TRANSIENT, lambda: port.search("anything"))
        await self.restore()

        assert len(await port.search("anything")) == 5

    @clause("SEARCH-CANCEL-01", since="1.0", hook="play")
    async def a_search_cancelled_anywhere_leaves_it_usable(self, port: SearchPort) -> None:
        await self.play(HITS)
        async for nth in cut_at_every_await(lambda: port.search("anything")):
            assert len(await port.search("anything")) == 5, nth


class SearchSuite(SearchClauses):
    """What a web search promises; subclass it and define the `adapter` fixture.

    Hooks: `play`, `fail`, `requests`, `secret`, `break_connection` with `restore`,
    `backend_version`.
    """

    port: ClassVar[str] = "SearchPort"
    version: ClassVar[str] = "1.0"
