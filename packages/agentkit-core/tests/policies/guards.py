"""What the tests of egress share: a guardrail whose resolver is scripted."""

import socket
from typing import Any

from agentkit.core.policies import Guardrail

PUBLIC = "93.184.216.34"
KNOWN = {"example.com": PUBLIC, "api.example.com": PUBLIC}


def names(**known: str) -> Any:
    async def resolve(host: str) -> list[str]:
        if host not in known:
            raise socket.gaierror(socket.EAI_NONAME, "unknown name")
        return [known[host]]

    return resolve


def failing(failure: BaseException) -> Any:
    async def resolve(_: str) -> list[str]:
        raise failure

    return resolve


def guard(**rules: Any) -> Guardrail:
    return Guardrail(**{"resolve": names(**KNOWN), **rules})
