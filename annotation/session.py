"""What a session holds besides new units: repeats, attention checks, orders of items. All seeded.

Nothing is written here. The plan follows from the person's seed; what really happened (a screen
skipped, a pool run dry) moves it as little as possible.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from annotation.models import Participation
from annotation.unit_facts import shown_order
from studies.design import Design
from studies.designs import check_positions, possible_repeats, repeat_positions
from studies.models import UnitItem


@dataclass(frozen=True, slots=True)
class Repeat:
    """A sent screen that is due to be shown again."""

    of: int
    unit: int


def session_length(*, design: Design, n_units: int) -> tuple[int, int]:
    """Screens of a session with so many different units, and how many of them are repeats."""
    n_repeats = possible_repeats(n_units=n_units, n_repeats=design.repeats, gap=design.repeat_gap)
    return n_units + n_repeats, n_repeats


def planned_repeats(person: Participation, design: Design) -> list[int]:
    """The screens that are to show an earlier unit again."""
    if not person.n_repeats:
        return []
    return repeat_positions(
        n_units=person.n_units - person.n_repeats,
        n_repeats=person.n_repeats,
        gap=design.repeat_gap,
        seed=person.seed,
    )


class Course:
    """How far a session with repeats has come."""

    def __init__(self, person: Participation, design: Design, n: int):
        self.person, self.design, self.n = person, design, n
        rows = person.assignments.order_by("n") if person.n_repeats else person.assignments.none()
        self.rows = list(rows.values_list("pk", "n", "unit_id", "repeat_of_id", "submitted_at"))
        self.repeated = {of for _, _, _, of, _ in self.rows if of is not None}

    @property
    def wants_new(self) -> bool:
        """Whether a new unit may come: repeats that fell out are not made up for by others."""
        person = self.person
        return (
            len(self.rows) - len(self.repeated) < person.n_units - person.n_repeats
            or not person.n_repeats
        )

    def repeat(self, *, no_more_new: bool = False) -> Repeat | None:
        """The screen to show again now: where one is planned, or where no new unit is left.

        Only screens that were sent are repeated, once each, and with the study's gap between.
        """
        person = self.person
        planned = planned_repeats(person, self.design)
        due = sum(position <= self.n for position in planned) - len(self.repeated)
        if due <= 0 and not no_more_new:
            return None
        if len(self.repeated) >= person.n_repeats:
            return None
        early_enough = [
            Repeat(pk, unit)
            for pk, n, unit, of, submitted in self.rows
            if of is None
            and submitted is not None
            and pk not in self.repeated
            and n + self.design.repeat_gap < self.n
        ]
        if not early_enough:
            return None
        return random.Random(f"{person.seed}:{self.n}").choice(early_enough)


def check_for(person: Participation, design: Design, n: int, *, is_repeat: bool) -> int | None:
    """The id of the attention check on the n-th screen of this person, if there is one.

    A check whose screen was skipped comes on the next one, and so does one that met a repeat; but
    never on the last.
    """
    checks = [check.id for check in design.checks]
    if not checks or n >= person.n_units or (is_repeat and n < person.n_units - 1):
        return None
    random.Random(person.seed).shuffle(checks)
    positions = check_positions(
        n_units=person.n_units,
        n_checks=len(checks),
        seed=person.seed,
        avoid=planned_repeats(person, design),
    )
    placed = zip(positions, checks, strict=False)
    due = [check for position, check in placed if position <= n]
    if not due:
        return None
    met = set(
        person.assignments.filter(skipped_at=None, attention_check__in=due).values_list(
            "attention_check", flat=True
        )
    )
    return next((check for check in due if check not in met), None)


def item_order(
    person: Participation, design: Design, unit: int, n: int, *, is_repeat: bool
) -> list[int]:
    """The unit's items in this screen's own order, where the study shuffles them; else empty."""
    if design.items_per_unit == 1 or not design.shuffle_items:
        return []
    items = list(UnitItem.objects.filter(unit=unit).values_list("item_id", flat=True))
    # A repeat is shuffled anew: the same order would help to remember the answer.
    seed = person.seed + n if is_repeat else person.seed
    return shown_order(items=items, seed=seed, unit=unit)
