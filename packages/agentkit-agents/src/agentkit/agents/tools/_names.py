"""What a tool may be called."""

import re
from typing import Final

from agentkit.core.contracts.errors import ToolDefinitionError

__all__ = ["check_tool_name"]

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


def check_tool_name(name: object) -> None:
    """Return if every provider takes *name*: 1 to 64 ASCII letters, digits, `_` and `-`.

    Raises:
        ToolDefinitionError: It is another; a request that offers the tool would be refused.

    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ToolDefinitionError(
            f"a tool's name is 1 to 64 of A-Z, a-z, 0-9, _ and -; got {name!r}: give it a name="
        )
