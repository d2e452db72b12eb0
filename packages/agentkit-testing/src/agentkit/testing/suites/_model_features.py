"""Clauses: tools, structured output, images and reasoning, for models that have them."""

import json
from typing import Any

from agentkit.core.contracts.content import ImageBlock, TextBlock
from agentkit.core.contracts.types import RAW_ARGUMENTS, Message, ToolCall, ToolSchema
from agentkit.core.testing import Turn
from agentkit.testing.suites._clause import Feature, clause
from agentkit.testing.suites._model_steps import ModelSteps
from agentkit.testing.suites._steps import quietly

__all__ = ["IMAGE", "SCHEMA", "TOOL", "FeatureClauses", "ToolCallClauses", "looking"]

TOOL = ToolSchema(
    "look_up",
    "Looks a word up.",
    {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]},
)
SCHEMA: dict[str, Any] = {
    "type": "json_schema",
    "json_schema": {
        "name": "place",
        "schema": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
            "additionalProperties": False,
        },
    },
}
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360"
    "606060000000050001a5f645400000000049454e44ae426082"
)
IMAGE = ImageBlock(data=PNG, media_type="image/png")
ARGUMENTS: list[dict[str, Any]] = [
    {}, {"word": "h\u00e9llo \U0001f600 \u2028"}, {"a": {"b": [1, {"c": None}]}}, {"": ""},
    {"n": 10**30, "f": 1.5, "t": True}, {"word": "x" * 20_000}, {"code": 'print("\\n")'},
]  # fmt: skip


def looking(block: Any) -> Message:
    """Give a user's message with a picture in it."""
    return Message("user", blocks=(TextBlock("what is this?"), block))


class ToolCallClauses(ModelSteps):
    """A call arrives with its id, its name and its arguments, or it is told that it does not."""

    @clause("MODEL-TOOL-01", since="1.0", needs=Feature.TOOLS, hook="play")
    async def a_call_arrives_as_it_was_made(self, model: Any) -> None:
        call = ToolCall("call_1", "look_up", {"word": "hello"})
        await self.play([Turn(tool_calls=(call,))])
        told = await self.told(model, self.asking(tools=[TOOL]))

        assert (told.calls, told.text) == ((call,), "")

    @clause("MODEL-TOOL-02", since="1.0", needs=Feature.TOOLS, hook="play")
    async def parallel_calls_arrive_in_order(self, model: Any) -> None:
        calls = tuple(ToolCall(f"call_{n}", "look_up", {"word": f"{n}" * 20}) for n in range(4))
        await self.play([Turn(tool_calls=calls)])

        assert (await self.told(model, self.asking(tools=[TOOL]))).calls == calls

    @clause("MODEL-TOOL-03", since="1.0", needs=Feature.TOOLS, hook="play")
    async def arguments_survive_exactly(self, model: Any) -> None:
        for arguments in ARGUMENTS:
            await self.play([Turn(tool_calls=(ToolCall("call_1", "look_up", arguments),))])
            told = await self.told(model, self.asking(tools=[TOOL]))

            assert json.dumps(told.calls[0].arguments) == json.dumps(arguments)

    @clause("MODEL-TOOL-04", since="1.0", needs=Feature.TOOLS, hook="play")
    async def text_beside_calls_is_kept(self, model: Any) -> None:
        call = ToolCall("call_1", "look_up", {"word": "hello"})
        await self.play([Turn("Let me look.", tool_calls=(call,))])
        told = await self.told(model, self.asking(tools=[TOOL]))

        assert (told.calls, told.text) == ((call,), "Let me look.")

    @clause("MODEL-TOOL-05", since="1.0", needs=Feature.TOOLS, hook="play")
    async def arguments_that_are_no_json_are_told_and_never_made_up(self, model: Any) -> None:
        for raw in ('{"word": "hel', "[1]", "hello"):
            await self.play([Turn(tool_calls=(ToolCall("c1", "look_up", {RAW_ARGUMENTS: raw}),))])
            for way in self.ways(model, self.asking(tools=[TOOL])):
                [call] = (await way()).calls
                assert call.raw_arguments == raw

    @clause("MODEL-TOOL-06", since="1.0", needs=Feature.TOOLS, hook="play")
    async def a_transcript_with_calls_and_results_is_taken(self, model: Any) -> None:
        await self.play([Turn("done")])
        calls = (ToolCall("c1", "look_up", {"word": "a"}), ToolCall("c2", "look_up", {}))
        results = [Message("tool", "found", name=c.name, tool_call_id=c.id) for c in calls]
        asked = [Message("user", "hi"), Message("assistant", "", tool_calls=calls), *results]

        assert (await self.told(model, self.asking(*asked, tools=[TOOL]))).text == "done"

    @clause("MODEL-TOOL-07", since="1.0", needs=Feature.TOOLS, hook="play")
    async def an_answer_in_words_is_taken_though_there_are_tools(self, model: Any) -> None:
        await self.play([Turn("no need to look")])
        told = await self.told(model, self.asking(tools=[TOOL]))

        assert (told.calls, told.text) == ((), "no need to look")


