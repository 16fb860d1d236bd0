"""The step that keeps the best k real images of each activity and country, by CLIPScore."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from scoring.ahead.real_images import CLIPSCORE, KEPT, NoRealScoresError, keep_best
from scoring.metrics.base import ParameterError
from scoring.models import MetricRun, WorkState
from scoring.step_work import Work
from studies.models import Study


def checked(study: Study, parameters: dict[str, Any]) -> dict[str, Any]:
    """The run (default: the newest CLIPScore run that is done) and k."""
    done = study.metric_runs.filter(metric=CLIPSCORE, state=WorkState.DONE)
    given = parameters.get("run")
    run = done.filter(pk=given).first() if given else done.first()
    if run is None:
        raise NoRealScoresError(
            "There is no CLIPScore run that is done. Start one in Metrics, with the real images "
            "among its items."
        )
    try:
        k = int(parameters.get("k") or KEPT)
    except ValueError as error:
        raise ParameterError(f"k is no whole number: {parameters['k']!r}.") from error
    if k < 1:
        raise ParameterError("k must be at least 1.")
    return {"run": run.pk, "k": k}


def do(work: Work) -> None:
    work.begin(1)
    run = MetricRun.objects.filter(pk=work.parameters["run"]).first()
    if run is None:
        raise NoRealScoresError("The CLIPScore run was deleted. Choose another one.")
    chosen = keep_best(study=work.study, run=run, k=work.parameters["k"])
    work.note(**asdict(chosen))
    work.advance()
