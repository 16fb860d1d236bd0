"""Yes and no that metrics gave to single probes, kept as evidence of their scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scoring.analysis.gather import StudyData
from scoring.metrics import get_metric
from scoring.metrics.base import UnknownMetricError
from scoring.models import Score
from studies.models import Probe

CHUNK = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class AutomaticAnswers:
    """`answers`: {(item id, probe id): yes} of one metric's finished run."""

    metric: str
    output: str
    answers: Mapping[tuple[int, int], bool]


def automatic_answers(data: StudyData) -> tuple[AutomaticAnswers, ...]:
    """The answers of every metric that asks probes; none where the study has no probes."""
    if not data.subjects.probes:
        return ()
    probes = dict(Probe.objects.filter(study=data.study).values_list("external_id", "pk"))
    found = []
    for run in data.runs:
        answers: dict[tuple[int, int], bool] = {}
        rows = Score.objects.filter(run_id=run.id, item__isnull=False).exclude(dimension="")
        for item, evidence in rows.values_list("item_id", "evidence").iterator(chunk_size=CHUNK):
            for asked in evidence.get("questions", ()) if isinstance(evidence, dict) else ():
                probe = probes.get(asked.get("probe"))
                if probe is not None and isinstance(asked.get("yes"), bool):
                    answers[item, probe] = asked["yes"]
        if answers:
            name = _name(run.metric)
            found.append(AutomaticAnswers(metric=run.metric, output=name, answers=answers))
    return tuple(found)


def _name(metric: str) -> str:
    try:
        return get_metric(metric).declaration.name
    except UnknownMetricError:
        return metric
