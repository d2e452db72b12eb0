"""Prompts: versioned templates with declared inputs."""

import re
from dataclasses import dataclass, field, replace
from typing import Any

from agentkit.core.serialization import FrozenDict, deep_freeze

__all__ = ["Prompt"]


@dataclass(frozen=True, slots=True)
class Prompt:
    """A template whose declared inputs appear in it as `{name}`; all other text is literal.

    `version` travels into results and spans, so that an answer can be traced to its wording.
    """

    id: str
    version: str
    template: str
    inputs: tuple[str, ...] = ()
    bound: dict[str, Any] = field(default_factory=FrozenDict[str, Any])

    def __post_init__(self) -> None:
        object.__setattr__(self, "inputs", tuple(self.inputs))
        object.__setattr__(self, "bound", deep_freeze(self.bound))

    def __hash__(self) -> int:
        return hash((self.id, self.version, self.template, self.inputs))

    @property
    def missing(self) -> tuple[str, ...]:
        """The inputs that have no value yet."""
        return tuple(name for name in self.inputs if name not in self.bound)

    def bind(self, **values: Any) -> "Prompt":
        """Give the prompt with *values* for some of its inputs.

        Raises:
            ValueError: A name is no input of the prompt.

        """
        self._check_declared(values)
        return replace(self, bound={**self.bound, **values})

    def render(self, **values: Any) -> str:
        """Give the text, stripped; *values* go before the ones bound earlier.

        A value is put in as it is: what looks like a placeholder in it stays.

        Raises:
            ValueError: A name is no input of the prompt, or an input has no value.

        """
        self._check_declared(values)
        given = {**self.bound, **values}
        missing = [name for name in self.inputs if name not in given]
        if missing:
            raise ValueError(f"prompt {self.id!r} has no value for {missing}")
        if not self.inputs:
            return self.template.strip()
        placeholder = re.compile("|".join(re.escape(f"{{{name}}}") for name in self.inputs))
        return placeholder.sub(lambda found: str(given[found[0][1:-1]]), self.template).strip()

    def _check_declared(self, values: dict[str, Any]) -> None:
        undeclared = [name for name in values if name not in self.inputs]
        if undeclared:
            raise ValueError(
                f"prompt {self.id!r} declares the inputs {list(self.inputs)}; got {undeclared}"
            )
