"""Everything a report needs, read from the database once."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np
from django.utils import timezone

from annotation.ratings import (
    AnswerTable,
    DeclaredRule,
    ExclusionInForce,
    Layer,
    Phase,
    RatedItem,
    RatingTable,
    answer_table,
    declared_rules,
    exclusions_in_force,
    rated_items,
    surplus_ratings,
)
from scoring.analysis.asked import AskedQuestion, Subjects, asked_questions, subjects_of
from scoring.analysis.columns import FactColumns, fact_columns
from scoring.analysis.likert import EMPTY_TABLE, likert_table
from scoring.analysis.narrowing import NotApplicable, applicable, chosen_answers, chosen_items
from scoring.analysis.relevance_rule import without_irrelevant
from scoring.analysis.scores_read import read_scores
from scoring.analysis.selection import WHOLE, Selection, choices, in_words
from scoring.analysis.series import NO_SCORES, ScoreFacts
from scoring.chosen import runs_for_reports
from scoring.coverage import inputs_have_changed
from scoring.models import MetricRun, WorkState
from studies.models import AnalysisPlan, Study, UnitItem
from studies.models.country_group import groupings_for
from studies.names import country_name

RUN_FIELDS = ("metric", "metric_version", "parameters", "model_id", "model_revision")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredRun:
    """A finished run; `StudyData.scored` has its scores.

    `runs` counts the finished runs of its metric; `outdated`: its descriptors have changed since.
    """

    id: int
    metric: str
    metric_version: str
    parameters: dict[str, object]
    model_id: str
    model_revision: str
    finished_at: datetime | None
    runs: int
    outdated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyData:
    """A study's counted answers and scores at one moment, narrowed to a selection.

    `asked` are its questions of all kinds. `every` holds the answers of all layers, `given` those
    of the selection's layer, `answers` the same after the rules on "does not apply", which took out
    what `not_applicable` counts, and on irrelevant probes; `table` is the part of `answers` that is
    Likert ratings of items.
    `pilot` and `repeats` are apart: answers of the pilot, and to screens shown again.

    `facts` are fields of items and units, fit to be laid beside the answers. `chosen` says the
    selection in words.

    `items` holds the chosen items to be rated by id, `known` every item of the study: what compares
    the items of a unit speaks of those that are not chosen too. `shown_to` are those that each
    panel's country is to rate (a country is listed as soon as it has a panel), `names` the
    countries' names; `groupings` are {grouping: {group: country codes}}. `scored` is what metrics
    say of the items, by dimension too.
    """

    study: Study
    selection: Selection
    chosen: tuple[str, ...]
    asked: tuple[AskedQuestion, ...]
    subjects: Subjects
    every: AnswerTable
    given: AnswerTable
    answers: AnswerTable
    not_applicable: tuple[NotApplicable, ...]
    facts: FactColumns
    table: RatingTable
    pilot: AnswerTable
    repeats: AnswerTable
    surplus: int
    items: dict[int, RatedItem]
    known: dict[int, RatedItem]
    shown_to: dict[str, frozenset[int]]
    names: dict[str, str]
    groupings: dict[str, dict[str, list[str]]]
    plan: AnalysisPlan | None
    runs: tuple[ScoredRun, ...]
    rules: tuple[DeclaredRule, ...]
    exclusions: tuple[ExclusionInForce, ...]
    read_at: datetime
    scored: ScoreFacts = NO_SCORES

    @property
    def rescaled(self) -> bool:
        """Whether the analysis plan asks for means from 0 to 1."""
        return self.plan is not None and self.plan.rescaled


def gather(study: Study, selection: Selection = WHOLE) -> StudyData:
    """Everything a report on a selection rests on, read once."""
    every_item = rated_items(study)
    asked, subjects = asked_questions(study), subjects_of(study)
    items = chosen_items(every_item, selection)
    tables = {}
    for phase in Phase:
        answers = answer_table(study, phase)
        chosen = chosen_answers(
            answers, selection=selection, asked=asked, items=items, subjects=subjects
        )
        tables[phase] = answers.only(chosen)
    panels = [panel.country for panel in study.panels.all()]
    countries = panels_first(tables[Phase.STUDY], panels, selection)
    data = StudyData(
        study=study,
        selection=selection,
        chosen=() if selection.is_whole else in_words(selection, choices(study)),
        asked=asked,
        subjects=subjects,
        every=tables[Phase.STUDY],
        given=tables[Phase.STUDY],
        answers=tables[Phase.STUDY],
        not_applicable=(),
        facts=fact_columns(tables[Phase.STUDY], every_item, subjects),
        table=EMPTY_TABLE,
        pilot=tables[Phase.PILOT],
        repeats=tables[Phase.REPEATS],
        surplus=surplus_ratings(study),
        items=items,
        known=every_item,
        shown_to=_shown_to(study, countries, items),
        names={code: country_name(code) if code else "No panel" for code in countries},
        groupings=groupings_for(study),
        plan=AnalysisPlan.objects.filter(study=study).first(),
        runs=tuple(_scored_run(run) for run in latest_done_runs(study)),
        rules=tuple(declared_rules(study)),
        exclusions=tuple(exclusions_in_force(study)),
        read_at=timezone.now(),
        scored=read_scores(
            study,
            items=items,
            runs=[(run.pk, run.metric) for run in latest_done_runs(study)],
            dimension=selection.dimension,
        ),
    )
    return in_layer(data, Layer(selection.layer))


def in_layer(data: StudyData, layer: Layer) -> StudyData:
    """The same data under a layer's exclusions."""
    return with_answers(data, data.every.in_layer(layer))


def with_answers(data: StudyData, given: AnswerTable) -> StudyData:
    """The same study with other answers: the rule on "does not apply" goes over them anew."""
    answers, counts = applicable(given, data.asked)
    answers = without_irrelevant(answers, data.asked)
    same_units = given.units is data.every.units
    return replace(
        data,
        given=given,
        facts=data.facts if same_units else fact_columns(given, data.known, data.subjects),
        answers=answers,
        not_applicable=counts,
        table=likert_table(answers, data.asked, data.known),
    )


def panels_first(answers: AnswerTable, panels: list[str], selection: Selection) -> list[str]:
    """The countries of the panels, then those that only answers name; the chosen one alone."""
    if selection.panel:
        return [selection.panel]
    return [*panels, *(code for code in np.unique(answers.country).tolist() if code not in panels)]


def latest_done_runs(study: Study) -> list[MetricRun]:
    """The run of each metric that reports read: the chosen one, else the newest that is done."""
    return runs_for_reports(study)


def _scored_run(run: MetricRun) -> ScoredRun:
    return ScoredRun(
        id=run.pk,
        **{name: getattr(run, name) for name in RUN_FIELDS},
        finished_at=run.finished_at,
        runs=run.study.metric_runs.filter(metric=run.metric, state=WorkState.DONE).count(),
        outdated=inputs_have_changed(run),
    )


def _shown_to(
    study: Study, countries: list[str], items: dict[int, RatedItem]
) -> dict[str, frozenset[int]]:
    shown = defaultdict(set)
    members = UnitItem.objects.filter(unit__study=study).values_list("unit__country", "item_id")
    for country, item in members:
        if item in items:
            shown[country].add(item)
    return {code: frozenset(shown[code] | shown[""]) for code in countries}
