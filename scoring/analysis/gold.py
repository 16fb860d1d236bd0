"""Scores of labels against gold labels: precision, recall and F1 by threshold.

A metric scores an item for each label (the dimension of its score). A label is gold for an item
where its value is `GOLD_FROM` or more; a label of a set that an item has gold labels of, but not
this one, is not gold. Items without any gold label of a set are not asked about it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from scoring.analysis.parts.against import LabelTable
from scoring.analysis.series import ScoreData, Series, SeriesFacts
from scoring.stats.binary import label_scores

GOLD_FROM = 0.5
HEADLINE = {"caire": 4.0}
"""The threshold that a metric's paper goes by, by the metric's key."""

STEPS = 9

Gold = Mapping[int, Mapping[str, float]]
Values = Mapping[str, Mapping[int, float | None]]
"""{label: {item: value}}"""


def label_tables(data: ScoreData) -> tuple[LabelTable, ...]:
    """Each output that scores gold labels, by label set and, where there are several, together."""
    by_output: dict[tuple[str, str], list[Series]] = defaultdict(list)
    for series in data.metrics:
        if series.facts.dimension and series.facts.unit == "item":
            by_output[series.facts.metric, series.facts.output].append(series)
    return tuple(table for of_output in by_output.values() for table in _of_output(of_output, data))


def _of_output(of_output: list[Series], data: ScoreData) -> Iterator[LabelTable]:
    facts = of_output[0].facts
    if not thresholds(facts):
        return  # an order without points has no threshold
    values = {
        series.facts.dimension: {int(item): value for item, (value, _) in series.values.items()}
        for series in of_output
    }
    sets = {
        name: gold
        for name, gold in sorted(data.facts.gold.items())
        if set(values) & {label for labels in gold.values() for label in labels}
    }
    for name, gold in sets.items():
        yield _table(facts, name, {name: gold}, values)
    if len(sets) > 1:
        yield _table(facts, "", sets, values)


def _table(facts: SeriesFacts, name: str, sets: Mapping[str, Gold], values: Values) -> LabelTable:
    is_gold = _by_item(sets.values())
    known = sorted({label for of in is_gold.values() for label in of})
    labels = [label for label in known if label in values]
    scores = np.full((len(is_gold), len(labels)), np.nan)
    truth = np.zeros((len(is_gold), len(labels)), dtype=bool)
    for row, (item, own) in enumerate(is_gold.items()):
        for column, label in enumerate(labels):
            value = values[label].get(item)
            if label in own and value is not None:
                scores[row, column] = value
            truth[row, column] = own.get(label, False)
    return LabelTable(
        metric=facts.metric,
        metric_name=facts.metric_name,
        output=facts.output,
        label_set=name,
        headline=HEADLINE.get(facts.metric),
        n_items=len(is_gold),
        n_labels=len(labels),
        scores=label_scores(scores=scores, gold=truth, thresholds=thresholds(facts)),
    )


def _by_item(sets: Iterable[Gold]) -> dict[int, dict[str, bool]]:
    """{item: {label: whether it is gold}} over the labels of those sets that it has gold of."""
    found: dict[int, dict[str, bool]] = defaultdict(dict)
    for gold in sets:
        labels = {label for of in gold.values() for label in of}
        for item, of in gold.items():
            own = found[item]
            for label in labels:
                own[label] = of.get(label, 0.0) >= GOLD_FROM or own.get(label, False)
    return found


def thresholds(facts: SeriesFacts) -> tuple[float, ...]:
    """Every point but the lowest of a short scale of whole numbers; else nine between the ends."""
    low, high = facts.low, facts.high
    if low is None or high is None:
        return ()
    if low.is_integer() and high.is_integer() and 1 < high - low <= STEPS + 1:
        return tuple(float(point) for point in range(int(low) + 1, int(high) + 1))
    return tuple(low + (high - low) * step / (STEPS + 1) for step in range(1, STEPS + 1))
