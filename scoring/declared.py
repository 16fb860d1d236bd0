"""What a run's metric is: registered, imported, or one that this software no longer has."""

from __future__ import annotations

import math

from scoring.metrics import get_metric
from scoring.metrics.base import Declaration, Needs, Output, UnknownMetricError
from scoring.models import MetricRun

IMPORTED = "imported:"  # the beginning of the metric of imported scores
VALUE = "value"  # their one output


def run_declaration(run: MetricRun) -> Declaration:
    """The declaration of a run's metric.

    That of imported scores is made of what was said at the import, of what was found for a metric
    that is gone: its outputs are those that have scores, without a range.
    """
    if run.metric.startswith(IMPORTED):
        return _imported(run)
    try:
        return get_metric(run.metric).declaration
    except UnknownMetricError:
        return _gone(run)


def _imported(run: MetricRun) -> Declaration:
    told = run.declared
    low = -math.inf if told["low"] is None else told["low"]
    high = math.inf if told["high"] is None else told["high"]
    return Declaration(
        key=run.metric,
        name=told["name"],
        family="Imported",
        version=run.metric_version,
        modality="image",
        source=told["source"],
        needs=Needs(),
        outputs=(Output(VALUE, told["name"], low, high, told["better"]),),
        dimensions=tuple(told["dimensions"]),
        reasons=("no_value",),
    )


def _gone(run: MetricRun) -> Declaration:
    outputs = run.scores.order_by("output").values_list("output", flat=True).distinct()
    return Declaration(
        key=run.metric,
        name=run.metric,
        family="No longer here",
        version=run.metric_version,
        modality="image",
        source="",
        needs=Needs(),
        outputs=tuple(Output(o, o, -math.inf, math.inf, "higher", "both") for o in outputs),
    )
