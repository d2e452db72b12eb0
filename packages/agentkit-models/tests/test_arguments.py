"""The arguments of a tool call: what is JSON is read, everything else is kept as text."""

import math
from typing import Any

import pytest

from agentkit.core.contracts.types import RAW_ARGUMENTS
from agentkit.models._arguments import parse_arguments


@pytest.mark.parametrize(
    "text", ['{"x": 1e999}', '{"x": [-1e999]}', '{"x": NaN}', '{"x": Infinity}', "[1]", "{"]
)
def test_text_that_is_no_json_object_is_kept(text: str) -> None:
    assert parse_arguments(text, cut=False) == {RAW_ARGUMENTS: text}


@pytest.mark.parametrize("value", [math.inf, [-math.inf], {"y": math.nan}], ids=str)
def test_decoded_arguments_with_a_number_that_json_does_not_have_are_kept_as_text(
    value: Any,
) -> None:
    assert list(parse_arguments({"x": value}, cut=False)) == [RAW_ARGUMENTS]


def test_decoded_arguments_are_taken_as_they_are() -> None:
    assert parse_arguments({"x": [1.5, None]}, cut=False) == {"x": [1.5, None]}
