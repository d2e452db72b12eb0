"""What type checkers say of the public calls of models."""

from decimal import Decimal
from typing import assert_type

from agentkit.core.contracts.llm import LLMClient, LLMResponse, ModelUsage
from agentkit.core.contracts.ports import LLMPort
from agentkit.core.contracts.types import LLMResult, Message, Usage
from agentkit.models import ModelCapabilities, model_capabilities, resolve_llm
from agentkit.models.providers import OpenAICompatibleLLM, openai
from agentkit.models.providers.pricing import cost


async def a_client() -> None:
    client = openai(api_key="key")
    assert_type(client, OpenAICompatibleLLM)
    assert_type(await client.chat(messages=[Message("user", "hi")], model="m"), LLMResult)
    assert_type(await client.generate([]), LLMResponse)


def a_client_is_both(client: OpenAICompatibleLLM) -> tuple[LLMPort, LLMClient]:
    return client, client


def the_registry() -> None:
    assert_type(resolve_llm("m"), LLMPort)
    assert_type(model_capabilities("m"), ModelCapabilities)


def prices() -> None:
    assert_type(cost("m", ModelUsage()), Decimal | None)
    assert_type(cost("m", Usage()), float)
