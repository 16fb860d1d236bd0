"""The scores of a run beside the human ratings of the same items, for the run's page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import BooleanField, Count, ExpressionWrapper, Q

from annotation.ratings import mean_ratings
from scoring.cell_words import cell_words
from scoring.metrics.base import Declaration, Output
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
        **{output.key: output.name for output in _of_items(declaration)},
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
    """How many items and cells have no overall score, by output and reason."""
    names = {output.key: output.name for output in declaration.outputs}
    counted = (
        run.scores.filter(dimension="", value__isnull=True)
        .annotate(of_cell=ExpressionWrapper(Q(item=None), output_field=BooleanField()))
        .order_by("of_cell", "output", "reason")
        .values_list("of_cell", "output", "reason")
        .annotate(n=Count("id"))
    )
    return [
        {
            "output": names.get(output, output),
            "words": reason_words(reason),
            "n": n,
            "what": "cell" if of_cell else "item",
        }
        for of_cell, output, reason, n in counted
    ]


def _column(key: str, label: str, order: str) -> Column:
    is_number = key not in {"item", "country", "system"}
    direction = {key: "ascending", f"-{key}": "descending"}.get(order, "none")
    # Numbers are first asked for from high to low, texts from A to Z.
    first, second = (f"-{key}", key) if is_number else (key, f"-{key}")
    return Column(key, label, is_number, direction, second if order == first else first)


def _overall_scores(run: MetricRun) -> dict[int, dict[str, tuple[float | None, str]]]:
    scores: dict[int, dict[str, tuple[float | None, str]]] = defaultdict(dict)
    of_items = run.scores.filter(dimension="", item__isnull=False)
    rows = of_items.values_list("item_id", "output", "value", "reason")
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
    evidence = _evidence(run, declaration, items)
    return [
        {
            "item": found[pk],
            **thumbnail(found[pk]),
            "ratings": [means.get(pk, {}).get(question.pk) for question in questions],
            "scores": [
                _score_cell(*overall.get(pk, {}).get(output.key, (None, "")))
                for output in _of_items(declaration)
            ],
            "evidence": evidence.get(pk, []),
        }
        for pk in items
    ]


def thumbnail(item: Item) -> dict[str, int]:
    """Width and height of the picture within a square, so that the table does not jump."""
    width, height = item.width or THUMBNAIL, item.height or THUMBNAIL
    scale = THUMBNAIL / max(width, height, 1)
    return {"width": max(round(width * scale), 1), "height": max(round(height * scale), 1)}


def _of_items(declaration: Declaration) -> list[Output]:
    return [output for output in declaration.outputs if output.of != "cell"]


def _score_cell(value: float | None, reason: str) -> dict[str, Any]:
    if value is not None:
        return {"value": value, "words": ""}
    return {"value": None, "words": f"not defined: {reason_words(reason)}" if reason else "none"}


def _evidence(
    run: MetricRun, declaration: Declaration, items: Sequence[int]
) -> dict[int, list[dict[str, Any]]]:
    """By item: per dimension its scores, and the lists of descriptors that they rest on."""
    found: dict[int, dict[str, dict[str, Any]]] = defaultdict(dict)
    scores = Score.objects.filter(run=run, item_id__in=list(items)).exclude(dimension="")
    names = {output.key: output.name for output in declaration.outputs}
    for score in scores.order_by("pk"):
        part = found[score.item_id].setdefault(score.dimension, {"values": [], "lists": {}})
        name = names.get(score.output, score.output)
        part["values"].append({"name": name, **_score_cell(score.value, score.reason)})
        for key in LISTS:
            if score.evidence.get(key):
                part["lists"][key] = score.evidence[key]
    return {
        item: [
            {
                "dimension": dimension,
                "values": part["values"],
                "lists": [
                    {"label": label, "matches": part["lists"][key]}
                    for key, label in LISTS.items()
                    if key in part["lists"]
                ],
            }
            for dimension, part in dimensions.items()
        ]
        for item, dimensions in found.items()
    }


def cell_table(*, run: MetricRun, declaration: Declaration) -> dict[str, Any] | None:
    """Overall scores of every cell; None where the run has none."""
    outputs = [output for output in declaration.outputs if output.of != "item"]
    found: dict[str, dict[str, tuple[float | None, str]]] = defaultdict(dict)
    rows = run.scores.filter(dimension="", item=None).order_by("cell")
    for cell, output, value, reason in rows.values_list("cell", "output", "value", "reason"):
        found[cell][output] = (value, reason)
    if not found:
        return None
    return {
        "heads": [output.name for output in outputs],
        "rows": [
            {
                "key": cell,
                "name": cell_words(cell),
                "scores": [_score_cell(*scores.get(o.key, (None, ""))) for o in outputs],
            }
            for cell, scores in found.items()
        ],
    }
