"""CAIRe's metrics of a chat model that is told what the knowledge base has on a picture.

A picture is linked to entities (``linking``), whose article or names go into every question about
the item (``context``). Without an article nothing is asked: ``no_article``.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scoring.backends.chat import Picture, Request
from scoring.metrics.base import Choice, MetricItem, Progress, ScoreRow, Text
from scoring.metrics.caire.context import Context, contexts
from scoring.metrics.item_metric import ItemMetric
from scoring.metrics.item_pictures import SECONDS
from scoring.metrics.judged_media import seen_at
from scoring.prompting.asking import Answer, Read, ask_all_json

LABELS = Text(
    name="labels",
    label="the label set",
    help="The name of one of the study's label sets. A study with one set needs no name.",
    longest=60,
)
SEES = Choice(
    name="sees",
    label="whether the model sees the picture",
    help="A model that reads only texts can score too: it is told what the picture shows.",
    options=(("picture", "It sees the picture"), ("text", "It reads the text alone")),
)
SOURCE = "CAIRe, arXiv:2506.09109; the prompts are ours"

Asked = tuple[str, str]
"""An item's key (empty: of no item) and a label."""


def labels_of(item: MetricItem) -> list[str]:
    """The label set that the run gathered for the item."""
    return list(item.inputs.get("labels", ()))


class ArticleMetric(ItemMetric):
    """What is asked of an item, and what the answers mean, is left to the metric itself. Its
    backend holds a ``knowledge_base`` and a ``chat``. A row an output and label, with the label as
    its dimension."""

    @abstractmethod
    def asked(
        self,
        item: MetricItem,
        context: Context,
        pictures: tuple[Picture, ...],
        model: str,
        parameters: Mapping[str, Any],
    ) -> Iterator[tuple[Asked, Request]]:
        """The questions about an item; an equal key is asked once for all items."""

    @abstractmethod
    def reader(self, parameters: Mapping[str, Any]) -> Read:
        """Makes data of an answer."""

    @abstractmethod
    def item_rows(
        self,
        item: MetricItem,
        context: Context,
        answers: Mapping[Asked, Answer],
        why: Mapping[str, str],
        parameters: Mapping[str, Any],
    ) -> Iterator[ScoreRow]:
        """The rows of one item; see the metric's module."""

    def estimate(
        self,
        *,
        items: Sequence[MetricItem],
        backend: Mapping[str, Any],
        parameters: Mapping[str, object],
        **_: object,
    ) -> Any:
        """The calls that ``score`` would make: an ``Estimate``."""
        cleaned = self.declaration.clean_parameters(parameters)
        known = contexts(items, backend["knowledge_base"], cleaned)
        asked, _why = self._questions(items, known, backend["chat"].model_id, cleaned)
        return backend["chat"].estimate(asked.values())

    def _rows(
        self,
        items: Sequence[MetricItem],
        backend: Mapping[str, Any],
        parameters: Mapping[str, Any],
        on_progress: Progress | None,
    ) -> Iterator[ScoreRow]:
        chat = backend["chat"]
        known = contexts(items, backend["knowledge_base"], parameters)
        asked, why = self._questions(items, known, chat.model_id, parameters)
        answers = ask_all_json(chat, asked, read=self.reader(parameters), on_progress=on_progress)
        for item in items:
            yield from self.item_rows(item, known[item.key], answers, why, parameters)

    def _questions(
        self,
        items: Sequence[MetricItem],
        known: Mapping[str, Context],
        model: str,
        parameters: Mapping[str, Any],
    ) -> tuple[dict[Asked, Request], dict[str, str]]:
        """Every question, and by item's key the reason why none is asked."""
        asked: dict[Asked, Request] = {}
        why: dict[str, str] = {}
        for item in items:
            context = known[item.key]
            pictures = _shown(item, context, parameters)
            if isinstance(pictures, str):
                why[item.key] = pictures
            else:
                asked |= dict(self.asked(item, context, pictures, model, parameters))
        return asked, why


def _shown(
    item: MetricItem, context: Context, parameters: Mapping[str, Any]
) -> tuple[Picture, ...] | str:
    """The pictures that go with a question about the item; a reason's code where none is asked."""
    if context.reason:
        return context.reason
    if parameters[SEES.name] != "picture":
        return ()
    picture = seen_at(item, float(parameters[SECONDS.name]))
    return picture if isinstance(picture, str) else (picture,)
