"""A study's report, from its data."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from django.conf import settings

from annotation.ratings import NO_VALUE, NOTHING, AnswerTable
from scoring.analysis.against import against_part
from scoring.analysis.automatic import automatic_part
from scoring.analysis.culturescore import culturescore_part
from scoring.analysis.disputes import disputes_part
from scoring.analysis.gather import StudyData, gather
from scoring.analysis.human_scores import scores_part
from scoring.analysis.layers import exclusions_of, layer_reports, rules_of
from scoring.analysis.metrics import metric_report
from scoring.analysis.overview import overview_part
from scoring.analysis.pilot import pilot_answers
from scoring.analysis.questions import alpha_checks, question_report
from scoring.analysis.report import POOLED, DataFacts, Group, Method, Report, StudyFacts
from scoring.analysis.selection import WHOLE, Selection
from studies.models import Study

REPLICATES = 2000


def analyse(
    study: Study,
    *,
    selection: Selection = WHOLE,
    replicates: int = REPLICATES,
    on_step: Callable[[], None] = lambda: None,
) -> Report:
    """The report on a study's counted ratings and finished runs. `replicates` 0: no intervals."""
    return analyse_data(gather(study, selection), replicates=replicates, on_step=on_step)


def analyse_data(
    data: StudyData, *, replicates: int, on_step: Callable[[], None] = lambda: None
) -> Report:
    """The report on data that were read already. `on_step` is called between its parts."""
    groups = groups_of(data)
    return Report(
        selection=data.selection.key,
        chosen=data.chosen,
        study=StudyFacts(
            title=data.study.title,
            slug=data.study.slug,
            revision=data.study.revision,
            state=data.study.state,
            systems=tuple(data.study.systems.values_list("name", flat=True)),
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
        overview=overview_part(data=data, groups=groups),
        questions=tuple(
            question_report(
                data=data, question=question, groups=groups, replicates=replicates, on_step=on_step
            )
            for question in data.asked
        ),
        scores=scores_part(data=data, groups=groups, replicates=replicates, on_step=on_step),
        disputes=disputes_part(data=data, on_step=on_step),
        metrics=tuple(metric_report(data=data, run=run) for run in data.runs),
        automatic=automatic_part(data=data, groups=groups, replicates=replicates, on_step=on_step),
        culturescore=culturescore_part(data=data, replicates=replicates, on_step=on_step),
        against=against_part(data=data, groups=groups, replicates=replicates, on_step=on_step),
        self_check=alpha_checks(data=data, groups=groups),
        rules=rules_of(data),
        exclusions=exclusions_of(data),
        layers=layer_reports(data=data, replicates=replicates, on_step=on_step),
        pilot=pilot_answers(data=data, on_step=on_step),
    )


def groups_of(data: StudyData) -> tuple[str, ...]:
    """Everybody, then each panel's country by name."""
    return (POOLED, *sorted(data.shown_to, key=lambda code: data.names[code].casefold()))


def _data_facts(data: StudyData) -> DataFacts:
    given = data.given
    return DataFacts(
        items=int(np.unique(items_of(data, given)).size),
        raters=int(np.unique(given.rater).size),
        ratings=int(np.unique(given.screen).size),
        answers=int((given.value != NO_VALUE).sum()),
        surplus=data.surplus,
        simulated=int(np.unique(given.screen[given.simulated]).size),
    )


def _group(data: StudyData, key: str) -> Group:
    given = data.given if key == POOLED else data.given.only(data.given.country == key)
    return Group(
        key=key,
        name="All, pooled" if key == POOLED else data.names[key],
        items=int(np.unique(items_of(data, given)).size),
        raters=int(np.unique(given.rater).size),
        ratings=int(np.unique(given.screen).size),
        simulated=int(np.unique(given.screen[given.simulated]).size),
    )


def items_of(data: StudyData, answers: AnswerTable) -> np.ndarray:
    """Ids of the items that answers are about, those of their units where they name none."""
    of_units = answers.unit[answers.item == NOTHING]
    shown = [
        item
        for unit in np.unique(of_units).tolist()
        for item in data.subjects.members.get(int(answers.units[unit]), ())
    ]
    named = answers.item[answers.item != NOTHING]
    return np.concatenate([np.unique(named), np.array(shown, dtype=np.int64)])
