"""Answers of each kind coded for the statistics engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from annotation.ratings import NO_VALUE, NOTHING, AnswerTable
from scoring.analysis.asked import AskedQuestion
from scoring.analysis.gather import StudyData
from scoring.analysis.narrowing import subject_codes
from scoring.analysis.prompts import prompt_clusters
from scoring.analysis.report import POOLED
from scoring.stats.counts import CodedRatings, code_ratings
from scoring.stats.rankings import Rankings, code_rankings
from scoring.stats.scale import Scale, declare_scale
from scoring.stats.sets import set_scale

Codes = npt.NDArray[np.int64]

SLIDER = range(101)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Judged:
    """Coded ratings with the answer each came from: the i-th of `answers` is that of the i-th
    rating (of a set or a ranking, one of its rows)."""

    ratings: CodedRatings
    answers: AnswerTable


def answers_to(
    data: StudyData, question: AskedQuestion, group: str = POOLED, dimension: str = ""
) -> AnswerTable:
    """The answers to one question by a group's annotators, about probes or descriptors of one
    dimension where one is named."""
    answers = data.answers
    chosen = answers.question == question.id
    if group != POOLED:
        chosen &= answers.country == group
    if dimension:
        chosen &= dimension_of(data, answers) == dimension
    return answers.only(chosen)


def dimension_of(data: StudyData, answers: AnswerTable) -> npt.NDArray[np.str_]:
    """The dimension of what each answer is about, "" without one."""
    of_probes = _looked_up(answers.probe, data.subjects.probes)
    of_descriptors = _looked_up(answers.descriptor, data.subjects.descriptors)
    return np.where(answers.probe != NOTHING, of_probes, of_descriptors)


def by_group_and_dimension(
    data: StudyData, answers: AnswerTable, groups: Sequence[str]
) -> Iterator[tuple[str, str, AnswerTable]]:
    """(group, dimension, its answers): of each group all dimensions together, then one by one."""
    dimensions = dimension_of(data, answers)
    named = [name for name in np.unique(dimensions).tolist() if name]
    for group in groups:
        own = np.ones(answers.size, dtype=bool) if group == POOLED else answers.country == group
        for dimension in ("", *named):
            within = own & (dimensions == dimension) if dimension else own
            yield group, dimension, answers.only(within)


def scale_of(question: AskedQuestion) -> Scale:
    """The scale that a question declares, in the order of its points."""
    values = [value for value, _ in question.points] if question.kind != "slider" else list(SLIDER)
    return declare_scale(level=question.level, categories=values)  # type: ignore[arg-type]


def scored(data: StudyData, question: AskedQuestion, answers: AnswerTable) -> Judged:
    """Single answers on a scale: Likert, yes or no, a choice, a slider, verdicts on descriptors.

    Units of one prompt share a cluster where there are enough prompts to draw from. Raises
    UnknownCategoryError for an answer that is no point of the scale.
    """
    rows = np.flatnonzero(_on_scale(question, answers))
    scale = scale_of(question)
    distinct, inverse = np.unique(answers.value[rows], return_inverse=True)
    codes = np.array([scale.code(int(value)) for value in distinct], dtype=np.intp)
    return _judged(data, answers, rows, codes[inverse] if rows.size else rows, scale)


def coverage(data: StudyData, question: AskedQuestion, answers: AnswerTable) -> Judged:
    """How complete people called each list of descriptors, on the scale that is declared for it."""
    rated = replace(question, kind="likert", level="ordinal", points=question.scale)
    whole = answers.only(answers.descriptor == NOTHING)
    return scored(data, rated, whole)


def chosen_sets(data: StudyData, question: AskedQuestion, answers: AnswerTable) -> Judged:
    """Multi-selects as sets of models; of places in the unit where a unit shows a model twice."""
    names = item_names(data, answers)
    key = answers.screen * (int(answers.probe.max(initial=0)) + 2) + answers.probe + 1
    _, first, judgement = np.unique(key, return_index=True, return_inverse=True)
    members: list[set[str]] = [set() for _ in first]
    for row in np.flatnonzero(answers.value == 1).tolist():
        members[judgement[row]].add(names[row])
    sets = [frozenset(one) for one in members]
    scale = set_scale(found=sets, options=sorted(set(names)))
    codes = np.array([scale.code_of_set(one) for one in sets], dtype=np.intp)
    return _judged(data, answers, first, codes, scale, without_item=True)


def item_names(data: StudyData, answers: AnswerTable) -> list[str]:
    """The model of each answer's item; its place in the unit where models do not tell the items of
    every unit apart."""
    names = {}
    for unit in np.unique(answers.unit).tolist():
        members = data.subjects.members.get(int(answers.units[unit]), ())
        systems = [data.known[item].system if item in data.known else "" for item in members]
        if "" in systems or len(set(systems)) < len(systems):
            names = {}
            break
        names |= {(unit, item): system for item, system in zip(members, systems, strict=True)}
    if not names:
        names = dict(_places(data, answers))
    pairs = zip(answers.unit.tolist(), answers.item.tolist(), strict=True)
    return [names.get(pair, "?") for pair in pairs]


def ranked(data: StudyData, answers: AnswerTable) -> tuple[Rankings, tuple[str, ...]]:
    """Rankings unit by unit, and the names of what is ranked (`item_names`)."""
    names = item_names(data, answers)
    distinct = tuple(sorted(set(names)))
    number = {name: place for place, name in enumerate(distinct)}
    rankings = code_rankings(
        rater=answers.rater,
        prompt=answers.unit,
        item=np.array([number[name] for name in names], dtype=np.intp),
        rank=answers.value.astype(np.float64),
        n_items=len(distinct),
    )
    return rankings, distinct


def _places(data: StudyData, answers: AnswerTable) -> Iterator[tuple[tuple[int, int], str]]:
    for unit in np.unique(answers.unit).tolist():
        members = data.subjects.members.get(int(answers.units[unit]), ())
        for place, item in enumerate(members, start=1):
            yield (unit, item), f"Place {place}"


def _on_scale(question: AskedQuestion, answers: AnswerTable) -> npt.NDArray[np.bool_]:
    given = answers.value != NO_VALUE
    return given & (answers.descriptor != NOTHING) if question.kind == "descriptors" else given


def _judged(
    data: StudyData,
    answers: AnswerTable,
    rows: Codes,
    category: npt.NDArray[np.intp],
    scale: Scale,
    *,
    without_item: bool = False,
) -> Judged:
    cut = replace(answers, item=np.full_like(answers.item, NOTHING)) if without_item else answers
    unit, n_units = subject_codes(cut, rows)
    return Judged(
        ratings=code_ratings(
            unit=unit,
            rater=answers.rater[rows],
            category=category,
            scale=scale,
            cluster=_clusters(data, answers, rows, unit, n_units),
        ),
        answers=answers.only(rows),
    )


def _clusters(
    data: StudyData, answers: AnswerTable, rows: Codes, unit: Codes, n_units: int
) -> npt.NDArray[np.intp] | None:
    """The prompt of each answer's unit, where whole prompts are to be drawn."""
    if not rows.size:
        return None
    of_answer = data.facts.of(answers.only(rows), "cluster")
    # A unit whose items have no prompt in common is a prompt of its own.
    alone = of_answer == ""
    codes = np.unique(of_answer, return_inverse=True)[1].astype(np.intp)
    codes[alone] = codes.max() + 1 + answers.unit[rows][alone]
    of_unit = np.zeros(n_units, dtype=np.intp)
    of_unit[unit] = codes
    drawn = prompt_clusters(of_unit)
    return None if drawn is None else drawn[unit]


