"""What a span holds of a failure where it may not hold what was said."""

from typing import Any

import pytest

from agentkit.core.contracts.errors import ProviderError
from agentkit.core.policies import retry, tracing
from agentkit.core.testing import FakeClock, RecordingTracer, make_test_ctx

from .drive import Terminal, chat, run


@pytest.mark.parametrize(
    ("content", "told"), [(True, "400 for 'secret'"), (False, "[not recorded]")]
)
def test_a_failure_that_closes_a_span_tells_its_words_only_with_content(
    *, content: bool, told: str
) -> None:
    trace = failing(tracing(record_content=content))

    assert type(trace.spans[0].error).__name__ == "ProviderError"
    assert str(trace.spans[0].error) == told


@pytest.mark.parametrize("content", [True, False])
def test_a_retry_tells_a_failures_words_only_with_content(*, content: bool) -> None:
    trace = failing(tracing(record_content=content), retry(max_attempts=2))
    (fields,) = [told for name, told in trace.spans[0].events if name == "retry.attempt"]

    assert fields["last_error_type"] == "ProviderError"
    assert ("last_error_message" in fields) is content


def failing(*policies: Any) -> RecordingTracer:
    trace = RecordingTracer()
    ctx = make_test_ctx(trace=trace, clock=FakeClock())
    refused = ProviderError("400 for 'secret'", status=503)
    with pytest.raises(ProviderError, match="secret"):
        run(list(policies), Terminal([refused]), chat(ctx=ctx))
    return trace
