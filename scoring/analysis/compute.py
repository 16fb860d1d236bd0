"""A study's report, from its data."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from django.conf import settings

from scoring.analysis.gather import StudyData, gather
from scoring.analysis.layers import exclusions_of, layer_reports, rules_of
from scoring.analysis.metrics import metric_report
from scoring.analysis.questions import alpha_checks, question_report
from scoring.analysis.report import POOLED, DataFacts, Group, Method, Report, StudyFacts
from studies.models import Study

REPLICATES = 2000


def analyse(
    study: Study, *, replicates: int = REPLICATES, on_step: Callable[[], None] = lambda: None
) -> Report:
    """The report on a study's counted ratings and finished runs. `replicates` 0: no intervals."""
    return analyse_data(gather(study), replicates=replicates, on_step=on_step)


def analyse_data(
    data: StudyData, *, replicates: int, on_step: Callable[[], None] = lambda: None
) -> Report:
    """The report on data that were read already. `on_step` is called between its parts."""
    groups = (POOLED, *sorted(data.shown_to, key=lambda code: data.names[code].casefold()))
    return Report(
        study=StudyFacts(
            title=data.study.title,
            slug=data.study.slug,
            revision=data.study.revision,
            state=data.study.state,
        ),
        method=Method(
            software=f"Concord {settings.VERSION}",
            as_of=data.read_at.isoformat(timespec="seconds"),
            seed=data.study.seed,
            replicates=replicates or REPLICATES,
            intervals_ready=replicates > 0,
        ),
        data=_data_facts(data),
        groups=tuple(_group(data, key) for key in groups),
        questions=tuple(
            question_report(
                data=data, question=number, groups=groups, replicates=replicates, on_step=on_step
            )
            for number in range(len(data.table.questions))
        ),
        metrics=tuple(
            metric_report(data=data, run=run, groups=groups, replicates=replicates, on_step=on_step)
            for run in data.runs
        ),
        self_check=alpha_checks(data=data, groups=groups),
        rules=rules_of(data),
        exclusions=exclusions_of(data),
        layers=layer_reports(data=data, replicates=replicates, on_step=on_step),
    )


def _data_facts(data: StudyData) -> DataFacts:
    table = data.table
    return DataFacts(
        items=len(table.items),
        raters=len(table.raters),
        ratings=int(np.unique(table.screen).size),
        answers=int(table.value.size),
        surplus=data.surplus,
        simulated=int(np.unique(table.screen[table.simulated]).size),
    )


def _group(data: StudyData, key: str) -> Group:
    table = data.table
    mask = np.ones(table.value.size, dtype=bool)
    if key != POOLED:
        mask = table.country == (table.countries.index(key) if key in table.countries else -1)
    return Group(
        key=key,
        name="All, pooled" if key == POOLED else data.names[key],
        items=int(np.unique(table.item[mask]).size),
        raters=int(np.unique(table.rater[mask]).size),
        ratings=int(np.unique(table.screen[mask]).size),
        simulated=int(np.unique(table.screen[mask & table.simulated]).size),
    )
