"""Recorded answers of Ollama's chat API, through the codec and through the client.

What an official SDK read otherwise, and why we do not:

    ids of tool calls       kept; the SDK drops them
    a stream cut short      an error; the SDK gives the part as if it were all
"""

import json
from typing import Any

import pytest
from replay import CHUNKINGS, AnyCost, Exchange, answer_in, decoded, found, over_http, wanted

from agentkit.core.contracts.llm import CompletionEvent, ModelUsage
from agentkit.models.codecs.ollama_chat import ResponseDecoder, decode_response, encode_request
from agentkit.models.providers import OllamaLLM


@pytest.mark.parametrize("chunking", CHUNKINGS)
def test_the_codec_reads_what_the_oracle_read(exchange: Exchange, chunking: str) -> None:
    for outcome in decoded(exchange, chunking, ResponseDecoder):
        assert found(outcome, _read) == wanted(exchange["expected"], _more)


def test_the_client_reads_what_the_oracle_read(exchange: Exchange) -> None:
    outcome = over_http(exchange, OllamaLLM)

    assert found(outcome, _read) == wanted(exchange["expected"], _more)


def test_an_answer_goes_back_as_it_came(exchange: Exchange) -> None:
    body, answer = exchange["response"]["body"], answer_in(exchange, decode_response)

    [sent] = encode_request([answer], model="m", sender="us")["messages"]

    assert _without_made_up_ids(sent, body) == _put_together(body)


def _put_together(body: str) -> dict[str, Any]:
    """Give the message as one body has it, with a number for each call."""
    whole: dict[str, Any] = {"role": "assistant", "content": ""}
    for line in filter(None, body.split("\n")):
        for name, value in json.loads(line)["message"].items():
            if name == "tool_calls":
                whole.setdefault(name, []).extend(value)
            elif name != "role" and (value or name == "content"):
                whole[name] = whole.get(name, "") + value
    for index, call in enumerate(whole.get("tool_calls", [])):
        call["function"]["index"] = index
    return whole


def _without_made_up_ids(sent: dict[str, Any], body: str) -> dict[str, Any]:
    for call in sent.get("tool_calls", []):
        if call["id"] not in body:
            del call["id"]
    return sent


def _read(last: CompletionEvent) -> dict[str, Any]:
    return {"stop_kind": last.stop_kind}


def _more(expected: dict[str, Any]) -> dict[str, Any]:
    calls, reason = expected["tool_calls"], expected["finish_reason"]
    return {
        "stop_kind": "tool_use" if calls and reason == "stop" else reason,
        "usage": AnyCost(_wanted_usage(expected["usage"])),
    }


# ModelUsage from the raw fields: two counts, and of a cached prompt the first is left out.
def _wanted_usage(raw: dict[str, Any]) -> ModelUsage:
    return ModelUsage(
        input_tokens=raw.get("prompt_eval_count", 0),
        output_tokens=raw.get("eval_count", 0),
        provenance="reported",
    )
