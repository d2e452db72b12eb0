"""Keys of the server: injective, readable, literal in a pattern."""

import fnmatch
import itertools

import pytest
from redis.crc import key_slot

from agentkit.core.contracts.errors import StoreValueError
from agentkit.state.redis._keys import Keys

NAMES = ["a", "a:kv", "a:kv:b", "a%3Akv", "kv", ":", "%", "{a}", "a{", "é"]
TEXTS = ["b", "kv:b", ":b", "b:", "log:b", "{b}", "b*"]


def test_a_key_is_the_namespace_the_kind_and_the_callers_text() -> None:
    keys = Keys("agentkit")

    assert keys.value("user:1") == b"agentkit:kv:user:1"
    assert keys.log("user:1") == b"agentkit:log:user:1"
    assert keys.run("user:1") == b"agentkit:run:{user:1}"
    assert keys.gone("user:1") == b"agentkit:gone:{user:1}"


def test_no_two_places_share_a_key() -> None:
    kinds = [Keys.value, Keys.log, Keys.run, Keys.gone]
    made = [kind(Keys(name), text) for kind, name, text in itertools.product(kinds, NAMES, TEXTS)]

    assert len(set(made)) == len(made)


def test_braces_of_a_namespace_choose_no_slot() -> None:
    assert Keys("{a}").value("b") == b"%7Ba%7D:kv:b"


@pytest.mark.parametrize("text", [*TEXTS, "{", "}{", "{}", "%7B"])
def test_what_a_deletion_touches_has_one_slot(text: str) -> None:
    keys = Keys("n")

    assert key_slot(keys.run(text)) == key_slot(keys.gone(text))


@pytest.mark.parametrize("text", TEXTS)
def test_a_key_is_read_back(text: str) -> None:
    keys = Keys("a:b")

    assert keys.key_of(keys.value(text)) == text


def test_a_pattern_takes_its_prefix_literally() -> None:
    assert Keys("n").values_pattern("a*[b]?\\") == b"n:kv:a\\*\\[b\\]\\?\\\\*"
    assert fnmatch.fnmatchcase("n:kv:ab", Keys("n").values_pattern("a").decode())


@pytest.mark.parametrize("name", ["", "a\n", "\x00", "\ud800"])
def test_a_namespace_that_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(StoreValueError, match="namespace"):
        Keys(name)
