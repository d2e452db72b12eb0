"""Keys already given, each known by its hash."""

import sys
from typing import Any

from agentkit.state.redis._seen import Seen


def test_a_key_is_new_once() -> None:
    seen = Seen()
    keys = [b"%d" % number for number in range(5000)]

    assert all(seen.add(key) for key in keys)
    assert not any(seen.add(key) for key in keys)
    assert len(seen) == 5000


def test_a_million_keys_take_some_ten_bytes_each() -> None:
    seen: Any = Seen()
    for number in range(100_000):
        seen.add(b"%d" % number)
    size = sys.getsizeof(seen._places) + sum(map(sys.getsizeof, seen._places))

    assert size / len(seen) < 12
