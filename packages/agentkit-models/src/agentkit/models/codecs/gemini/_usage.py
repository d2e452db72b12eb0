"""Token counts of the Gemini API in the neutral scheme."""

from typing import Any

from agentkit.core.contracts.types import ModelUsage
from agentkit.models.codecs._json import as_dict, count

__all__ = ["usage_from"]


def usage_from(raw: Any) -> ModelUsage:
    """Give the usage in a `usageMetadata`; of unknown provenance when it holds none.

    What tools put into the prompt is counted beside the prompt, thoughts beside the candidates, and
    a count of zero is left out.
    """
    usage = as_dict(raw)
    prompt = count(usage.get("promptTokenCount")) + count(usage.get("toolUsePromptTokenCount"))
    reasoning = count(usage.get("thoughtsTokenCount"))
    output = count(usage.get("candidatesTokenCount")) + reasoning
    if not prompt and not output:
        return ModelUsage()
    return ModelUsage(
        input_tokens=prompt,
        cached_tokens=min(count(usage.get("cachedContentTokenCount")), prompt),
        output_tokens=output,
        reasoning_tokens=reasoning,
        provenance="reported",
    )
