"""The same numbers under fewer exclusions: what leaving answers out has changed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from annotation.ratings import Layer
from scoring.analysis.gather import StudyData, in_layer
from scoring.analysis.metrics import pooled_pairings
from scoring.analysis.questions import question_report
from scoring.analysis.report import POOLED, Exclusion, LayerReport, Rule


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
            data=data, question=question, groups=(POOLED,), replicates=replicates, on_step=on_step
        )
        for question in data.asked
    ]
    return LayerReport(
        layer=layer.value,
        raters=int(np.unique(data.given.rater).size),
        ratings=int(np.unique(data.given.screen).size),
        answers=tuple(question.groups[0] for question in asked),
        pairings=pooled_pairings(data=data, replicates=replicates, on_step=on_step),
    )
