"""What a session holds besides new units: repeats, attention checks, orders of items. All seeded.

Nothing is written here. The plan follows from the person's seed; what really happened (a screen
skipped, a pool run dry) moves it as little as possible.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from annotation.models import Assignment, Participation
from annotation.prepared import INTEGERS, Prepared
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


def n_repeated(person: Participation) -> int:
    """How many screens have shown an earlier unit again so far."""
    return len(_REPEATS.rows(person.pk)) if person.n_repeats else 0


_REPEATS = Prepared(
    lambda person: (
        Assignment.objects.filter(participation=person, repeat_of__isnull=False)
        .order_by()
        .values_list("pk")
    ),
    INTEGERS[0],
)


def wants_new(person: Participation, n: int) -> bool:
    """Whether a new unit may come on the n-th screen.

    Repeats that fell out, because their units were skipped, are not made up for by new units.
    """
    return n - 1 - n_repeated(person) < person.n_units - person.n_repeats


def due_repeat(
    person: Participation, design: Design, n: int, *, no_more_new: bool = False
) -> Repeat | None:
    """The sent screen to show again now: where one is planned, or where no new unit is left.

    Only what was sent is repeated, once, and with the study's gap between.
    """
    if not person.n_repeats:
        return None
    n_due = person.n_repeats
    if not no_more_new:
        n_due = sum(position <= n for position in planned_repeats(person, design))
    screens = person.assignments.order_by("n")
    if not n_due or n_repeated(person) >= n_due:
        return None
    early_enough = screens.filter(
        repeat_of=None, submitted_at__isnull=False, repeats=None, n__lt=n - design.repeat_gap
    )
    rows = list(early_enough.values_list("pk", "unit_id"))
    if not rows:
        return None
    return Repeat(*random.Random(f"{person.seed}:{n}").choice(rows))


_CHECKS_MET = Prepared(
    lambda person: (
        Assignment.objects.filter(
            participation=person, attention_check__isnull=False, skipped_at=None
        )
        .order_by()
        .values_list("attention_check")
    ),
    INTEGERS[0],
)


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
    met = {check for (check,) in _CHECKS_MET.rows(person.pk)}
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