class FeatureClauses(ModelSteps):
    """Structured output, images and reasoning."""

    @clause("MODEL-STRUCT-01", since="1.0", needs=Feature.STRUCTURED_OUTPUT, hook="play")
    async def an_answer_to_a_schema_is_json(self, model: Any) -> None:
        await self.play([Turn('{"city": "Rome"}')])
        with quietly():
            told = await self.told(model, self.asking(response_format=SCHEMA))

        assert json.loads(told.text) == {"city": "Rome"}

    @clause("MODEL-STRUCT-02", since="1.0", needs=Feature.STRUCTURED_OUTPUT, hook="play")
    async def plain_json_may_be_asked_for(self, model: Any) -> None:
        await self.play([Turn('{"city": "Rome"}')])
        with quietly():
            told = await self.told(model, self.asking(response_format={"type": "json_object"}))

        assert json.loads(told.text) == {"city": "Rome"}

    @clause("MODEL-VISION-01", since="1.0", needs=Feature.VISION, hook="play")
    async def an_image_is_taken_as_bytes(self, model: Any) -> None:
        await self.play([Turn("a red dot")])

        assert (await self.told(model, self.asking(looking(IMAGE)))).text == "a red dot"

    @clause("MODEL-VISION-02", since="1.0", needs=Feature.VISION, hook="play")
    async def an_image_beside_earlier_turns_is_taken(self, model: Any) -> None:
        await self.play([Turn("the same dot")])
        turns = [looking(IMAGE), Message("assistant", "a red dot"), looking(IMAGE)]

        assert (await self.told(model, self.asking(*turns))).text == "the same dot"

    @clause("MODEL-REASON-01", since="1.0", needs=Feature.REASONING, hook="play")
    async def reasoning_is_told_apart_from_text(self, model: Any) -> None:
        await self.play([Turn("It is 4.", reasoning="Two and two, \u00e9\u2028 let me see.")])
        told = await self.told(model)

        assert told.text == "It is 4."
        assert told.reasoning == "Two and two, \u00e9\u2028 let me see."

    @clause("MODEL-REASON-02", since="1.0", needs=Feature.REASONING, hook="play")
    async def reasoning_arrives_as_it_is_thought(self, model: Any) -> None:
        await self.play([Turn("It is 4.", reasoning="Two and two.")])
        stream = [increment async for increment in self.stream(model, self.asking())]
        kinds = ["thought" if self.thought_of(each) else "text" for each in stream]

        assert "".join(map(self.thought_of, stream)) == "Two and two."
        assert kinds == sorted(kinds, key="thought text".index)

    @clause("MODEL-REASON-03", since="1.0", needs=Feature.REASONING, hook="play")
    async def an_answer_without_reasoning_has_none(self, model: Any) -> None:
        await self.play([Turn("It is 4.", reasoning="Two and two."), Turn("It is 4.")])
        await self.said(model)

        assert (await self.told(model)).reasoning == ""
