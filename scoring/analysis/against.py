"""Metrics against people: every metric held against every question it is meant for, and more.

A pair that the plan names (a target) gets every level, part, line and item; any other pair the
pooled coefficient and that of each country. All coefficients of one pair and level share their
draws: prompts (or items), and each item's ratings within it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from scoring.analysis.against_levels import (
    adjust_rows,
    averages_of,
    levels_of,
    slices_of,
)
from scoring.analysis.differences import comparing_words, differences_of
from scoring.analysis.directions import direction_checks
from scoring.analysis.gather import StudyData
from scoring.analysis.gold import label_tables
from scoring.analysis.heat import heat_of
from scoring.analysis.judges import judge_table
from scoring.analysis.paired import Held, Units, held_series, units_in_panels, units_of_items
from scoring.analysis.parts.against import Against, PlannedCorrelation, QuestionAgainst, Row
from scoring.analysis.parts.left_out import MOST_LISTED, LeftOutUnits
from scoring.analysis.planned import planned_correlation
from scoring.analysis.reason_words import sentence_of
from scoring.analysis.scattering import scatter_of
from scoring.analysis.score_data import score_data
from scoring.analysis.series import NO_RATING, HumanSeries, ScoreData
from scoring.analysis.targets import bears_name_of, targets_of
from scoring.stats.ceiling import LeaveOneOut, human_ceiling, leave_one_out, mean_pairwise
from scoring.stats.rated_items import RatedItems
from scoring.stats.slots import SlotAgreement, slot_agreement

RATERS_DRAWN = "each item's ratings are drawn anew from its own"


def against_part(
    *,
    data: StudyData,
    groups: tuple[str, ...],
    replicates: int,
    on_step: Callable[[], None],
) -> Against:
    """Every metric against people. `groups` are not needed: panels are those of the questions."""
    return against_people(data=score_data(data), replicates=replicates, on_step=on_step)


def against_people(*, data: ScoreData, replicates: int, on_step: Callable[[], None]) -> Against:
    """The same from series that were read already."""
    planned = planned_correlation(data.facts.plan)
    held = held_series(data)
    questions = tuple(
        _Question(data, human, held, planned, replicates, on_step).compared()
        for human in data.humans
    )
    return Against(
        planned=planned,
        questions=questions,
        heat=heat_of(
            data=data, held=held, questions=questions, planned=planned, replicates=replicates,
            on_step=on_step,
        ),
        directions=direction_checks(questions, planned.methods[0]),
        labels=label_tables(data),
        comparing=comparing_words(questions),
        raters_drawn=RATERS_DRAWN,
    )  # fmt: skip


class _Question:
    """One question with its units, and the metrics that are held against it."""

    def __init__(
        self,
        data: ScoreData,
        human: HumanSeries,
        held: tuple[Held, ...],
        planned: PlannedCorrelation,
        replicates: int,
        on_step: Callable[[], None],
    ) -> None:
        self.data, self.human, self.planned = data, human, planned
        self.replicates, self.on_step = replicates, on_step
        self.items = units_of_items(data, human)
        self.panels = units_in_panels(data, human)
        self.held = [(one, self._is_target(one)) for one in held if self._is_wanted(one)]
        # A metric with a label for each country says that people are asked about their own: what
        # people of two countries say of one item are then answers to two questions.
        own = any(one.matched for one, target in self.held if target)
        self.people = (self.panels if own else self.items).rated
        self.exchangeable = _are_exchangeable(self.people)

    def compared(self) -> QuestionAgainst:
        human = self.human
        rows = adjust_rows([self._row(one, target) for one, target in self.held], human.label)
        return QuestionAgainst(
            key=human.question,
            label=human.label,
            better=human.facts.better,
            low=human.facts.low,
            high=human.facts.high,
            ceiling=human_ceiling(items=self.people),
            pairwise=mean_pairwise(items=self.people, method=self.planned.methods[0]),
            slots=self._slots(self.people) if self.exchangeable else None,
            one_person=_one_person(rows),
            exchangeable=self.exchangeable,
            rows=rows,
            differences=differences_of(
                question=human,
                rows=rows,
                held={one.facts.key: one for one, _ in self.held},
                items=self.items,
                panels=self.panels,
                planned=self.planned,
                replicates=self.replicates,
                seed=self.data.seed,
                on_step=self.on_step,
            ),
            judges=tuple(
                table
                for one, target in self.held
                if target and (table := judge_table(human, one, self.items)) is not None
            ),
        )

    def _questions(self) -> list[str]:
        return [human.question for human in self.data.humans]

    def _is_target(self, held: Held) -> bool:
        targets = targets_of(self.data.facts.plan.targets, held.facts, self._questions())
        whole = not held.facts.dimension or bears_name_of(held.facts, self.human.question)
        return whole and self.human.question in targets

    def _is_wanted(self, held: Held) -> bool:
        """Whole metrics; of dimensions, those whose metric the plan holds against the question."""
        if not held.facts.dimension:
            return True
        targets = targets_of(self.data.facts.plan.targets, held.facts, self._questions())
        return self.human.question in targets

    def _row(self, held: Held, target: bool) -> Row:
        units = self.panels if held.matched else self.items
        items = units.scored(held)
        like_for_like = target and not self.exchangeable
        row = Row(
            series=held.facts,
            is_target=target,
            matched=held.matched,
            levels=levels_of(
                held=held, items=self.items, panels=self.panels, planned=self.planned,
                target=target, replicates=self.replicates, seed=self.data.seed,
            ),
            slices=slices_of(
                data=self.data, held=held, items=self.items, panels=self.panels,
                planned=self.planned, target=target, replicates=self.replicates,
            ),
            averages=averages_of(held=held, panels=self.panels, data=self.data),
            left_out=_left_out(self.data, held, units, items),
            leave_one_out=self._like_for_like(items) if like_for_like else None,
            slots=self._slots(items) if target and self.exchangeable else None,
            scatter=scatter_of(self.data, self.human, held, units, items) if target else None,
        )  # fmt: skip
        self.on_step()
        return row

    def _like_for_like(self, items: RatedItems) -> LeaveOneOut | None:
        """One person against the others, where anybody shares an item with others."""
        return leave_one_out(items=items, method=self.planned.methods[0])

    def _slots(self, items: RatedItems) -> SlotAgreement | None:
        """Agreement of exchangeable slots; none where answers are no declared points."""
        if not self.human.points or self.human.repeats:
            return None
        return slot_agreement(
            items=items,
            categories=self.human.points,
            method=self.planned.methods[0],
            seed=self.data.seed,
        )


def _are_exchangeable(items: RatedItems) -> bool:
    """Two different people an item: never more than two ratings, by more than two people in all."""
    most = max(Counter(items.item.tolist()).values(), default=0)
    return most == 2 and (items.n_raters or 0) > 2


def _one_person(rows: Sequence[Row]) -> float | None:
    """One person against the rest, as the first target that has it says."""
    lines = (row.leave_one_out for row in rows if row.is_target)
    return next((one.human for one in lines if one is not None and one.human is not None), None)


def _left_out(
    data: ScoreData, held: Held, units: Units, items: RatedItems
) -> tuple[LeftOutUnits, ...]:
    """The units that could not be paired, by reason; one without either counts as not rated."""
    places: dict[str, list[int]] = {}
    for place, mean in enumerate(items.mean.tolist()):
        value, reason = held.score(units.item[place], units.country[place])
        if mean != mean:  # nan: nobody rated it
            places.setdefault(NO_RATING, []).append(place)
        elif value is None:
            places.setdefault(reason, []).append(place)
    return tuple(
        _listed(data, units, reason, of_reason) for reason, of_reason in sorted(places.items())
    )


def _listed(data: ScoreData, units: Units, reason: str, places: Sequence[int]) -> LeftOutUnits:
    listed = [(units.item[place], units.country[place]) for place in places[:MOST_LISTED]]
    return LeftOutUnits(
        reason=reason,
        sentence=sentence_of(reason),
        items=len(places),
        item=tuple(item for item, _ in listed),
        name=tuple(data.items[item].name for item, _ in listed),
        country=tuple(country for _, country in listed),
    )
