"""The error tree, the verdicts on retrying, and errors as data."""

import errno
import inspect
import pickle
import socket
from typing import Any

import pytest

from agentkit.core.contracts import errors
from agentkit.core.contracts.errors import (
    AgentkitError,
    CircuitOpen,
    ErrorClass,
    Failure,
    MeterExceeded,
    ProviderAuthError,
    ProviderError,
    StoreUnavailable,
    StoreValueError,
    Stuck,
    ToolArgumentError,
    classify,
    classify_status,
    compose_failures,
)

TRANSIENT, PERMANENT, UNKNOWN = ErrorClass.TRANSIENT, ErrorClass.PERMANENT, ErrorClass.UNKNOWN
OUTSIDE = {"ToolArgumentError", "ToolDefinitionError", "ToolShapeError", "ScriptExhausted"}
EXPORTED: list[Any] = [
    found
    for name in errors.__all__
    if inspect.isclass(found := getattr(errors, name)) and issubclass(found, BaseException)
]
FAILURES = {kind: Failure(kind, kind.value, "m") for kind in ErrorClass}


class _Foreign(Exception):
    """An error of a client library."""

    def __init__(self, message: str = "", **facts: Any) -> None:
        super().__init__(message)
        self.__dict__.update(facts)


@pytest.mark.parametrize("error", EXPORTED, ids=lambda e: e.__name__)
def test_an_error_is_in_the_tree_unless_it_is_a_known_exception(error: Any) -> None:
    assert issubclass(error, AgentkitError) == (error.__name__ not in OUTSIDE)


@pytest.mark.parametrize("error", EXPORTED, ids=lambda e: e.__name__)
def test_an_error_pickles_with_its_facts(error: Any) -> None:
    made = error(FAILURES[PERMANENT]) if error is Stuck else error("told")
    pickled = pickle.loads(pickle.dumps(made))  # noqa: S301 - our own bytes

    assert type(pickled) is error
    assert (str(pickled), vars(pickled)) == (str(made), vars(made))


@pytest.mark.parametrize("error", EXPORTED, ids=lambda e: e.__name__)
def test_an_error_takes_its_facts_by_keyword(error: Any) -> None:
    parameters = list(inspect.signature(error.__init__).parameters.values())[2:]
    allowed = {inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD}

    assert {p.kind for p in parameters if p.name != "detail"} <= allowed


def _facts(error: Any) -> dict[str, Any]:
    parameters = list(inspect.signature(error.__init__).parameters.values())[2:]
    return {p.name: p.default for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY}


WITH_FACTS = [error for error in EXPORTED if error is not Stuck]


@pytest.mark.parametrize("error", WITH_FACTS, ids=lambda e: e.__name__)
def test_an_error_says_its_message_and_nothing_else(error: Any) -> None:
    assert str(error("told")) == "told"
    assert str(error()) == ("run cancelled" if error is errors.Cancelled else "")


@pytest.mark.parametrize(
    ("error", "fact"),
    [(error, fact) for error in WITH_FACTS for fact in _facts(error)],
    ids=lambda v: v if isinstance(v, str) else v.__name__,
)
def test_an_error_has_the_facts_that_it_was_given(error: Any, fact: str) -> None:
    default = _facts(error)[fact]
    given: Any = (fact,) if default == () or fact == "errors" else fact

    assert getattr(error("told", **{fact: given}), fact) == given
    assert getattr(error("told"), fact) == (() if fact == "errors" else default)
    assert not default or fact == "error_class", "nothing is known but what is told"


def test_a_refusal_of_a_middleware_has_its_reason_and_detail() -> None:
    refusal = errors.Blocked("too long", {"most": 5})

    assert (refusal.reason, refusal.detail) == ("too long", {"most": 5})
    assert (errors.Blocked().reason, errors.Blocked().detail) == ("", {})


def test_a_credential_that_is_not_accepted_is_a_permanent_failure_with_its_facts() -> None:
    error = ProviderAuthError("no", status=401, provider="p")

    assert (str(error), error.error_class) == ("no", PERMANENT)
    assert (error.status, error.provider) == (401, "p")


def test_being_stuck_is_told_by_the_failure() -> None:
    stuck = Stuck(FAILURES[PERMANENT])

    assert (str(stuck), stuck.failure, stuck.args) == (
        "m",
        FAILURES[PERMANENT],
        (FAILURES[PERMANENT],),
    )


@pytest.mark.parametrize(
    ("status", "verdict"),
    [
        (399, UNKNOWN), (400, PERMANENT), (408, TRANSIENT), (425, TRANSIENT), (429, TRANSIENT),
        (499, PERMANENT), (500, TRANSIENT), (599, TRANSIENT), (600, UNKNOWN), (0, UNKNOWN),
    ],
)  # fmt: skip
def test_a_status_has_a_verdict(status: int, verdict: ErrorClass) -> None:
    assert classify_status(status) is verdict


