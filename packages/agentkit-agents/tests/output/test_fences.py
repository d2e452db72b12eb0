"""A fence around an answer is taken off, and looking for it costs one reading."""

import pytest

from agentkit.agents.output._fences import strip_fence

KB = 1024


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"a": 1}\n```',
        'Here:\n```\r\n{"a": 1}\r\n   ```\nDone.',
        '```\n\n{"a": 1}  ```',
        '\ufeff{"a": 1}',
    ],
)
def test_what_is_fenced_is_given_alone(text: str) -> None:
    assert strip_fence(text) == '{"a": 1}'


@pytest.mark.parametrize("filling", [" ", "\t", "\r\n", "` ", "``\n"], ids=repr)
def test_a_fence_that_never_closes_is_read_once(filling: str) -> None:
    text = "```\n" + filling * 100 * KB + "x"

    assert strip_fence(text) == text
