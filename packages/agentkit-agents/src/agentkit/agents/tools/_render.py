"""A tool's result as the text a model reads."""

import json
from typing import Any

from pydantic_core import to_jsonable_python

__all__ = ["render_result"]


def render_result(value: Any) -> str:
    """Give *value* as text: a string as it is, everything else as JSON, else by its `str`."""
    if isinstance(value, str):
        return str(value)
    plain = to_jsonable_python(value, fallback=_plainer, bytes_mode="base64")
    return json.dumps(plain, ensure_ascii=False)


def _plainer(value: Any) -> Any:
    fields: Any = getattr(value, "__attrs_attrs__", None)
    if fields is not None:
        return {field.name: getattr(value, field.name) for field in fields}
    return str(value)