def test_a_provider_error_keeps_its_facts_over_a_pickle() -> None:
    error = ProviderError("busy", status=529, retry_after=1.5, error_class=TRANSIENT)
    pickled = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes

    assert (pickled.status, pickled.retry_after, pickled.error_class) == (529, 1.5, TRANSIENT)


@pytest.mark.parametrize(
    ("exc", "verdict"),
    [
        (TimeoutError("upstream"), TRANSIENT),
        (ValueError("anything"), UNKNOWN),
        (ValueError("timeout must be positive"), UNKNOWN),
        (RuntimeError("took 1400 ms"), UNKNOWN),
        (RuntimeError("order 4045 failed"), UNKNOWN),
        (ConnectionRefusedError(), TRANSIENT),
        (ConnectionResetError("peer"), TRANSIENT),
        (socket.gaierror(-2, "Name or service not known"), TRANSIENT),
        (OSError(errno.EHOSTUNREACH, "no route"), TRANSIENT),
        (OSError(errno.ENOSPC, "disk full: timeout"), UNKNOWN),
        (StoreUnavailable("down"), TRANSIENT),
        (CircuitOpen("circuit open: x"), TRANSIENT),
        (StoreValueError("bad"), PERMANENT),
        (MeterExceeded("calls 3 > 2"), PERMANENT),
        (ProviderAuthError("no"), PERMANENT),
        (ProviderError("busy", error_class=TRANSIENT), TRANSIENT),
        (ProviderError("who knows"), UNKNOWN),
        (ProviderError("server", status=500), TRANSIENT),
        (_Foreign("the body says timeout and 429", status_code=400), PERMANENT),
        (_Foreign("slow down", status_code=429), TRANSIENT),
        (_Foreign("x", response=_Foreign(status_code=503)), TRANSIENT),
        (_Foreign("x", status="503"), UNKNOWN),
        (_Foreign("HTTP 503 from upstream"), TRANSIENT),
        (_Foreign("status code: 404"), PERMANENT),
        (_Foreign("error 1429 in row"), UNKNOWN),
        (_Foreign("Rate limit exceeded"), TRANSIENT),
        (_Foreign("Overloaded"), TRANSIENT),
        (_Foreign("permission denied"), PERMANENT),
        (_Foreign("invalidated the cache"), UNKNOWN),
        (ExceptionGroup("g", [TimeoutError(), OSError(errno.ETIMEDOUT, "x")]), TRANSIENT),
        (ExceptionGroup("g", [TimeoutError(), ProviderAuthError("x")]), PERMANENT),
        (ExceptionGroup("g", [TimeoutError(), ValueError("x")]), UNKNOWN),
        (KeyboardInterrupt("timeout"), UNKNOWN),
    ],
    ids=lambda v: f"{type(v).__name__}-{v}"[:50],
)
def test_a_verdict_is_read_from_types_and_codes_before_words(
    exc: BaseException, verdict: ErrorClass
) -> None:
    assert classify(exc) is verdict


def test_a_tool_argument_error_is_a_value_problem_alone() -> None:
    assert issubclass(ToolArgumentError, ValueError)
    assert not issubclass(ToolArgumentError, AgentkitError)


def test_a_failure_is_made_of_what_was_raised() -> None:
    exc = TimeoutError("slow")

    assert Failure.of(exc, source="s") == Failure(TRANSIENT, "s", "slow", retriable=True, cause=exc)


def test_a_failure_of_a_silent_error_is_told_by_its_type() -> None:
    assert Failure.of(KeyError(), source="s").message == "KeyError"


def test_no_failures_compose_to_none_and_one_to_itself() -> None:
    assert compose_failures([None]) is None
    assert compose_failures([None, FAILURES[UNKNOWN]]) is FAILURES[UNKNOWN]


@pytest.mark.parametrize(
    ("kinds", "category"),
    [
        ((TRANSIENT, TRANSIENT), TRANSIENT),
        ((TRANSIENT, UNKNOWN), UNKNOWN),
        ((TRANSIENT, PERMANENT), PERMANENT),
        ((UNKNOWN, PERMANENT), PERMANENT),
    ],
)
def test_a_parent_is_as_bad_as_its_worst_child(kinds: Any, category: ErrorClass) -> None:
    parent = compose_failures([FAILURES[kind] for kind in kinds])

    assert parent is not None
    assert (parent.category, parent.retriable) == (category, category is not PERMANENT)
    assert parent.children == tuple(FAILURES[kind] for kind in kinds)


def test_a_parent_tells_of_each_child_by_its_source() -> None:
    parent = compose_failures([Failure(UNKNOWN, "a", "one"), Failure(UNKNOWN, "b", "two")])

    assert parent is not None
    assert (parent.source, parent.message) == ("composite", "2 failures: a: one; b: two")
