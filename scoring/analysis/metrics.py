"""The runs whose scores a report uses, and each metric with each question, everybody pooled."""

from __future__ import annotations

from collections.abc import Callable

from scoring.analysis.against_levels import pooled_correlation
from scoring.analysis.gather import ScoredRun, StudyData
from scoring.analysis.paired import held_series, units_in_panels, units_of_items
from scoring.analysis.planned import planned_correlation
from scoring.analysis.report import LayerPairing, MetricReport, OutputReport
from scoring.analysis.score_data import score_data
from scoring.declared import IMPORTED, run_declaration
from scoring.metrics import get_metric
from scoring.metrics.base import Output, UnknownMetricError
from scoring.models import MetricRun


def metric_report(*, data: StudyData, run: ScoredRun) -> MetricReport:
    """What a run is, with the outputs that it has scores of, declared ones first."""
    name, declared = _declared(run)
    series = [one.facts for one in data.scored.metrics if one.facts.run == run.id]
    scored = list(dict.fromkeys(facts.output for facts in series))
    known = [key for key in declared if key in scored]
    outputs = [*known, *(key for key in scored if key not in declared)]
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
        outputs=tuple(
            OutputReport(
                key=key,
                name=declared[key].name if key in declared else key,
                better=declared[key].better if key in declared else "",
            )
            for key in outputs
        ),
    )


def pooled_pairings(
    *, data: StudyData, replicates: int, on_step: Callable[[], None]
) -> tuple[LayerPairing, ...]:
    """Every whole metric with every question, by the plan's primary method, as `against` has it."""
    every = score_data(data)
    planned = planned_correlation(every.facts.plan)
    found = []
    for held in held_series(every):
        if held.facts.dimension:
            continue
        for human in every.humans:
            units = units_in_panels(every, human) if held.matched else units_of_items(every, human)
            correlation = pooled_correlation(
                held=held, units=units, planned=planned, replicates=replicates, seed=every.seed
            )
            found.append(
                LayerPairing(
                    metric=held.facts.metric_name,
                    output=held.facts.name,
                    question=human.question,
                    correlation=correlation,
                )
            )
        on_step()
    return tuple(found)


def _declared(run: ScoredRun) -> tuple[str, dict[str, Output]]:
    """(name, outputs by key). A metric that this software no longer has keeps its key as name."""
    if run.metric.startswith(IMPORTED):
        declaration = run_declaration(MetricRun.objects.get(pk=run.id))
    else:
        try:
            declaration = get_metric(run.metric).declaration
        except UnknownMetricError:
            return run.metric, {}
    return declaration.name, {output.key: output for output in declaration.outputs}
