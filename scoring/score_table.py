"""The scores of a run beside the human ratings of the same items, for the run's page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count

from annotation.ratings import mean_ratings
from scoring.metrics.base import Declaration
from scoring.models import MetricRun, Score
from scoring.wording import LISTS, reason_words
from studies.models import Item, Question
from studies.names import country_name

THUMBNAIL = 96  # pixels


@dataclass(frozen=True, slots=True)
class Column:
    """A column that can be sorted by; ``order`` is what a click on its head asks for."""

    key: str
    label: str
    is_number: bool
    sorted: str  # ascending, descending or none: the values of aria-sort
    order: str


@dataclass(frozen=True, slots=True)
class ScoreTable:
    columns: list[Column]
    order: str
    order_of_items: list[int]
    rows: Callable[[Sequence[int]], list[dict[str, Any]]]

    @property
    def width(self) -> int:
        """Columns with the picture's, which cannot be sorted by."""
        return len(self.columns) + 1


def score_table(*, run: MetricRun, declaration: Declaration, order: str) -> ScoreTable:
    """All scored items in the wanted order (a column's key, with a leading - for descending).

    Items without a value in that column come last in both directions. An unknown order is by item.
    """
    questions = list(run.study.questions.filter(kind=Question.Kind.LIKERT))
    means = mean_ratings(run.study)
    overall = _overall_scores(run)
    labels = {
        "item": "Item",
        "country": "Country",
        "system": "Model",
        **{f"q{question.pk}": question.label for question in questions},
        **{output.key: output.name for output in declaration.outputs},
    }
    wanted = order.removeprefix("-")
    if wanted not in labels:
        wanted, order = "item", "item"
    values = _sort_values(run, wanted, means, overall)

    def rows(items: Sequence[int]) -> list[dict[str, Any]]:
        return _rows(run, declaration, questions, means, overall, items)

    return ScoreTable(
        columns=[_column(key, label, order) for key, label in labels.items()],
        order=order,
        order_of_items=_sorted_items(values, descending=order.startswith("-")),
        rows=rows,
    )


def undefined_counts(*, run: MetricRun, declaration: Declaration) -> list[dict[str, Any]]:
    """How many items have no overall score, by output and reason."""
    names = {output.key: output.name for output in declaration.outputs}
    counted = (
        run.scores.filter(dimension="", value__isnull=True)
        .order_by("output", "reason")
        .values_list("output", "reason")
        .annotate(n=Count("id"))
    )
    return [
        {"output": names.get(output, output), "words": reason_words(reason), "n": n}
        for output, reason, n in counted
    ]


def _column(key: str, label: str, order: str) -> Column:
    is_number = key not in {"item", "country", "system"}
    direction = {key: "ascending", f"-{key}": "descending"}.get(order, "none")
    # Numbers are first asked for from high to low, texts from A to Z.
    first, second = (f"-{key}", key) if is_number else (key, f"-{key}")
    return Column(key, label, is_number, direction, second if order == first else first)


def _overall_scores(run: MetricRun) -> dict[int, dict[str, tuple[float | None, str]]]:
    scores: dict[int, dict[str, tuple[float | None, str]]] = defaultdict(dict)
    rows = run.scores.filter(dimension="").values_list("item_id", "output", "value", "reason")
    for item, output, value, reason in rows:
        scores[item][output] = (value, reason)
    return dict(scores)


def _sort_values(
    run: MetricRun,
    wanted: str,
    means: Mapping[int, Mapping[int, tuple[float, int]]],
    overall: Mapping[int, Mapping[str, tuple[float | None, str]]],
) -> list[tuple[int, str | float | None]]:
    """(item, its value in the wanted column), in the order of the researcher's item ids."""
    items = Item.objects.filter(pk__in=run.scores.values("item_id")).order_by("external_id")
    rows = items.values_list("pk", "external_id", "country", "system__name")
    values: list[tuple[int, str | float | None]] = []
    for pk, external_id, country, system in rows:
        if wanted == "item":
            values.append((pk, external_id))
        elif wanted == "country":
            values.append((pk, country_name(country) if country else None))
        elif wanted == "system":
            values.append((pk, system))
        elif wanted.startswith("q") and wanted[1:].isdigit():
            mean = means.get(pk, {}).get(int(wanted[1:]))
            values.append((pk, mean[0] if mean else None))
        else:
            values.append((pk, overall.get(pk, {}).get(wanted, (None, ""))[0]))
    return values


def _sorted_items(values: list[tuple[int, str | float | None]], *, descending: bool) -> list[int]:
    there = [row for row in values if row[1] is not None]
    absent = [item for item, value in values if value is None]
    there.sort(key=lambda row: row[1], reverse=descending)
    return [item for item, _ in there] + absent


def _rows(
    run: MetricRun,
    declaration: Declaration,
    questions: Sequence[Question],
    means: Mapping[int, Mapping[int, tuple[float, int]]],
    overall: Mapping[int, Mapping[str, tuple[float | None, str]]],
    items: Sequence[int],
) -> list[dict[str, Any]]:
    found = Item.objects.select_related("system").in_bulk(list(items))
    evidence = _evidence(run, items)
    return [
        {
            "item": found[pk],
            **_thumbnail(found[pk]),
            "ratings": [means.get(pk, {}).get(question.pk) for question in questions],
            "scores": [
                _score_cell(*overall.get(pk, {}).get(output.key, (None, "")))
                for output in declaration.outputs
            ],
            "evidence": evidence.get(pk, []),
        }
        for pk in items
    ]


def _thumbnail(item: Item) -> dict[str, int]:
    """Width and height of the picture within a square, so that the table does not jump."""
    scale = THUMBNAIL / max(item.width, item.height, 1)
    return {
        "width": max(round(item.width * scale), 1),
        "height": max(round(item.height * scale), 1),
    }


def _score_cell(value: float | None, reason: str) -> dict[str, Any]:
    return {"value": value, "words": reason_words(reason) if value is None else ""}


def _evidence(run: MetricRun, items: Sequence[int]) -> dict[int, list[dict[str, Any]]]:
    """By item: per dimension the lists of descriptors that its scores rest on."""
    found: dict[int, dict[str, dict[str, Any]]] = defaultdict(dict)
    scores = Score.objects.filter(run=run, item_id__in=list(items)).exclude(dimension="")
    for score in scores.order_by("pk"):
        lists = found[score.item_id].setdefault(score.dimension, {})
        for key in LISTS:
            if score.evidence.get(key):
                lists[key] = score.evidence[key]
    return {
        item: [
            {
                "dimension": dimension,
                "lists": [
                    {"label": label, "matches": lists[key]}
                    for key, label in LISTS.items()
                    if key in lists
                ],
            }
            for dimension, lists in dimensions.items()
            if lists
        ]
        for item, dimensions in found.items()
    }
