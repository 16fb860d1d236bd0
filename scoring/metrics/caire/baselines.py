"""What CAIRe is compared with: an encoder with five probe sentences, a chat model by itself.

caire_probes   the level k whose sentence about the label is nearest to the picture, 1 to 5
caire_chat     the score 1 to 5 that a chat model writes after its reason, without retrieval
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from scoring.backends.chat import Request
from scoring.backends.image_text import ImageTextEncoder, Vector
from scoring.backends.pictures import MediaError
from scoring.metrics.base import (
    CHAT_MODEL,
    Declaration,
    MetricItem,
    Needs,
    Output,
    Progress,
    ScoreRow,
)
from scoring.metrics.caire.articles import LABELS, SOURCE, labels_of
from scoring.metrics.chat_metric import ChatMetric, Name
from scoring.metrics.item_metric import ItemMetric, one_by_one
from scoring.metrics.item_pictures import (
    FIELDS,
    REASONS,
    SECONDS,
    media_reason,
    obstacle,
    picture_of,
)
from scoring.metrics.judged_media import seen_at, words
from scoring.prompting.asking import Answer

_SENTENCES = Path(__file__).parent / "probe_sentences.toml"
_ALONE = "caire/alone"


@cache
def probe_levels() -> tuple[str, ...]:
    """The five sentences, from the lowest level up, with $label in each."""
    return tuple(tomllib.loads(_SENTENCES.read_text("utf-8"))["levels"])


def probe_sentences(label: str) -> list[str]:
    return [Template(level).substitute(label=label) for level in probe_levels()]


class CaireProbesMetric(ItemMetric):
    """A row a label; the evidence holds the cosine of each level's sentence."""

    declaration = Declaration(
        key="caire_probes",
        name="CAIRe baseline: probes",
        family="CAIRe",
        version="1",
        modality="image",
        source=SOURCE,
        needs=Needs(item_fields=FIELDS, backend="caire"),
        outputs=(
            Output(key="caire_probes", name="Relevance by probes", low=1, high=5, better="higher"),
        ),
        parameters=(LABELS, SECONDS),
        reasons=("no_labels", *REASONS),
    )

    def _rows(
        self,
        items: Sequence[MetricItem],
        backend: ImageTextEncoder,
        parameters: Mapping[str, Any],
        on_progress: Progress | None,
    ) -> Iterator[ScoreRow]:
        readable = [item for item in items if not obstacle(item)]
        seconds = parameters["seconds"]
        images = backend.encode_images([picture_of(item, seconds) for item in readable])
        of_item = dict(zip((item.key for item in readable), images, strict=True))
        labels = list(dict.fromkeys(label for item in readable for label in labels_of(item)))
        encoded = backend.encode_texts([s for label in labels for s in probe_sentences(label)])
        n = len(probe_levels())
        sentences = {
            label: [one.vector for one in encoded[n * place : n * place + n]]
            for place, label in enumerate(labels)
        }
        for item in one_by_one(items, on_progress):
            yield from _probed(item, of_item.get(item.key), sentences)


def _probed(
    item: MetricItem, image: Vector | MediaError | None, sentences: Mapping[str, list[Vector]]
) -> Iterator[ScoreRow]:
    reason, evidence = obstacle(item), {}
    if isinstance(image, MediaError):
        reason, evidence = media_reason(image), {"error": str(image)}
    labels = labels_of(item)
    if not labels:
        yield ScoreRow(item.key, "caire_probes", "", None, reason or "no_labels", evidence)
    for label in labels:
        if reason or image is None or isinstance(image, MediaError):
            yield ScoreRow(item.key, "caire_probes", label, None, reason, evidence)
            continue
        cosines = [float(image @ vector) for vector in sentences[label]]
        level = int(np.argmax(cosines)) + 1  # of equal ones the lowest
        yield ScoreRow(item.key, "caire_probes", label, float(level), "", {"cosines": cosines})


class CaireChatMetric(ChatMetric):
    """One call a label, with the picture and nothing else; the reason comes before the score."""

    declaration = Declaration(
        key="caire_chat",
        name="CAIRe baseline: chat model alone",
        family="CAIRe",
        version="2",
        modality="image",
        source=SOURCE,
        needs=Needs(item_fields=FIELDS, backend="chat"),
        outputs=(
            Output(key="caire_chat", name="Relevance by itself", low=1, high=5, better="higher"),
        ),
        parameters=(CHAT_MODEL, LABELS, SECONDS),
        reasons=("no_labels", "refused", "parse_failed", *REASONS),
    )

    def asked(self, item: MetricItem, parameters: Mapping[str, Any]) -> dict[Name, Request] | str:
        labels = labels_of(item)
        if not labels:
            return "no_labels"
        picture = seen_at(item, float(parameters["seconds"]))
        if isinstance(picture, str):
            return picture
        return {
            label: words(item, _ALONE).request(
                model=str(parameters["model"]), inputs={"label": label}, pictures=(picture,)
            )
            for label in labels
        }

    def undefined(self, item: MetricItem, reason: str) -> Iterator[ScoreRow]:
        for label in labels_of(item) or ("",):
            yield ScoreRow(item.key, "caire_chat", label, None, reason, {})

    def rows(
        self, item: MetricItem, answers: Mapping[Name, Answer], parameters: Mapping[str, Any]
    ) -> Iterator[ScoreRow]:
        for label, answer in answers.items():
            value = None if answer.reason else float(answer.value["score"])
            yield ScoreRow(item.key, "caire_chat", str(label), value, answer.reason, answer.told)


CAIRE_PROBES = CaireProbesMetric()
CAIRE_CHAT = CaireChatMetric()
