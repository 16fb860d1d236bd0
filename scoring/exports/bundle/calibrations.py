"""Where AHEaD's thresholds come from: every stored calibration, and which run took which."""

from __future__ import annotations

from typing import Any

from scoring.ahead.inputs import source_of
from scoring.exports.bundle.records import CALIBRATION_FACTS
from scoring.metrics.ahead.calibration import QUARTILES
from scoring.models import Calibration, MetricRun
from scoring.work_state import WorkState
from studies.models import Study

AHEAD = "ahead"
FIELDS = ("id", *CALIBRATION_FACTS)


def calibrations(study: Study) -> dict[str, list[dict[str, Any]]]:
    """``calibrations``: what was stored. ``runs``: of each finished run of AHEaD its tau, and the
    calibration and quartile that it is; null where somebody gave the number by hand."""
    rows = list(study.calibrations.order_by("pk"))
    runs = study.metric_runs.filter(state=WorkState.DONE, metric=AHEAD).order_by("pk")
    return {
        "calibrations": [{name: getattr(row, name) for name in FIELDS} for row in rows],
        "runs": [_of_run(run, rows) for run in runs],
    }


def _of_run(run: MetricRun, rows: list[Calibration]) -> dict[str, Any]:
    tau = run.parameters.get("tau")
    found = _origin(run, tau, rows)
    row, quartile = found if found else (None, None)
    return {
        "run": run.pk,
        "tau": tau,
        "calibration": row.pk if row else None,
        "quartile": quartile,
    }


def _origin(run: MetricRun, tau: Any, rows: list[Calibration]) -> tuple[Calibration, str] | None:
    """The newest calibration there was for the run's extractor of which a quartile is tau: one on
    the run's references before one on others, the third quartile before the others."""
    extractor = source_of(str(run.parameters.get("extractor") or ""))
    references = run.parameters.get("references")
    there = [
        row for row in rows if row.extractor == extractor and row.created_at <= run.requested_at
    ]
    there.sort(key=lambda row: (row.references == references, row.created_at, row.pk), reverse=True)
    for quartile in reversed(QUARTILES):
        for row in there:
            if getattr(row, quartile) == tau:
                return row, quartile
    return None
