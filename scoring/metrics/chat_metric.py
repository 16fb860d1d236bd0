"""A metric that asks a chat model about items one by one: all questions of a chunk at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

from scoring.backends.chat import Request
from scoring.metrics.base import Declaration, Descriptor, MetricItem, Progress, ScoreRow
from scoring.prompting.asking import Answer, Read, ask_all_json

Name = Hashable
"""What an item's questions are told apart by."""


class ChatMetric(ABC):
    """What is asked of an item, and what its answers mean, is left to the metric itself."""

    declaration: Declaration
    read: Read | None = None

    @abstractmethod
    def asked(self, item: MetricItem, parameters: Mapping[str, Any]) -> dict[Name, Request] | str:
        """The item's questions by name, or the reason why there are none."""

    @abstractmethod
    def rows(
        self, item: MetricItem, answers: Mapping[Name, Answer], parameters: Mapping[str, Any]
    ) -> Iterator[ScoreRow]:
        """The item's scores from the answers to its questions."""

    def undefined(self, item: MetricItem, reason: str) -> Iterator[ScoreRow]:
        """Every output of an item that was asked nothing."""
        for output in self.declaration.outputs:
            yield ScoreRow(item.key, output.key, "", None, reason, {})

    def score(
        self,
        *,
        items: Sequence[MetricItem],
        descriptors: Sequence[Descriptor],
        backend: Any,
        parameters: Mapping[str, object],
        on_progress: Progress | None = None,
    ) -> Iterator[ScoreRow]:
        """Rows item after item; ``backend`` is a chat model with a store, and its name."""
        return self._rows(items, backend, self._told(backend, parameters), on_progress)

    def estimate(
        self,
        *,
        items: Sequence[MetricItem],
        backend: Any,
        parameters: Mapping[str, object],
        **_: object,
    ) -> Any:
        """The calls that ``score`` would make: an ``Estimate``."""
        told = self._told(backend, parameters)
        asked = (self.asked(item, told) for item in items)
        return backend.estimate(
            request
            for questions in asked
            if not isinstance(questions, str)
            for request in questions.values()
        )

    def _told(self, backend: Any, parameters: Mapping[str, object]) -> dict[str, Any]:
        """The parameters, with the model as the backend calls it: ``local`` is a name of ours."""
        return {**self.declaration.clean_parameters(parameters), "model": backend.model_id}

    def _rows(
        self,
        items: Sequence[MetricItem],
        backend: Any,
        parameters: Mapping[str, Any],
        on_progress: Progress | None,
    ) -> Iterator[ScoreRow]:
        asked = {item.key: self.asked(item, parameters) for item in items}
        requests = {
            (key, name): request
            for key, questions in asked.items()
            if not isinstance(questions, str)
            for name, request in questions.items()
        }
        answers = ask_all_json(backend, requests, read=self.read, on_progress=on_progress)
        for item in items:
            questions = asked[item.key]
            if isinstance(questions, str):
                yield from self.undefined(item, questions)
            else:
                own = {name: answers[item.key, name] for name in questions}
                yield from self.rows(item, own, parameters)
