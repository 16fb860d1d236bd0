"""How far people agree with themselves, from screens that they were shown again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from annotation.ratings import AnswerTable, Layer
from scoring.analysis.asked import AskedQuestion
from scoring.analysis.coding import judged
from scoring.analysis.gather import StudyData, with_answers
from scoring.analysis.parts.agreement import SelfLine
from scoring.stats.clustered import clustered_mean
from scoring.stats.consistency import SelfConsistency, self_consistency

Codes = npt.NDArray[np.int64]


def self_lines(data: StudyData, question: AskedQuestion) -> tuple[SelfLine, ...]:
    """Everybody together, then each person who answered a unit again; empty without repeats."""
    both = _joined(data, question)
    if both is None:
        return ()
    given = judged(with_answers(data, both), question, both)
    ratings = given.ratings
    # A first and a second answer of one person are two raters to the coding; here they are one.
    names = [given.answers.raters[who].code for who in given.answers.rater.tolist()]
    people = sorted(set(names))
    number = {name: code for code, name in enumerate(people)}
    rater = np.array([number[name] for name in names], dtype=np.intp)
    weights = "quadratic" if ratings.scale.level != "nominal" else "identity"
    if ratings.scale.members is not None:
        weights = "jaccard"
    lines = self_consistency(
        unit=ratings.unit,
        rater=rater,
        category=ratings.category,
        scale=ratings.scale,
        weights=weights,
    )
    pooled, *single = [line for line in lines if line.rater is None or line.n_repeats]
    interval = _interval(ratings.unit, rater, ratings.category)
    return (
        replace(_line("", pooled), interval=interval),
        *(_line(people[line.rater or 0], line) for line in single),
    )


def _line(rater: str, line: SelfConsistency) -> SelfLine:
    return SelfLine(
        rater=rater,
        n_units=line.n_units,
        n_repeats=line.n_repeats,
        exact=line.exact,
        within_one=line.within_one,
        kappa=line.kappa,
        interval=None,
        reason=line.reason,
    )


def _interval(unit: Codes, rater: Codes, category: Codes):
    """Of the share of answers that are the same the second time; people and units alike."""
    order = np.lexsort((np.arange(unit.size), unit, rater))
    again = (np.diff(unit[order]) == 0) & (np.diff(rater[order]) == 0)
    same = (category[order][:-1] == category[order][1:])[again]
    return clustered_mean(
        values=same.astype(np.float64),
        rater=rater[order][:-1][again],
        prompt=unit[order][:-1][again],
        bounds=(0.0, 1.0),
    ).interval


def _joined(data: StudyData, question: AskedQuestion) -> AnswerTable | None:
    """First and second answers of those who were shown units again, in one table; the second ones
    as if by other people, since a person rates a unit once."""
    later = data.repeats.in_layer(Layer(data.selection.layer))
    later = later.only(later.question == question.id)
    earlier = data.answers.only(data.answers.question == question.id)
    if not later.size or not earlier.size:
        return None
    keys = set(zip(_codes(later), later.units[later.unit].tolist(), strict=True))
    repeated = [
        pair in keys
        for pair in zip(_codes(earlier), earlier.units[earlier.unit].tolist(), strict=True)
    ]
    first = earlier.only(np.array(repeated, dtype=bool))
    if not first.size:
        return None
    return _stacked(first, later)


def _codes(answers: AnswerTable) -> list[str]:
    return [answers.raters[who].code for who in answers.rater.tolist()]


def _stacked(first: AnswerTable, second: AnswerTable) -> AnswerTable:
    """Two tables as one: units by their id, the people of the second after those of the first."""
    units = np.union1d(first.units, second.units)
    screens = replace(
        first.screens,
        id=np.concatenate([first.screens.id, second.screens.id]),
        unit=np.concatenate(
            [np.searchsorted(units, table.units)[table.screens.unit] for table in (first, second)]
        ),
        rater=np.concatenate([first.screens.rater, second.screens.rater + len(first.raters)]),
        at=np.concatenate([first.screens.at, second.screens.at]),
        out=np.concatenate([first.screens.out, second.screens.out]),
        counted=np.concatenate([first.screens.counted, second.screens.counted]),
    )
    columns = ("question", "item", "probe", "descriptor", "value", "not_applicable", "has_text")
    return AnswerTable(
        screen=np.concatenate([first.screen, second.screen + first.screens.id.size]),
        **{name: np.concatenate([getattr(first, name), getattr(second, name)]) for name in columns},
        screens=screens,
        units=units,
        raters=(*first.raters, *second.raters),
    )
