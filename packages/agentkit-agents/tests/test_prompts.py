"""Prompts: declared inputs, literal text."""

import pickle

import pytest

from agentkit.agents import Prompt

ASK = Prompt("ask", "2", "Ask {who} about {what}. Keep {this}.", ("who", "what"))


def test_only_declared_inputs_are_replaced_and_the_text_is_stripped() -> None:
    assert Prompt("p", "1", "\n{a} {b} {{a}}\n", ("a",)).render(a=1) == "1 {b} {1}"


def test_a_value_that_looks_like_an_input_stays_as_it_is() -> None:
    assert ASK.render(who="{what}", what="x") == "Ask {what} about x. Keep {this}."


def test_values_of_the_call_go_before_bound_ones() -> None:
    bound = ASK.bind(who="Ann", what="cats")

    assert bound.render(what="dogs") == "Ask Ann about dogs. Keep {this}."
    assert (bound.missing, ASK.missing) == ((), ("who", "what"))


def test_a_missing_value_is_refused() -> None:
    with pytest.raises(ValueError, match=r"no value for \['what'\]"):
        ASK.render(who="Ann")


def test_a_value_for_no_input_is_refused() -> None:
    with pytest.raises(ValueError, match=r"declares the inputs .* got \['x'\]"):
        ASK.bind(x=1)
    with pytest.raises(ValueError, match=r"got \['x'\]"):
        Prompt("p", "1", "text").render(x=1)


def test_equal_prompts_hash_equal_and_bound_values_are_frozen() -> None:
    one, other = ASK.bind(who=["a"]), ASK.bind(who=["b"])

    assert (hash(one), one == other) == (hash(other), False)
    assert pickle.loads(pickle.dumps(one)) == one  # noqa: S301 - our own bytes
    with pytest.raises(TypeError, match="frozen value"):
        one.bound["who"].append("c")
