"""Types that pydantic reads: everything but records and what contains them."""

import json
import warnings
from typing import Any

from pydantic import (
    BaseModel,
    PydanticSchemaGenerationError,
    PydanticUserError,
    RootModel,
    TypeAdapter,
)
from pydantic import ValidationError as PydanticError

from agentkit.agents._shapes._base import ABSENT
from agentkit.agents._shapes._definitions import Definitions
from agentkit.core.contracts.errors import Cancelled

__all__ = ["LeafShape", "is_model", "join_path", "json_text", "problems_of", "refusal_of"]


class LeafShape:
    """A type read whole by pydantic, strictly: `"3"` is no int and `1` is no bool.

    Raises:
        TypeError: Pydantic knows no schema for the type.

    """

    def __init__(self, annotation: Any) -> None:
        try:
            self._adapter: TypeAdapter[Any] = TypeAdapter(annotation)
            self._schema = self._adapter.json_schema()
        except (PydanticSchemaGenerationError, PydanticUserError) as exc:
            reason = str(exc).partition("\n")[0]
            raise TypeError(f"no JSON form is known for {annotation!r}: {reason}") from None

    def schema(self, definitions: Definitions) -> dict[str, Any]:
        """Give pydantic's schema of the type."""
        copied: dict[str, Any] = json.loads(json.dumps(self._schema))
        return definitions.absorb(copied)

    def read(self, value: object, at: str, problems: list[str]) -> Any:
        """Give *value* as the type, read in strict JSON mode."""
        text = json_text(value, at, problems)
        if text is None:
            return ABSENT
        try:
            return self._adapter.validate_json(text, strict=True)
        except PydanticError as exc:
            problems.extend(problems_of(exc, at))
        except Cancelled:
            raise
        except Exception as exc:  # noqa: BLE001 - the type's own validators refuse the value
            problems.append(refusal_of(exc, at))
        return ABSENT

    def glimpse(self, value: object) -> Any:
        """Give *value* as the type if it already is one."""
        return self.read(value, "", [])

    def plain(self, value: Any) -> Any:
        """Give *value* as pydantic writes it."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a value of another type is found by reading it back
            return self._adapter.dump_python(value, mode="json", by_alias=True)


def problems_of(error: PydanticError, at: str = "") -> list[str]:
    """Give one line per fault that pydantic found in the value at path *at*."""
    return [
        f"{join_path(at, *fault['loc']) or 'value'}: {fault['msg']}"
        for fault in error.errors(include_url=False, include_context=False, include_input=False)
    ]


def refusal_of(error: Exception, at: str) -> str:
    """Give the line for what a type's own code raised on the value at path *at*."""
    text = str(error)
    if not text or not isinstance(error, ValueError | AssertionError):
        text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return f"{at or 'value'}: {text}"


def json_text(value: object, at: str, problems: list[str]) -> str | None:
    """Give the JSON text of *value*, or None and a line in *problems* where it has none."""
    try:
        return json.dumps(value)
    except (TypeError, ValueError, RecursionError) as exc:
        problems.append(f"{at or 'value'}: no JSON value: {exc}")
        return None


def join_path(at: str, *steps: str | int) -> str:
    """Give the path of what is reached from *at* by *steps*."""
    for step in steps:
        part = f"[{step}]" if isinstance(step, int) else str(step)
        at = f"{at}{part}" if isinstance(step, int) or not at else f"{at}.{part}"
    return at


def is_model(annotation: object) -> bool:
    """Say whether *annotation* is a pydantic model with fields of its own."""
    return (
        isinstance(annotation, type)
        and issubclass(annotation, BaseModel)
        and not issubclass(annotation, RootModel)
    )
