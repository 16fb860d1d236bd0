"""Metrics of items: parameters are held against the declaration at the call, rows come later."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from scoring.metrics.base import Declaration, Descriptor, MetricItem, Progress, ScoreRow

One = TypeVar("One")


class ItemMetric(ABC):
    """What is made of the items is left to the metric itself. It uses no descriptors."""

    declaration: Declaration

    def score(
        self,
        *,
        items: Sequence[MetricItem],
        descriptors: Sequence[Descriptor],
        backend: Any,
        parameters: Mapping[str, object],
        on_progress: Progress | None = None,
    ) -> Iterator[ScoreRow]:
        """See ``scoring.metrics.base.Metric``; which rows an item has, the metric's module says."""
        cleaned = self.declaration.clean_parameters(parameters)
        return self._rows(items, backend, cleaned, on_progress)

    @abstractmethod
    def _rows(
        self,
        items: Sequence[MetricItem],
        backend: Any,
        parameters: Mapping[str, Any],
        on_progress: Progress | None,
    ) -> Iterator[ScoreRow]:
        """The rows of ``items``, in their order, with every parameter as the value that it is."""


def one_by_one(every: Sequence[One], on_progress: Progress | None) -> Iterator[One]:
    """Each in turn; one is told as done when the next is asked for."""
    for done, one in enumerate(every, start=1):
        yield one
        if on_progress is not None:
            on_progress(done, len(every))
