"""What the makers of policies refuse, before any call."""

import math
from collections.abc import Callable
from typing import Any

import pytest

from agentkit.core import policies
from agentkit.core.testing import JsonStore

# As Any: what is refused below, a type checker refuses as well.
make: Any = policies


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: make.retry(breaker=1), r"breaker has allow, record_failure\(\); got 1"),
        (lambda: make.retry(classify_fn=1), "classify_fn is a function; got 1"),
        (lambda: make.retry(sleep=1), "sleep is a function; got 1"),
        (lambda: make.retry(deadline_s="1"), "deadline_s is a number; got '1'"),
        (lambda: make.retry(deadline_s=True), "deadline_s is a number; got True"),
        (lambda: make.retry(retry_unknown="no"), "retry_unknown is True or False; got 'no'"),
        (lambda: make.fallback([1]), r"a model of fallback\(\) is text; got 1"),
        (lambda: make.fallback(["a"], breakers=[1]), r"are a dict by model; got \[1\]"),
        (lambda: make.fallback(["a"], breakers={"a": 1}), "the breaker of 'a' has allow"),
        (lambda: make.memoize(key="k"), "key is a function; got 'k'"),
        (lambda: make.memoize(when=1), "when is a function; got 1"),
        (lambda: make.memoize(store="redis"), r"store has get_or_set\(\); got 'redis'"),
        (lambda: make.memoize(store=JsonStore), "store is an object; got the class JsonStore"),
        (lambda: make.memoize(namespace=1), "namespace is text; got 1"),
        (lambda: make.memoize(allow_side_effects=1), "allow_side_effects is True or False; got 1"),
        (lambda: make.idempotent(store=1), r"store has compare_and_set\(\); got 1"),
        (lambda: make.audit(store=1), r"store has append\(\); got 1"),
        (lambda: make.semantic_memoize(vector=1), r"vector has search, upsert\(\); got 1"),
        (lambda: make.semantic_memoize(text=1), "text is a function; got 1"),
        (lambda: make.tracing(record_content="no"), "record_content is True or False; got 'no'"),
        (lambda: make.TruncationCompactor(estimate=1), "estimate is a function; got 1"),
        (lambda: make.SummarizationCompactor(None), "is an LLMPort or a function; got None"),
        (lambda: make.ImportanceFilteringCompactor(1), "is an LLMPort or a function; got 1"),
        (lambda: make.Guardrail(url_check=1), "url_check is a function; got 1"),
        (lambda: make.Guardrail(egress_allow=[""]), "each of egress_allow is a name; got ''"),
        (lambda: make.Guardrail(allowed_schemes=[1]), "each of allowed_schemes is a name; got 1"),
        (lambda: make.Guardrail(require_resolution=1), "require_resolution is True or False"),
    ],
)
def test_a_wrong_type_is_told_when_the_policy_is_made(
    wrong: Callable[[], Any], message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        wrong()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: make.retry(deadline_s=-1), "deadline_s is 0 or more; got -1"),
        (lambda: make.retry(deadline_s=math.nan), "deadline_s is 0 or more; got nan"),
        (lambda: make.memoize(ttl=0), "a ttl must be from 1 to 2147483647 seconds; got 0"),
        (lambda: make.idempotent(ttl=True), "a ttl must be None or an integer"),
        (lambda: make.audit(key=""), "a key must not be empty"),
        (lambda: make.semantic_memoize(threshold=1.5), "threshold is from 0 to 1; got 1.5"),
    ],
)
def test_a_number_out_of_range_is_told_when_the_policy_is_made(
    wrong: Callable[[], Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        wrong()
