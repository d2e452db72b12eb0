"""The suite of MetricsPort."""

import asyncio
import math
from collections import Counter
from typing import ClassVar

from agentkit.core.contracts.metrics import MetricsPort
from agentkit.testing.suites._clause import clause, hook
from agentkit.testing.suites._suite import Suite

__all__ = ["MetricsSuite"]

VERBS = ("add_counter", "record_histogram")
ODD_NAMES = ["", "\u00e9", "a b", "a.b/c", "x" * 1000, "\x00", "\ud800", "1"]
ODD_NUMBERS = [0, -1, 0.5, 10**30, math.inf, -math.inf, math.nan, True]
ROUNDS = 200

Recorded = tuple[str, float, dict[str, str]]
"""A name, what was added or recorded, and its tags."""


class MetricsClauses(Suite):
    """Numbers arrive with their tags, and nothing that is recorded ever raises."""

    @hook
    async def counted(self) -> list[Recorded]:
        """Give the total of every counter, by name and tags."""
        raise NotImplementedError

    @hook
    async def recorded(self) -> list[Recorded]:
        """Give the sum of every histogram's values, by name and tags."""
        raise NotImplementedError

    @clause("METRICS-PORT-01", since="1.0")
    async def an_adapter_has_the_verbs_of_its_port(self, metrics: MetricsPort) -> None:
        assert [verb for verb in VERBS if not callable(getattr(metrics, verb, None))] == []

    @clause("METRICS-TAKE-01", since="1.0")
    async def any_number_is_taken(self, metrics: MetricsPort) -> None:
        for number in ODD_NUMBERS:
            metrics.add_counter("calls", number)
            metrics.record_histogram("seconds", number)

    @clause("METRICS-TAKE-02", since="1.0")
    async def any_name_is_taken(self, metrics: MetricsPort) -> None:
        for name in ODD_NAMES:
            metrics.add_counter(name)
            metrics.record_histogram(name, 1.0)
            metrics.add_counter("calls", tags={name: name})

    @clause("METRICS-TAKE-03", since="1.0")
    async def one_name_may_be_both(self, metrics: MetricsPort) -> None:
        metrics.add_counter("calls")
        metrics.record_histogram("calls", 1.0, tags={})
        metrics.add_counter("calls", tags={"a": "b"})

    @clause("METRICS-TAKE-04", since="1.0")
    async def recording_is_over_at_once(self, metrics: MetricsPort) -> None:
        returned: list[object] = [
            metrics.add_counter("calls"),  # type: ignore[func-returns-value]  # that is the point
            metrics.record_histogram("seconds", 1.0),  # type: ignore[func-returns-value]  # as above
        ]

        assert returned == [None, None]

    @clause("METRICS-COUNT-01", since="1.0", hook="counted")
    async def counts_add_up(self, metrics: MetricsPort) -> None:
        for value in (1, 2, 0.5):
            metrics.add_counter("calls", value, tags={"model": "m"})
        metrics.add_counter("calls", tags={"model": "m"})

        assert await self.counted() == [("calls", 4.5, {"model": "m"})]

    @clause("METRICS-COUNT-02", since="1.0", hook="counted")
    async def other_tags_are_another_counter(self, metrics: MetricsPort) -> None:
        for tags in ({"a": "1"}, {"a": "2"}, {"b": "1"}, None, {"a": "1"}):
            metrics.add_counter("calls", tags=tags)

        found = {(*sorted(tags.items()),): total for _, total, tags in await self.counted()}
        assert found == {(("a", "1"),): 2, (("a", "2"),): 1, (("b", "1"),): 1, (): 1}

    @clause("METRICS-COUNT-03", since="1.0", hook="counted")
    async def what_many_add_at_once_all_counts(self, metrics: MetricsPort) -> None:
        add = [asyncio.to_thread(metrics.add_counter, "calls") for _ in range(ROUNDS)]
        await asyncio.gather(*add)

        assert await self.counted() == [("calls", ROUNDS, {})]

    @clause("METRICS-COUNT-04", since="1.0", hook="counted")
    async def changing_tags_afterwards_changes_nothing(self, metrics: MetricsPort) -> None:
        tags = {"model": "m"}
        metrics.add_counter("calls", tags=tags)
        tags["model"] = "other"

        assert await self.counted() == [("calls", 1, {"model": "m"})]

    @clause("METRICS-HISTOGRAM-01", since="1.0", hook="recorded")
    async def values_are_kept_with_their_tags(self, metrics: MetricsPort) -> None:
        for value, tag in ((0.5, "a"), (1.5, "a"), (8.0, "b")):
            metrics.record_histogram("seconds", value, tags={"tool": tag})

        found = Counter({tags["tool"]: total for _, total, tags in await self.recorded()})
        assert found == {"a": 2.0, "b": 8.0}


class MetricsSuite(MetricsClauses):
    """What metrics promise; subclass it and define the `adapter` fixture.

    Hooks: `counted`, `recorded`.
    """

    port: ClassVar[str] = "MetricsPort"
    version: ClassVar[str] = "1.0"
