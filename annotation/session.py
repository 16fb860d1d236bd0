"""What a session holds besides new units: repeats, gold units, attention checks, orders of items.

Nothing is written here. The plan follows from the person's seed; what really happened (a screen
skipped, a pool run dry) moves it as little as possible.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from annotation.models import Assignment, Participation
from annotation.prepared import INTEGERS, Prepared
from annotation.session_plan import SessionPlan, plan_session
from annotation.unit_facts import shown_order
from studies.design import Design
from studies.designs import possible_repeats
from studies.models import UnitItem


@dataclass(frozen=True, slots=True)
class Repeat:
    """A sent screen that is due to be shown again."""

    of: int
    unit: int


def session_length(*, design: Design, n_units: int, country: str = "") -> tuple[int, int]:
    """Screens of a session with so many units of the pool, and how many of them are repeats.

    Gold units of the panel's ``country`` come on top: they take no unit's place.
    """
    n_repeats = possible_repeats(n_units=n_units, n_repeats=design.repeats, gap=design.repeat_gap)
    n_gold = min(design.gold_per_session, len(_gold_of(design, country)))
    screens = n_units + n_repeats
    return screens + n_gold * (screens >= 2), n_repeats


def plan_of(person: Participation, design: Design) -> SessionPlan:
    """Where the repeats, gold units and attention checks of this person's session stand."""
    with_gold = design.gold_per_session and person.panel is not None
    return plan_session(
        person.seed,
        person.n_units,
        person.n_repeats,
        design.repeat_gap,
        design.gold_per_session,
        tuple(_gold_of(design, person.panel.country)) if with_gold else (),
        tuple(check.id for check in design.checks),
    )


# ---- gold units


def _gold_of(design: Design, country: str) -> list[int]:
    return [spec.unit for spec in design.gold if spec.country in ("", country)]


_GOLD = Prepared(
    lambda person: (
        Assignment.objects.filter(participation=person, gold=True).order_by().values_list("pk")
    ),
    INTEGERS[0],
)


def n_gold_shown(person: Participation, design: Design) -> int:
    """How many gold screens there were so far; one that was skipped does not come again."""
    return len(_GOLD.rows(person.pk)) if plan_of(person, design).gold else 0


def due_gold(person: Participation, design: Design, n: int) -> int | None:
    """The gold unit to show on the n-th screen, where one is due. Never on the last."""
    plan = plan_of(person, design)
    if not plan.gold or n >= person.n_units:
        return None
    n_due = sum(position <= n for position in plan.gold_at)
    n_shown = n_gold_shown(person, design) if n_due else 0
    return plan.gold[n_shown] if n_shown < n_due else None


# ---- repeats


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


def wants_new(person: Participation, design: Design, n: int) -> bool:
    """Whether a new unit may come on the n-th screen.

    Repeats that fell out, because their units were skipped, are not made up for by new units.
    """
    new_units = person.n_units - person.n_repeats - len(plan_of(person, design).gold)
    if n <= new_units:
        return True
    return n - 1 - n_repeated(person) - n_gold_shown(person, design) < new_units


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
        n_due = sum(position <= n for position in plan_of(person, design).repeats_at)
    if not n_due or n_repeated(person) >= n_due:
        return None
    early_enough = person.assignments.order_by("n").filter(
        repeat_of=None,
        gold=False,
        submitted_at__isnull=False,
        repeats=None,
        n__lt=n - design.repeat_gap,
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


def check_for(person: Participation, design: Design, n: int, *, is_new: bool) -> int | None:
    """The id of the attention check on the n-th screen of this person, if there is one.

    A check whose screen was skipped comes on the next one, and so does one that met a screen which
    is not new (a repeat, a gold unit); but never on the last.
    """
    if not design.checks or n >= person.n_units or (not is_new and n < person.n_units - 1):
        return None
    due = [check for position, check in plan_of(person, design).checks if position <= n]
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
