"""Model names, as providers and gateways write them."""

import re

__all__ = ["normalize_model_name"]

_DATE = re.compile(r"-(\d{8}|\d{4}-\d{2}-\d{2})$")


def normalize_model_name(model: str) -> tuple[str, ...]:
    """Give the names that *model* may be known by, the most specific first, in lower case.

    As given; without a `provider/` prefix; without a trailing release date; without both.
    """
    name = model.strip().lower()
    bare = name.rsplit("/", 1)[-1]
    candidates = (name, bare, _DATE.sub("", name), _DATE.sub("", bare))
    return tuple(dict.fromkeys(candidate for candidate in candidates if candidate))
