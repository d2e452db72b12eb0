"""A tool's addresses are checked before it runs, and where it ended up after."""

from dataclasses import asdict, dataclass
from typing import Any

import pytest

from agentkit.core.contracts.errors import EgressDenied
from agentkit.core.contracts.ports import FetchResponse
from agentkit.core.contracts.types import ToolRequest
from agentkit.core.policies import egress
from agentkit.core.testing import FakeTool

from .drive import Terminal, run, tool
from .guards import guard, names


def fetching(url: Any, *, end: Any = None, guardrail: Any = None, **request: Any) -> list[Any]:
    call = tool(url=url)
    call.request = ToolRequest("fetch", {"url": url}, FakeTool("fetch"), url_arg="url", **request)
    return run(egress(guardrail or guard()), end or Terminal(["page"]), call)


@dataclass(frozen=True, slots=True)
class Holder:
    response: FetchResponse


class Own:
    """A guardrail that answers, at once or when it is awaited."""

    def __init__(self, answer: Any, *, waits: bool = False) -> None:
        self._answer = answer
        self._waits = waits

    def check_url(self, _: str) -> Any:
        return self._later() if self._waits else self._answer

    async def _later(self) -> Any:
        return self._answer


def page(url: str) -> FetchResponse:
    return FetchResponse(url, 200, {}, "body", "text/plain", 0.0)


MOVED = page("http://127.0.0.1/")


def test_a_tool_is_run_when_its_address_may_be_reached() -> None:
    assert fetching("http://example.com/") == ["page"]


def test_a_tool_is_not_run_when_its_address_is_refused() -> None:
    end = Terminal(["page"])

    with pytest.raises(EgressDenied, match="public internet"):
        fetching("http://127.0.0.1/", end=end)
    assert end.calls == 0


def test_a_name_is_looked_up_before_the_tool_runs() -> None:
    end = Terminal(["page"])

    with pytest.raises(EgressDenied, match=r"stands for 10\.0\.0\.1"):
        fetching(
            "http://evil.com/", end=end, guardrail=guard(resolve=names(**{"evil.com": "10.0.0.1"}))
        )
    assert end.calls == 0


def test_what_a_redirect_brought_from_a_private_address_is_withheld() -> None:
    with pytest.raises(EgressDenied, match="public internet"):
        fetching("http://example.com/", end=Terminal([page("http://127.0.0.1/")]))


@pytest.mark.parametrize(
    "result",
    [
        [[MOVED]],
        (MOVED,),
        {"page": MOVED},
        Holder(MOVED),
        {"pages": [asdict(MOVED)]},
    ],
    ids=["list", "tuple", "dict", "dataclass", "json"],
)
def test_what_a_redirect_brought_is_withheld_wherever_it_is(result: Any) -> None:
    with pytest.raises(EgressDenied, match="public internet"):
        fetching("http://example.com/", end=Terminal([result]))


def test_a_result_that_holds_itself_is_looked_at_once() -> None:
    ring: list[Any] = []
    ring.append(ring)

    assert fetching("http://example.com/", end=Terminal([ring])) == [ring]


def test_what_a_redirect_brought_from_a_public_address_is_given() -> None:
    moved = page("http://example.com/new")

    assert fetching("http://example.com/", end=Terminal([moved])) == [moved]


@pytest.mark.parametrize("wrong", [7, {"u": 1}, [7]])
def test_an_address_that_is_no_text_is_denied(wrong: Any) -> None:
    with pytest.raises(EgressDenied, match="is text"):
        fetching(wrong)


@pytest.mark.parametrize("several", [list, tuple, frozenset])
def test_each_of_several_addresses_is_checked(several: Any) -> None:
    with pytest.raises(EgressDenied, match="public internet"):
        fetching(several(["http://example.com/", "http://127.0.0.1/"]))


def test_an_argument_that_is_left_out_is_not_checked() -> None:
    call = tool()
    call.request = ToolRequest("fetch", {}, FakeTool("fetch"), url_arg="url")

    assert run(egress(guard()), Terminal(["page"]), call) == ["page"]


def test_a_tool_may_name_its_address_itself() -> None:
    double = FakeTool("fetch")
    double.url_arg = "where"

    with pytest.raises(EgressDenied, match="public internet"):
        run(egress(guard()), Terminal(["page"]), tool(double, where="http://127.0.0.1/"))


def test_a_tool_that_names_none_is_not_checked() -> None:
    assert run(egress(guard()), Terminal(["ok"]), tool(text="http://127.0.0.1/")) == ["ok"]


def test_a_tool_that_reaches_out_and_names_none_has_every_address_checked() -> None:
    double: Any = FakeTool("fetch")
    double.caps = ("egress",)
    arguments: dict[str, Any] = {
        "deep": [{"at": " http://127.0.0.1/ "}],
        "text": "see http://127.0.0.1/",
    }

    with pytest.raises(EgressDenied):
        run(egress(guard()), Terminal(["page"]), tool(double, **arguments))
    assert run(egress(guard()), Terminal(["ok"]), tool(double, text=arguments["text"])) == ["ok"]


def test_a_guard_of_ones_own_may_be_synchronous() -> None:
    class No:
        def check_url(self, url: str) -> None:
            raise PermissionError(f"not {url}")

    with pytest.raises(PermissionError, match="not http"):
        fetching("http://example.com/", guardrail=No())


@pytest.mark.parametrize("answer", [True, None])
def test_a_guard_of_ones_own_allows_by_true_or_nothing(*, answer: bool | None) -> None:
    assert fetching("http://example.com/", guardrail=Own(answer)) == ["page"]


@pytest.mark.parametrize("answer", [False, 0, "no", [False]], ids=repr)
@pytest.mark.parametrize("waits", [False, True])
def test_a_guard_of_ones_own_denies_by_any_other_answer(answer: Any, *, waits: bool) -> None:
    end = Terminal(["page"])

    with pytest.raises(EgressDenied, match="that is not True"):
        fetching("http://example.com/", end=end, guardrail=Own(answer, waits=waits))
    assert end.calls == 0


def test_no_guard_is_refused_at_wiring() -> None:
    with pytest.raises(ValueError, match="None"):
        egress(None)


def test_what_cannot_check_is_refused_at_wiring() -> None:
    with pytest.raises(TypeError, match="check_url"):
        egress(object())
