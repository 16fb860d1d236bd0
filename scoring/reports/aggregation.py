"""Level and coefficient: which of the stored correlations with people a reader looks at.

The report holds every level and coefficient. A page shows one aggregation of them: the plan's, or
the one that its address names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from scoring.analysis.parts.against import (
    Against,
    LevelResult,
    PlannedCorrelation,
    QuestionAgainst,
    Row,
)
from scoring.analysis.selection import Choice
from scoring.reports.against_words import person_line, planned_results
from scoring.reports.series_words import LEVELS, METHODS, slug
from scoring.stats.ceiling import HumanCeiling

LEVEL_KEYS: Mapping[str, tuple[str, str]] = {
    "pooled": ("pooled", ""),
    "within-country": ("within", "country"),
    "centred": ("centred", "country"),
    "within-system": ("within", "system"),
    "system": ("system", "system"),
}
"""A level as an address names it -> (level, what its groups are)."""

ASKS: Mapping[str, frozenset[str]] = {
    "level": frozenset(LEVEL_KEYS),
    "coefficient": frozenset(METHODS),
}
"""What an address may ask for of the coefficients, and by which values."""

Results = tuple[tuple[Row, LevelResult], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregation:
    """One coefficient at one level; `grouping` says what the groups are."""

    level: str
    grouping: str
    method: str

    @property
    def level_key(self) -> str:
        return next(key for key, at in LEVEL_KEYS.items() if at == (self.level, self.grouping))

    @property
    def words(self) -> str:
        """ "Spearman's rho, items pooled"."""
        return f"{METHODS[self.method]}, {LEVELS[self.level, self.grouping]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A question's targets at one aggregation, the coefficient furthest from 0 first.

    `person` and `ceiling` are people's own lines, None where they are no measure of these
    coefficients: one person's line is by the plan's first method, and both are about items.
    """

    aggregation: Aggregation
    results: Results
    person: float | None
    ceiling: HumanCeiling | None

    @property
    def defined(self) -> Results:
        return tuple(pair for pair in self.results if pair[1].correlation.value is not None)


def planned_aggregation(against: Against) -> Aggregation:
    """The plan's level and first method; items pooled where the data have no groups for it."""
    planned = against.planned
    there = (planned.level, planned.grouping) in levels_in(against)
    level, grouping = (planned.level, planned.grouping) if there else ("pooled", "")
    return Aggregation(level=level, grouping=grouping, method=planned.methods[0])


def aggregation_asked(against: Against, asked: Mapping[str, str]) -> Aggregation:
    """What an address asks for (values of `ASKS`); what it does not name is the plan's."""
    planned = planned_aggregation(against)
    level, grouping = LEVEL_KEYS[asked.get("level", planned.level_key)]
    method = asked.get("coefficient", planned.method)
    return Aggregation(level=level, grouping=grouping, method=method)


def levels_in(against: Against) -> list[tuple[str, str]]:
    """The levels that any metric has, in the order of `LEVEL_KEYS`."""
    there = {
        (one.correlation.level, one.grouping)
        for question in against.questions
        for row in question.rows
        for one in row.levels
    }
    return [at for at in LEVEL_KEYS.values() if at in there]


def aggregation_choices(
    against: Against, asked: Mapping[str, str]
) -> tuple[tuple[Choice, str], ...]:
    """The menus of level and coefficient, each with what is chosen."""
    chosen, planned = aggregation_asked(against, asked), planned_aggregation(against)
    there = [*levels_in(against), (chosen.level, chosen.grouping)]
    levels = tuple(
        (key, _capital(LEVELS[at]) + _if_planned(_names_level(against, at)))
        for key, at in LEVEL_KEYS.items()
        if at in there
    )
    methods = tuple(
        (one, METHODS[one] + _if_planned(bool(against.planned.asked) and one == planned.method))
        for one in against.planned.methods
    )
    return (
        (Choice(name="level", label="Level", options=levels), chosen.level_key),
        (Choice(name="coefficient", label="Coefficient", options=methods), chosen.method),
    )


def results_at(rows: tuple[Row, ...], aggregation: Aggregation) -> Results:
    """The rows that have the aggregation, the coefficient furthest from 0 first."""
    found = [
        (row, one)
        for row in rows
        if (one := row.level(aggregation.level, aggregation.method, aggregation.grouping))
    ]
    return tuple(sorted(found, key=lambda pair: -abs(pair[1].correlation.value or 0.0)))


def found_at(
    question: QuestionAgainst, planned: PlannedCorrelation, aggregation: Aggregation
) -> Found:
    """What the question's targets have at an aggregation."""
    return _found(question, planned, aggregation, results_at(question.targets, aggregation))


def planned_found(question: QuestionAgainst, planned: PlannedCorrelation) -> Found:
    """Each target as the plan names it, pooled where the data have no groups for its level."""
    results = tuple(planned_results(question))
    there = {(one.correlation.level, one.grouping) for _, one in results}
    level, grouping = there.pop() if len(there) == 1 else (planned.level, planned.grouping)
    aggregation = Aggregation(level=level, grouping=grouping, method=planned.methods[0])
    return _found(question, planned, aggregation, results)


def other_aggregations(
    question: QuestionAgainst, planned: PlannedCorrelation
) -> Iterator[tuple[str, Found]]:
    """(name of its chart, what is found) at every aggregation but the planned one."""
    for level, grouping in LEVEL_KEYS.values():
        for method in planned.methods:
            at = Aggregation(level=level, grouping=grouping, method=method)
            found = found_at(question, planned, at)
            key = forest_key(question, found)
            if found.results and key != planned_key(question):
                yield key, found


def planned_key(question: QuestionAgainst) -> str:
    """The name of the chart at the planned aggregation."""
    return f"against-{slug(question.key)}"


def forest_key(question: QuestionAgainst, found: Found) -> str:
    """The name of a question's chart at an aggregation: the planned one where it shows the same."""
    if list(found.results) == planned_results(question):
        return planned_key(question)
    at = found.aggregation
    return f"{planned_key(question)}--{at.level_key}-{at.method}"


def countries_key(question: QuestionAgainst, planned: PlannedCorrelation, method: str) -> str:
    """The name of the chart of a question by country."""
    key = f"countries-{slug(question.key)}"
    return key if method == planned.methods[0] else f"{key}--{method}"


def _found(
    question: QuestionAgainst,
    planned: PlannedCorrelation,
    aggregation: Aggregation,
    results: Results,
) -> Found:
    of_items = aggregation.level != "system"
    same = aggregation.method == planned.methods[0]
    return Found(
        aggregation=aggregation,
        results=results,
        person=person_line(question) if of_items and same else None,
        ceiling=question.ceiling if of_items else None,
    )


def _names_level(against: Against, at: tuple[str, str]) -> bool:
    planned = against.planned
    return bool(planned.named) and at == (planned.level, planned.grouping)


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _if_planned(planned: bool) -> str:
    return " (planned)" if planned else ""
