"""Which runs reports read: the chosen one of each metric, else the newest that is done."""

from __future__ import annotations

from scoring.models import MetricRun, RunState
from studies.models import Study


def runs_for_reports(study: Study) -> list[MetricRun]:
    """One run a metric, by the metric's key."""
    read: dict[str, MetricRun] = {}
    for run in study.metric_runs.filter(state=RunState.DONE).order_by("finished_at", "id"):
        before = read.get(run.metric)
        if before is None or run.chosen or not before.chosen:
            read[run.metric] = run
    return [read[metric] for metric in sorted(read)]