def _looked_up(column: Codes, known: dict) -> npt.NDArray[np.str_]:
    distinct, place = np.unique(column, return_inverse=True)
    names = [known[pk].dimension if pk in known else "" for pk in distinct.tolist()]
    return np.array(names, dtype=np.str_)[place] if distinct.size else np.empty(0, dtype=np.str_)


def orders(data: StudyData, question: AskedQuestion, answers: AnswerTable) -> Judged:
    """Rankings as categories: the same order, or another one."""
    by_place = answers.only(np.lexsort((answers.value, answers.screen)))
    names = item_names(data, by_place)
    _, first = np.unique(by_place.screen, return_index=True)
    said = [" > ".join(part) for part in _split(names, first.tolist())]
    distinct = sorted(set(said))
    number = {order: code for code, order in enumerate(distinct)}
    scale = declare_scale(level="nominal", categories=distinct)
    codes = np.array([number[order] for order in said], dtype=np.intp)
    return _judged(data, by_place, first, codes, scale, without_item=True)


def _split(names: list[str], starts: list[int]) -> list[list[str]]:
    """The names from each start up to the next."""
    ends = [*starts[1:], len(names)]
    return [names[a:b] for a, b in zip(starts, ends, strict=False)]


def judged(data: StudyData, question: AskedQuestion, answers: AnswerTable) -> Judged:
    """Answers of any kind as one category each."""
    code = {"multi": chosen_sets, "ranking": orders}.get(question.kind, scored)
    return code(data, question, answers)
