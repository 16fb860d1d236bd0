"""The questions of one screen, loaded once: what reading and drawing both start from."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.asking import asked, tiers
from annotation.kinds import Asked
from annotation.models import Assignment
from annotation.unit_facts import UnitFacts, load_facts, load_facts_of_many, shown_order
from studies.design import CheckSpec, Design
from studies.models import Unit


@dataclass(frozen=True)
class Sheet:
    design: Design
    facts: UnitFacts
    rows: tuple[Asked, ...]
    check: CheckSpec | None = None

    @property
    def tiers(self) -> list[int]:
        return tiers(self.rows)


def sheet_of(*, assignment: Assignment, design: Design) -> Sheet:
    """The sheet a person was given, in the order in which it was made."""
    facts = load_facts(
        unit=assignment.unit_id,
        design=design,
        order=assignment.item_order,
        seed=f"{assignment.participation.seed}:{assignment.unit_id}",
    )
    check = check_of(design, assignment)
    return _sheet(design, facts, check, assignment.pk)


def sheets_of(*, assignments: Sequence[Assignment], design: Design) -> dict[int, Sheet]:
    """``sheet_of`` for many screens by their ids, in three queries, for looking at what was sent.

    Without reference pictures of cultural elements. The screens come with their participations.
    """
    facts = load_facts_of_many(
        shown={
            row.pk: (row.unit_id, row.item_order, f"{row.participation.seed}:{row.unit_id}")
            for row in assignments
        },
        design=design,
    )
    return {
        row.pk: _sheet(design, facts[row.pk], check_of(design, row), row.pk) for row in assignments
    }


def preview_sheet(*, unit: Unit, n: int, design: Design) -> Sheet:
    """The sheet as somebody would get it; the first attention check is on the second screen."""
    facts = load_facts(unit=unit.pk, design=design, seed="preview")
    check = design.checks[0] if design.checks and n == 2 else None
    return _sheet(design, facts, check, 0)


def practice_sheet(*, unit: int, design: Design, seed: int) -> Sheet:
    """A practice screen: never with an attention check."""
    facts = load_facts(unit=unit, design=design, seed=f"{seed}:{unit}")
    if facts.only_item is None and design.shuffle_items:
        order = shown_order(items=[item.pk for item in facts.items], seed=seed, unit=unit)
        facts = load_facts(unit=unit, design=design, order=order, seed=f"{seed}:{unit}")
    return _sheet(design, facts, None, 0)


def _sheet(design: Design, facts: UnitFacts, check: CheckSpec | None, seed: int) -> Sheet:
    rows = asked(design=design, facts=facts, check=check, check_after=_check_slot(design, seed))
    return Sheet(design=design, facts=facts, rows=rows, check=check)


def check_of(design: Design, assignment: Assignment) -> CheckSpec | None:
    wanted = assignment.attention_check_id
    return next((check for check in design.checks if check.id == wanted), None)


def _check_slot(design: Design, seed: int) -> int:
    """After how many of the questions of its kind the check stands: not always at one place."""
    n_scales = sum(1 for question in design.questions if question.kind == "likert")
    return 1 + seed % max(n_scales, 1)
