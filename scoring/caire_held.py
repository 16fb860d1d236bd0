"""CAIRe against what is right: linking against gold entities, scores against labels and people."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Avg

from annotation.ratings import counted_ratings
from scoring.caire_inputs import GOLD_ENTITY, GOLD_LABELS, several
from scoring.knowledge.backend import KnowledgeBackend
from scoring.metrics.base import MetricItem
from scoring.metrics.caire.evaluation import (
    AtThreshold,
    Averaged,
    at_thresholds,
    pearson_by_country,
)
from scoring.metrics.caire.linking import WAYS, Linked, Recall, link, recall
from scoring.metrics.item_pictures import obstacle, picture_of
from scoring.models import MetricRun
from studies.models import Item, Question, Study
from studies.names import country_name

OUTPUTS = ("caire", "caire_free", "caire_chat", "caire_probes", "caire_expected")


class NothingToHoldAgainstError(Exception):
    """The study lacks what is right, or a run its scores; the message says which."""


@dataclass(frozen=True, slots=True)
class LinkingReport:
    """``recalls`` by way; ``unread`` items have no picture that can be read; ``unknown`` are gold
    entities that the knowledge base lacks."""

    recalls: Mapping[str, Recall]
    unread: tuple[str, ...]
    unknown: tuple[str, ...]


def hold_linking(study: Study, knowledge: KnowledgeBackend, *, seconds: float) -> LinkingReport:
    """Recall of all six ways over the items that name a gold entity.

    Raises ``NothingToHoldAgainstError`` where none does, or none of them can be read.
    """
    items = [item for item in study.items.order_by("pk") if several(item, GOLD_ENTITY)]
    if not items:
        raise NothingToHoldAgainstError(
            f"No item names its entity. Import the items with a column {GOLD_ENTITY}: ids of the "
            "knowledge base, with a bar between several."
        )
    gold = {item.external_id: several(item, GOLD_ENTITY) for item in items}
    given = {item.external_id: _given(item) for item in items}
    readable = [key for key, one in given.items() if not obstacle(one)]
    pictures = knowledge.encode_images([picture_of(given[key], seconds) for key in readable])
    vectors = {
        key: vector
        for key, vector in zip(readable, pictures, strict=True)
        if not isinstance(vector, Exception)
    }
    if not vectors:
        raise NothingToHoldAgainstError("No picture of these items can be read.")
    linked: dict[str, dict[str, list[Linked]]] = {
        way: {key: link(knowledge.kb, vector, way=way) for key, vector in vectors.items()}
        for way in WAYS
    }
    named = sorted({entity for several_of in gold.values() for entity in several_of})
    return LinkingReport(
        recalls={way: recall(linked[way], gold) for way in WAYS},
        unread=tuple(key for key in gold if key not in vectors),
        unknown=tuple(entity for entity in named if knowledge.kb.by_id(entity) is None),
    )


def hold_labels(run: MetricRun, output: str) -> list[AtThreshold]:
    """Precision, recall and F1 at 2 to 5 against the items' gold labels.

    Raises ``NothingToHoldAgainstError`` where no scored item has any.
    """
    scores = scores_of(run, output)
    items = run.study.items.in_bulk(list(scores))
    gold = {str(pk): several(item, GOLD_LABELS) for pk, item in items.items()}
    try:
        return at_thresholds({str(pk): of for pk, of in scores.items()}, gold)
    except ValueError as error:
        raise NothingToHoldAgainstError(
            f"{error} Import the items with a column {GOLD_LABELS}: labels as they stand in the "
            "set, with a bar between several."
        ) from error


def hold_people(run: MetricRun, output: str, question: Question) -> dict[str, Averaged]:
    """Pearson's r with the mean ratings of each country's people, by origin: natural, generated.

    A label belongs to a country whose English name or code it is. Raises
    ``NothingToHoldAgainstError`` where no item has both.
    """
    scores = scores_of(run, output)
    origins = dict(run.study.items.values_list("pk", "origin"))
    pairs: dict[str, dict[str, list[tuple[float, float]]]] = {"natural": {}, "generated": {}}
    for (pk, country), mean in _mean_ratings(run.study, question).items():
        score = _of_country(scores.get(pk, {}), country)
        if score is not None:
            kind = "natural" if origins[pk] == Item.Origin.REAL else "generated"
            pairs[kind].setdefault(country_name(country), []).append((score, mean))
    if not any(pairs.values()):
        raise NothingToHoldAgainstError(
            "No item has both a score and ratings for one country. Labels of countries are their "
            "English names or their codes."
        )
    return {kind: pearson_by_country(by_country) for kind, by_country in pairs.items()}


def scores_of(run: MetricRun, output: str) -> dict[int, dict[str, float]]:
    """The run's values by item and label; raises ``NothingToHoldAgainstError`` without any."""
    found: dict[int, dict[str, float]] = defaultdict(dict)
    rows = run.scores.filter(output=output, value__isnull=False, item__isnull=False)
    for item, label, value in rows.values_list("item_id", "dimension", "value"):
        found[item][label] = value
    if not found:
        raise NothingToHoldAgainstError(f"Run {run.pk} has no score called {output}.")
    return dict(found)


def _mean_ratings(study: Study, question: Question) -> dict[tuple[int, str], float]:
    """By item and country of the panel."""
    country = "assignment__participation__panel__country"
    rows = counted_ratings(study).filter(
        question=question, value__isnull=False, item__isnull=False, **{f"{country}__gt": ""}
    )
    means = rows.order_by().values_list("item_id", country).annotate(mean=Avg("value"))
    return {(item, code): float(mean) for item, code, mean in means}


def _of_country(by_label: Mapping[str, float], country: str) -> float | None:
    wanted = {country.casefold(), country_name(country).casefold()}
    return next((v for label, v in by_label.items() if label.casefold() in wanted), None)


def _given(item: Item) -> MetricItem:
    path = item.media.path if item.media else ""
    return MetricItem(item.external_id, {"kind": item.kind, "file": path, "sha256": item.sha256})
