"""The same numbers under fewer exclusions: what leaving answers out has changed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from annotation.ratings import Layer
from scoring.analysis.gather import StudyData, in_layer
from scoring.analysis.metrics import metric_report
from scoring.analysis.questions import question_report
from scoring.analysis.report import POOLED, Exclusion, LayerPairing, LayerReport, Rule


def rules_of(data: StudyData) -> tuple[Rule, ...]:
    return tuple(
        Rule(
            kind=row.kind,
            threshold=row.threshold,
            action=row.action,
            declared_at=row.declared_at.isoformat(timespec="seconds"),
            in_time=row.in_time,
        )
        for row in data.rules
    )


def exclusions_of(data: StudyData) -> tuple[Exclusion, ...]:
    return tuple(
        Exclusion(
            rater=row.rater,
            screen=row.screen,
            ratings=row.ratings,
            rule=row.rule,
            reason=row.reason,
            replaced=row.replaced,
            made_at=row.made_at.isoformat(timespec="seconds"),
        )
        for row in data.exclusions
    )


def layer_reports(
    *, data: StudyData, replicates: int, on_step: Callable[[], None]
) -> tuple[LayerReport, ...]:
    """Every question and metric for everybody, without exclusions, after rules, after all of them.

    Empty where nothing is excluded.
    """
    if not data.exclusions:
        return ()
    return tuple(_layer(layer, in_layer(data, layer), replicates, on_step) for layer in Layer)


def _layer(
    layer: Layer, data: StudyData, replicates: int, on_step: Callable[[], None]
) -> LayerReport:
    asked = [
        question_report(
            data=data, question=number, groups=(POOLED,), replicates=replicates, on_step=on_step
        )
        for number in range(len(data.table.questions))
    ]
    metrics = [
        metric_report(data=data, run=run, groups=(POOLED,), replicates=replicates, on_step=on_step)
        for run in data.runs
    ]
    return LayerReport(
        layer=layer.value,
        raters=len(data.table.raters),
        ratings=int(np.unique(data.table.screen).size),
        answers=tuple(question.groups[0] for question in asked),
        pairings=tuple(
            LayerPairing(
                metric=metric.name,
                output=output.name,
                question=pairing.question,
                correlation=pairing.correlation,
            )
            for metric in metrics
            for output in metric.outputs
            for pairing in output.pairings
        ),
    )
