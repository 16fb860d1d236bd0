"""A metric that asks a chat model about items one by one: all questions of a chunk at once."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

from scoring.backends.chat import Request
from scoring.metrics.base import MetricItem, Progress, ScoreRow
from scoring.metrics.item_metric import ItemMetric
from scoring.metrics.rows import undefined_rows
from scoring.prompting.asking import Answer, Read, ask_all_json

Name = Hashable
"""What an item's questions are told apart by."""


class ChatMetric(ItemMetric):
    """What is asked of an item, and what its answers mean, is left to the metric itself. Its
    backend is a chat model with a store."""

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
        return undefined_rows(self.declaration, reason=reason, evidence={}, item_key=item.key)

    def estimate(
        self,
        *,
        items: Sequence[MetricItem],
        backend: Any,
        parameters: Mapping[str, object],
        **_: object,
    ) -> Any:
        """The calls that ``score`` would make: an ``Estimate``."""
        told = _told(self.declaration.clean_parameters(parameters), backend)
        asked = (self.asked(item, told) for item in items)
        return backend.estimate(
            request
            for questions in asked
            if not isinstance(questions, str)
            for request in questions.values()
        )

    def _rows(
        self,
        items: Sequence[MetricItem],
        backend: Any,
        parameters: Mapping[str, Any],
        on_progress: Progress | None,
    ) -> Iterator[ScoreRow]:
        told = _told(parameters, backend)
        asked = {item.key: self.asked(item, told) for item in items}
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
                yield from self.rows(item, own, told)


def _told(parameters: Mapping[str, Any], backend: Any) -> dict[str, Any]:
    """The parameters, with the model as the backend calls it: ``local`` is a name of ours."""
    return {**parameters, "model": backend.model_id}
