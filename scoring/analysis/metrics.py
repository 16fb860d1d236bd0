"""Each finished metric against each question, over the same items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping

import numpy as np

from scoring.analysis.gather import ScoredRun, StudyData
from scoring.analysis.prompts import prompt_clusters
from scoring.analysis.questions import answers_of
from scoring.analysis.report import POOLED, LeftOut, MetricReport, OutputReport, Pairing
from scoring.metrics import get_metric
from scoring.metrics.base import REASONS as SCORE_REASONS
from scoring.metrics.base import Output, UnknownMetricError
from scoring.stats.correlation import (
    FEWEST_IN_GROUP,
    FEWEST_UNITS,
    correlate_scores,
    mean_by_unit,
)

NO_RATING = "no_rating"
NO_SCORE_ROW = "not_scored"
SENTENCES = {
    NO_RATING: "No counted rating yet.",
    NO_SCORE_ROW: "The item was not part of the metric's run.",
    "item_failed": "The metric failed on this item.",
}

Scores = Mapping[int, tuple[float | None, str]]
"""{item id: (value or None, reason)}"""


def metric_report(
    *,
    data: StudyData,
    run: ScoredRun,
    groups: tuple[str, ...],
    replicates: int,
    on_step: Callable[[], None],
) -> MetricReport:
    """Every output of a run against every question. `on_step` is called after each output."""
    name, declared = _declared(run.metric)
    known = [key for key in declared if key in run.scores]
    outputs = []
    for key in [*known, *(key for key in run.scores if key not in declared)]:
        output = declared.get(key)
        outputs.append(
            OutputReport(
                key=key,
                name=output.name if output else key,
                better=output.better if output else "",
                pairings=tuple(
                    _pairing(data, run.scores[key], number, group, replicates)
                    for number in range(len(data.table.questions))
                    for group in groups
                ),
            )
        )
        on_step()
    return MetricReport(
        run=run.id,
        runs=run.runs,
        outdated=run.outdated,
        key=run.metric,
        name=name,
        version=run.metric_version,
        parameters=dict(run.parameters),
        model_id=run.model_id,
        model_revision=run.model_revision,
        finished_at=run.finished_at.isoformat() if run.finished_at else "",
        outputs=tuple(outputs),
    )


def item_means(data: StudyData, *, question: int, group: str, items: Collection[int]) -> np.ndarray:
    """Mean answer of each of `items` (ids) to one question in one group; nan where none."""
    table = data.table
    mask = answers_of(table, question=question, group=group)
    means = mean_by_unit(unit=table.item[mask], values=table.value[mask], n_units=len(table.items))
    of_item = {item.id: mean for item, mean in zip(table.items, means, strict=True)}
    return np.array([of_item.get(item, np.nan) for item in items], dtype=np.float64)


def _pairing(
    data: StudyData, scores: Scores, question: int, group: str, replicates: int
) -> Pairing:
    items = _items_of(data, group)
    means = item_means(data, question=question, group=group, items=items)
    values = [scores.get(item, (None, NO_SCORE_ROW)) for item in items]
    numbers = np.array([np.nan if v is None else v for v, _ in values], dtype=np.float64)
    (correlation,) = correlate_scores(
        scores=numbers,
        mean_ratings=means,
        methods=("spearman",),
        replicates=replicates,
        seed=data.study.seed,
        clusters=_clusters(data, items, numbers, means),
        fewest_units=FEWEST_UNITS if group == POOLED else FEWEST_IN_GROUP,
    )
    reasons = Counter(
        NO_RATING if np.isnan(mean) else reason
        for (value, reason), mean in zip(values, means, strict=True)
        if value is None or np.isnan(mean)
    )
    return Pairing(
        question=data.table.questions[question].key,
        group=group,
        correlation=correlation,
        left_out=tuple(
            LeftOut(reason=reason, sentence=_sentence(reason), items=n)
            for reason, n in sorted(reasons.items())
        ),
    )


def _items_of(data: StudyData, group: str) -> list[int]:
    """The items a group is asked about, and any it was: ids in the items' order."""
    if group == POOLED:
        return list(data.items)
    wanted = set(data.shown_to.get(group, ()))
    if group in data.table.countries:
        rated = data.table.item[data.table.country == data.table.countries.index(group)]
        wanted |= {data.table.items[index].id for index in np.unique(rated)}
    return [item for item in data.items if item in wanted]


def _clusters(
    data: StudyData, items: list[int], scores: np.ndarray, means: np.ndarray
) -> np.ndarray | None:
    """Prompt of each item as a code, where whole prompts are to be drawn."""
    number: dict[str, int] = {}
    codes = [number.setdefault(data.items[item].cluster, len(number)) for item in items]
    paired = ~np.isnan(scores) & ~np.isnan(means)
    return prompt_clusters(np.array(codes, dtype=np.intp), counted=paired)


def _declared(metric: str) -> tuple[str, dict[str, Output]]:
    """(name, outputs by key). A metric that this software no longer has keeps its key as name."""
    try:
        declaration = get_metric(metric).declaration
    except UnknownMetricError:
        return metric, {}
    return declaration.name, {output.key: output for output in declaration.outputs}


def _sentence(reason: str) -> str:
    return SENTENCES.get(reason) or SCORE_REASONS.get(reason) or reason
