"""Clauses: a model's answer is told whole and as it was, at the price of one request."""

import asyncio
from typing import Any

from agentkit.core.contracts.types import Message, Usage
from agentkit.core.testing import Turn
from agentkit.testing._play import Cut, failing
from agentkit.testing.suites._clause import clause
from agentkit.testing.suites._model_steps import ModelSteps, failed

__all__ = ["AnswerClauses", "OnceClauses"]

TEXTS = [
    "\U0001f600", "a\u2028b\u2029c\x85d", "e\u0301 \u00e9", "a\r\nb\rc\n\n\td", "null", '"quoted"',
    " ", "  both ends  ", "\\u0000 \\n", "data: x\n\ndata: [DONE]\n\n", "</s>", "{}",
    "\x00\x1f\x7f",
]  # fmt: skip
"""Texts that stream parsers have broken, cut or swallowed."""

LONG = "".join(f"{n} of many words; " for n in range(6000))


class AnswerClauses(ModelSteps):
    """What the backend says is what is told, by every way of asking."""

    @clause("MODEL-ANSWER-01", since="1.0", hook="play")
    async def the_text_of_the_backend_is_told(self, model: Any) -> None:
        await self.play([Turn("Hello, world. How are you?")])

        for way in self.ways(model, self.asking()):
            assert (await way()).text == "Hello, world. How are you?"

    @clause("MODEL-ANSWER-02", since="1.0", hook="play")
    async def every_way_of_asking_tells_the_same(self, model: Any) -> None:
        await self.play([Turn("Hello, world.", usage=Usage(7, 3), finish_reason="length")])
        first, *others = [await way() for way in self.ways(model, self.asking())]

        assert others == [first] * len(others)

    @clause("MODEL-ANSWER-03", since="1.0", hook="play")
    async def the_increments_add_up_to_the_answer(self, model: Any) -> None:
        await self.play([Turn("Hello, world. How are you?")])

        assert await self.said(model) == "Hello, world. How are you?"

    @clause("MODEL-ANSWER-04", since="1.0", hook="play")
    async def an_empty_answer_is_an_answer(self, model: Any) -> None:
        await self.play([Turn("")])
        told = await self.told(model)

        assert (told.text, told.calls) == ("", ())
        assert told.finish_reason

    @clause("MODEL-ANSWER-05", since="1.0", hook="play")
    async def text_survives_exactly(self, model: Any) -> None:
        for text in TEXTS:
            await self.play([Turn(text)])

            assert await self.said(model) == text
            assert (await self.told(model)).text == text

    @clause("MODEL-ANSWER-06", since="1.0", hook="play")
    async def a_long_answer_arrives_whole(self, model: Any) -> None:
        await self.play([Turn(LONG)])

        assert (await self.told(model)).text == LONG

    @clause("MODEL-ANSWER-07", since="1.0", hook="play")
    async def tokens_are_counted_as_the_backend_counts(self, model: Any) -> None:
        await self.play([Turn("hello", usage=Usage(8, 5, 0.0, 2))])
        assert (await self.told(model)).tokens == (10, 2, 5)

        await self.play([Turn("hello", usage=Usage(1, 1))])
        assert (await self.told(model)).tokens == (1, 0, 1)

    @clause("MODEL-ANSWER-08", since="1.0", hook="play")
    async def an_answer_cut_at_its_limit_is_told_from_a_whole_one(self, model: Any) -> None:
        await self.play([Turn("hello", finish_reason="length")])
        cut = await self.told(model)
        await self.play([Turn("hello")])
        whole = await self.told(model)

        assert cut.finish_reason
        assert cut.finish_reason != whole.finish_reason

    @clause("MODEL-ANSWER-09", since="1.0", hook="play")
    async def calls_at_once_get_an_answer_each(self, model: Any) -> None:
        texts = [f"the answer number {n}, and more of it" for n in range(12)]
        await self.play([Turn(text) for text in texts])
        first, *_ = self.ways(model, self.asking())
        answers = await asyncio.gather(*(first() for _ in texts))

        assert sorted(answer.text for answer in answers) == sorted(texts)

    @clause("MODEL-ANSWER-10", since="1.0", hook="play")
    async def settings_are_taken_zero_too(self, model: Any) -> None:
        await self.play([Turn("hello")])
        turns = [Message("system", "be brief"), Message("user", "hi"), Message("assistant", "yes")]
        request = self.asking(*turns, Message("user", "go on"), temperature=0.0, max_tokens=16)

        assert (await self.told(model, request)).text == "hello"
        assert (await self.told(model, self.asking(temperature=0.7))).text == "hello"


class OnceClauses(ModelSteps):
    """A call is one request, whatever becomes of it: trying again is the caller's business."""

    @clause("MODEL-ONCE-01", since="1.0", hook=("play", "requests"))
    async def a_call_is_one_request(self, model: Any) -> None:
        await self.play([Turn("hello")])
        for way in self.ways(model, self.asking()):
            before = await self.requests()
            await way()

            assert await self.requests() == before + 1

    @clause("MODEL-ONCE-02", since="1.0", hook=("play", "requests"))
    async def a_failed_call_is_one_request(self, model: Any) -> None:
        for status in (400, 401, 429, 500, 503):
            await self.play([failing(status, retry_after=0.0)])
            for way in self.ways(model, self.asking()):
                before = await self.requests()
                await failed(way)

                assert await self.requests() == before + 1

    @clause("MODEL-ONCE-03", since="1.0", hook=("play", "requests"))
    async def a_call_whose_answer_is_cut_is_one_request(self, model: Any) -> None:
        for after in (0, 700):
            await self.play([Cut(turn=Turn("hello " * 400), after=after)])
            for way in self.ways(model, self.asking()):
                before = await self.requests()
                await failed(way)

                assert await self.requests() == before + 1

    @clause("MODEL-ONCE-04", since="1.0", hook=("play", "requests"))
    async def leaving_early_asks_for_nothing_more(self, model: Any) -> None:
        await self.play([Turn("hello " * 400)])
        before = await self.requests()
        stream: Any = self.stream(model, self.asking())
        await anext(stream)
        await stream.aclose()

        assert await self.requests() == before + 1
