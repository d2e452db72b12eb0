"""An error as data: what a fan-out hands back in the slot of a child that failed."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from agentkit.core.contracts._checks import as_tuple, check_kinds, check_texts
from agentkit.core.contracts.errors._base import ErrorClass
from agentkit.core.contracts.errors._classify import classify
from agentkit.core.contracts.errors._facts import words_of

__all__ = ["Failure", "compose_failures"]


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure that a parent can route around, where an exception would be control flow.

    `cause` and `partial_output` are kept as they are, never frozen.

    Raises:
        TypeError: A field is of another type.

    """

    category: ErrorClass
    source: str
    message: str
    retriable: bool = False
    cause: BaseException | None = None
    partial_output: Any = None
    children: tuple["Failure", ...] = ()

    def __post_init__(self) -> None:
        check_kinds(self, "category", ErrorClass, wanted="an ErrorClass")
        check_texts(self, "source", "message")
        as_tuple(self, "children", Failure, wanted="a Failure")

    def __hash__(self) -> int:
        return hash((self.category, self.source, self.message))

    @classmethod
    def of(cls, exc: BaseException, *, source: str, partial_output: Any = None) -> "Failure":
        """Make the failure of *source* that *exc* stands for, classified by `classify`."""
        category = classify(exc)
        return cls(
            category=category,
            source=source,
            message=words_of(exc),
            retriable=category is not ErrorClass.PERMANENT,
            cause=exc,
            partial_output=partial_output,
        )


def compose_failures(
    failures: Iterable[Failure | None], *, source: str = "composite"
) -> Failure | None:
    """Give one failure for *failures*: None for none, the only one as it is, else their parent.

    The parent is permanent when any child is, and transient only when all are; its `children` keep
    their order and nesting.
    """
    children = tuple(failure for failure in failures if failure is not None)
    if len(children) < 2:  # noqa: PLR2004 - a pair is the first thing to compose
        return children[0] if children else None
    category = _category_of(children)
    told = "; ".join(f"{child.source}: {child.message}" for child in children)
    return Failure(
        category=category,
        source=source,
        message=f"{len(children)} failures: {told}",
        retriable=category is not ErrorClass.PERMANENT,
        children=children,
    )


def _category_of(children: tuple[Failure, ...]) -> ErrorClass:
    categories = {child.category for child in children}
    if ErrorClass.PERMANENT in categories:
        return ErrorClass.PERMANENT
    return ErrorClass.TRANSIENT if categories == {ErrorClass.TRANSIENT} else ErrorClass.UNKNOWN
