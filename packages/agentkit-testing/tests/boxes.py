"""A toy port with four clauses, and projects that test it, for what the plugin does with them."""

import json
from typing import Any

import pytest

SUITE = """
from contextlib import nullcontext
import pytest
from agentkit.testing import Feature, Suite, clause

class Box:
    def __init__(self): self.value, self.unit = None, "kg"
    async def put(self, value): self.value = value
    async def get(self): return self.value
    async def expire(self): raise NotImplementedError("no expiry")

class BoxSuite(Suite):
    port, version = "BoxPort", "1.0"
    features, verbs = frozenset({Feature.TTL}), frozenset({"put", "get", "expire"})

    @clause("BOX-GET-01", since="1.0")
    async def an_empty_box_gives_none(self, box):
        assert await box.get() is None

    @clause("BOX-GET-02", since="1.0")
    async def what_was_put_is_given(self, box):
        await box.put(1)

        assert await box.get() == 1

    @clause("BOX-TTL-01", since="1.0", needs=Feature.TTL)
    async def a_value_expires(self, box):
        await box.expire()

        assert await box.get() is None

    @clause("BOX-LACK-01", since="1.0", lacks=Feature.TTL)
    async def a_refused_expiry_changes_nothing(self, box):
        with pytest.raises(NotImplementedError):
            await box.expire()

    @clause("BOX-IGNORE-01", since="1.0", ignores=Feature.TTL)
    async def an_ignored_expiry_keeps_the_value(self, box):
        await box.expire()

    @clause("BOX-FAULT-01", since="1.0", hook="break_connection")
    async def a_cut_is_told(self, box):
        await self.break_connection()
"""

HONEST = """
from suite import *

class TestHonestBox(BoxSuite, lacks={Feature.TTL}):
    @pytest.fixture
    def adapter(self):
        return lambda: nullcontext(Box())
"""

BROKEN = """
from suite import *

class Broken(Box):
    async def get(self): raise RuntimeError("lost")

class TestBroken(BoxSuite, lacks={Feature.TTL}%s):
%s
    @pytest.fixture
    def adapter(self):
        return lambda: nullcontext(Broken())
"""


def certificates(project: pytest.Pytester) -> Any:
    return json.loads((project.path / "out.json").read_text(encoding="utf-8"))


def box(declared: str, *, body: str = "class Own(Box): pass") -> str:
    return (
        f"from suite import *\n{body}\nclass TestOwnBox(BoxSuite, {declared}):\n"
        "    @pytest.fixture\n    def adapter(self):\n        return lambda: nullcontext(Own())\n"
    )
