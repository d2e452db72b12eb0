"""The suite of ToolPort."""

import asyncio
import copy
import pickle
import re
from functools import cached_property
from typing import Any, ClassVar

import pytest

from agentkit.core.contracts.errors import ToolArgumentError
from agentkit.core.contracts.ports import ToolPort
from agentkit.core.contracts.store_rules import encode_value
from agentkit.core.contracts.types import ToolSchema
from agentkit.core.serialization import deep_freeze
from agentkit.core.testing import make_test_ctx
from agentkit.testing.suites._clause import clause, hook
from agentkit.testing.suites._steps import cut_at_every_await
from agentkit.testing.suites._suite import Suite

__all__ = ["ToolSuite"]

ARGUMENTS = ("arguments",)
ROUNDS = 20
NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""A name that every provider takes."""


class ToolClauses(Suite):
    """A tool says what it takes, takes that and nothing else, and gives JSON."""

    @hook
    def arguments(self) -> dict[str, Any]:
        """Give arguments that the tool takes, and to which it always answers alike."""
        raise NotImplementedError

    @hook
    def bad_arguments(self) -> list[dict[str, Any]]:
        """Give arguments that the tool does not take."""
        raise NotImplementedError

    @hook
    async def runs(self) -> int:
        """Give how often the tool's own work was done."""
        raise NotImplementedError

    @cached_property
    def ctx(self) -> Any:
        """The context of a run."""
        return make_test_ctx()

    @clause("TOOL-PORT-01", since="1.0")
    async def a_tool_has_a_name_that_providers_take(self, tool: ToolPort) -> None:
        assert NAME.fullmatch(tool.name)
        assert callable(tool.run)

    @clause("TOOL-SCHEMA-01", since="1.0")
    async def a_tool_is_advertised_or_kept_to_itself(self, tool: ToolPort) -> None:
        assert tool.schema is None or isinstance(tool.schema, ToolSchema)

    @clause("TOOL-SCHEMA-02", since="1.0")
    async def it_is_advertised_under_its_own_name(self, tool: ToolPort) -> None:
        assert tool.schema is None or tool.schema.name == tool.name

    @clause("TOOL-SCHEMA-03", since="1.0")
    async def its_parameters_are_a_schema_of_an_object(self, tool: ToolPort) -> None:
        parameters = tool.schema.parameters if tool.schema else {"type": "object"}

        assert parameters.get("type") == "object"
        assert encode_value(parameters)

    @clause("TOOL-RUN-01", since="1.0", hook=ARGUMENTS)
    async def a_result_is_json(self, tool: ToolPort) -> None:
        assert encode_value(await tool.run(self.arguments(), self.ctx))

    @clause("TOOL-RUN-02", since="1.0", hook=ARGUMENTS)
    async def frozen_arguments_are_taken(self, tool: ToolPort) -> None:
        plain = await tool.run(self.arguments(), self.ctx)

        assert await tool.run(deep_freeze(self.arguments()), self.ctx) == plain

    @clause("TOOL-RUN-03", since="1.0", hook=ARGUMENTS)
    async def arguments_are_left_as_they_are(self, tool: ToolPort) -> None:
        given = self.arguments()
        await tool.run(given, self.ctx)

        assert given == self.arguments()

    @clause("TOOL-RUN-04", since="1.0", hook=("arguments", "runs"))
    async def a_call_does_the_work_once(self, tool: ToolPort) -> None:
        before = await self.runs()
        for count in (1, 2, 3):
            await tool.run(self.arguments(), self.ctx)

            assert await self.runs() == before + count

    @clause("TOOL-RUN-05", since="1.0", hook=ARGUMENTS)
    async def runs_at_once_do_not_disturb_each_other(self, tool: ToolPort) -> None:
        alone = await tool.run(self.arguments(), self.ctx)
        calls = [tool.run(self.arguments(), self.ctx) for _ in range(ROUNDS)]

        assert await asyncio.gather(*calls) == [alone] * ROUNDS

    @clause("TOOL-RUN-06", since="1.0", hook=ARGUMENTS)
    async def a_result_is_the_callers_own(self, tool: ToolPort) -> None:
        first = await tool.run(self.arguments(), self.ctx)
        kept = copy.deepcopy(first)
        for change in ("clear", "append"):
            arguments = ("more",) if change == "append" else ()
            getattr(first, change, _do_nothing)(*arguments)

        assert await tool.run(self.arguments(), self.ctx) == kept

    @clause("TOOL-ARGS-01", since="1.0", hook=("bad_arguments", "runs"))
    async def what_it_does_not_take_is_refused_before_the_work(self, tool: ToolPort) -> None:
        before = await self.runs()
        for arguments in self.bad_arguments():
            with pytest.raises(ToolArgumentError):
                await tool.run(arguments, self.ctx)

        assert await self.runs() == before

    @clause("TOOL-ARGS-02", since="1.0", hook="bad_arguments")
    async def a_refusal_names_the_tool_and_goes_through_a_pickle(self, tool: ToolPort) -> None:
        for arguments in self.bad_arguments():
            with pytest.raises(ToolArgumentError) as raised:
                await tool.run(arguments, self.ctx)
            copied = pickle.loads(pickle.dumps(raised.value))  # noqa: S301 - made right here

            assert copied.tool_name == tool.name
            assert str(copied)

    @clause("TOOL-CANCEL-01", since="1.0", hook=ARGUMENTS)
    async def a_run_cancelled_anywhere_leaves_it_usable(self, tool: ToolPort) -> None:
        alone = await tool.run(self.arguments(), self.ctx)
        async for nth in cut_at_every_await(lambda: _run(tool, self.arguments(), self.ctx)):
            assert await tool.run(self.arguments(), self.ctx) == alone, nth


class ToolSuite(ToolClauses):
    """What a tool promises; subclass it and define the `adapter` fixture.

    Hooks: `arguments`, `bad_arguments`, `runs`.
    """

    port: ClassVar[str] = "ToolPort"
    version: ClassVar[str] = "1.0"


async def _run(tool: ToolPort, arguments: dict[str, Any], ctx: Any) -> Any:
    return await tool.run(arguments, ctx)


def _do_nothing(*_: object) -> None: ...
