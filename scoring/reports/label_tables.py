"""Judges against the majority of people, and scores of labels against gold labels, as tables."""

from __future__ import annotations

from collections.abc import Mapping

from scoring.analysis.parts.against import JudgeTable, LabelTable, QuestionAgainst
from scoring.reports.estimates import estimate_of, plain
from scoring.reports.series_words import slug
from scoring.reports.tables import Column, Estimate, Row, Table
from scoring.reports.words import counted
from scoring.stats.binary import Share

COEFFICIENTS = {
    "krippendorff_alpha": "Alpha (nominal)",
    "gwet_ac1": "AC1",
    "percent_agreement": "Same answer",
}
AVERAGINGS = {
    "items": "mean over items",
    "micro": "all decisions together",
    "labels": "mean over labels",
}


def judge_tables(question: QuestionAgainst, names: Mapping[str, str]) -> tuple[Table, ...]:
    """Agreement of every judge in one table, then the counts of each."""
    return (
        _agreement(question, names),
        *(_counts(question, one, names[one.series]) for one in question.judges),
    )


def _agreement(question: QuestionAgainst, names: Mapping[str, str]) -> Table:
    rows = []
    for one in question.judges:
        found = {part.coefficient: part for part in one.agreement}
        rows.append(
            Row(
                cells=(
                    names[one.series],
                    *(_without_interval(found[key]) for key in COEFFICIENTS),
                    one.n_items,
                    one.n_tied,
                    one.n_unrated,
                    one.n_without_score,
                )
            )
        )
    return Table(
        name=f"judges-{slug(question.key)}",
        title=f"{question.label}: agreement with the majority",
        columns=(
            Column(key="judge", title="Judge"),
            *(
                Column(key=key, title=title, kind="share" if "percent" in key else "number")
                for key, title in COEFFICIENTS.items()
            ),
            Column(key="items", title="Items", kind="count"),
            Column(key="tied", title="Tied votes", kind="count"),
            Column(key="unrated", title="Not rated", kind="count"),
            Column(key="unscored", title="Without score", kind="count"),
        ),
        rows=tuple(rows),
        unit="item",
        aggregation="the judge and the majority of an item\u2019s raters as two raters; items "
        "whose vote is tied are left out",
    )


def _without_interval(found: object) -> Estimate:
    cell = estimate_of(found)
    return Estimate(value=cell.value, why=cell.why)


def _counts(question: QuestionAgainst, one: JudgeTable, name: str) -> Table:
    return Table(
        name=f"judges-{slug(question.key)}-{slug(one.series)}",
        title=f"{question.label}: {name} and the majority, counts of items",
        columns=(
            Column(key="majority", title="Majority of people"),
            *(
                Column(key=f"judge-{slug(point)}", title=f"Judge: {point}", kind="count")
                for point in one.points
            ),
        ),
        rows=tuple(
            Row(cells=(point, *counts))
            for point, counts in zip(one.points, one.counts, strict=True)
        ),
        unit="item",
        aggregation="number of items",
    )


def label_table(one: LabelTable) -> Table:
    """Precision, recall and F1 of one output at every threshold, by every averaging."""
    which = one.label_set or "all label sets"
    headline = f" The protocol\u2019s threshold is {one.headline:g}." if one.headline else ""
    return Table(
        name=f"labels-{slug(f'{one.metric}-{one.output}-{which}')}",
        title=f"{one.metric_name}: {which}, {counted(one.n_items, 'item')}, "
        f"{counted(one.n_labels, 'label')}",
        columns=(
            Column(key="threshold", title="Score from", kind="number"),
            Column(key="averaging", title="Averaged"),
            Column(key="precision", title="Precision", kind="number", decimals=3),
            Column(key="recall", title="Recall", kind="number", decimals=3),
            Column(key="f1", title="F1", kind="number", decimals=3),
            Column(key="true_positives", title="True positives", kind="count"),
            Column(key="false_positives", title="False positives", kind="count"),
            Column(key="false_negatives", title="False negatives", kind="count"),
            Column(key="decisions", title="Decisions", kind="count"),
            Column(key="unscored", title="Labels without score", kind="count"),
        ),
        rows=tuple(
            Row(
                cells=(
                    scores.threshold,
                    AVERAGINGS[scores.averaging],
                    _share(scores.precision),
                    _share(scores.recall),
                    _share(scores.f1),
                    scores.true_positives,
                    scores.false_positives,
                    scores.false_negatives,
                    scores.n_decisions,
                    scores.n_unscored,
                ),
                strong=scores.threshold == one.headline,
            )
            for scores in one.scores
        ),
        unit="item and label",
        aggregation="a label is given where its score is at least the threshold; precision, recall "
        "and F1 of each item over its label set, then the mean, beside the two other averages",
        notes=("0 divided by 0 (nothing given, nothing gold) enters no mean." + headline,),
        n_in_cells=True,
    )


def _share(found: Share) -> Estimate:
    undefined = f"{found.n_undefined:,} not defined" if found.n_undefined else ""
    cell = plain(found.value, found.reason, n=found.n_defined)
    return Estimate(value=cell.value, why=cell.why, n=cell.n, note=undefined)
