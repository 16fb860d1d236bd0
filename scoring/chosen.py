"""Which runs reports read: the chosen one of each metric, else the newest that is done."""

from __future__ import annotations

from collections.abc import Iterable

from scoring.models import MetricRun, RunState
from studies.models import Study


def runs_for_reports(study: Study) -> list[MetricRun]:
    """One run a metric, by the metric's key."""
    return read_of(done_runs(study))


def done_runs(study: Study) -> list[MetricRun]:
    """Every run that is done, the newest last."""
    return list(study.metric_runs.filter(state=RunState.DONE).order_by("finished_at", "id"))


def read_of(runs: Iterable[MetricRun]) -> list[MetricRun]:
    """Those of the done runs that reports read."""
    read: dict[str, MetricRun] = {}
    for run in runs:
        before = read.get(run.metric)
        if before is None or run.chosen or not before.chosen:
            read[run.metric] = run
    return [read[metric] for metric in sorted(read)]
