"""What one rating screen shows, worked out from the frozen design, the unit and the answers so far.

Nothing here names a system, a file, an item id or another person.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil

from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.answers import check_field, chosen_point, field_name, is_required
from annotation.models import Assignment, Participation
from studies.design import CheckSpec, Design, QuestionSpec, filled_in
from studies.models import Item, Unit, UnitItem


@dataclass(frozen=True)
class Medium:
    url: str
    width: int
    height: int
    alt: str


@dataclass(frozen=True)
class PointView:
    value: int
    label: str
    description: str
    checked: bool


@dataclass(frozen=True)
class Card:
    """One question on the screen; attention checks are cards like any other."""

    kind: str
    name: str
    number: int
    text: str
    help: str
    required: bool
    error: str = ""
    points: tuple[PointView, ...] = ()
    value: str = ""
    min_length: int = 0
    required_if: str = ""
    required_because: int | None = None

    @property
    def described(self) -> bool:
        return any(point.description for point in self.points)


@dataclass(frozen=True)
class Screen:
    n: int
    total: int
    media: tuple[Medium, ...]
    prompt: str
    cards: tuple[Card, ...]
    submit_url: str
    problem_url: str
    help_url: str
    draft_url: str = ""
    key: str = ""
    draft_counter: int = 0
    minutes_left: int | None = None
    saved_answers: bool = False
    shortcuts: bool = True
    preview: bool = False

    @property
    def done_percent(self) -> int:
        return round(100 * (self.n - 1) / self.total) if self.total else 0

    @property
    def missing(self) -> int:
        return sum(1 for card in self.cards if card.error)


def rating_screen(
    *,
    person: Participation,
    assignment: Assignment,
    design: Design,
    data: Mapping[str, str] | None = None,
    errors: Mapping[str, str] | None = None,
) -> Screen:
    """The n-th screen of a person: with their draft, or with a refused form and its errors."""
    items = unit_items(assignment.unit_id)
    at = [person.token, assignment.n]
    return Screen(
        n=assignment.n,
        total=person.n_units,
        media=_media(items, assignment.n),
        prompt=_prompt(items),
        cards=cards(
            design,
            check_of(design, assignment),
            items[0],
            language=person.panel.language,
            data=assignment.draft if data is None else data,
            errors=errors or {},
            check_after=check_slot(design, assignment.pk),
        ),
        submit_url=reverse("annotation:unit", args=at),
        draft_url=reverse("annotation:draft", args=at),
        problem_url=reverse("annotation:problem", args=at),
        help_url=reverse("annotation:help", args=[person.token]),
        key=assignment.key,
        draft_counter=assignment.draft_counter,
        minutes_left=minutes_left(person, assignment.n, design),
        saved_answers=bool(assignment.draft) and data is None,
        shortcuts=person.shortcuts,
    )


def preview_screen(
    *, slug: str, unit: Unit, n: int, total: int, design: Design, language: str, data, errors
) -> Screen:
    """The same screen for the researcher, from the design as it stands; nothing is saved."""
    items = unit_items(unit.pk)
    here = reverse("annotation:preview_unit", args=[slug, n])
    check = preview_check(design, n)
    return Screen(
        n=n,
        total=total,
        media=_media(items, n),
        prompt=_prompt(items),
        cards=cards(
            design, check, items[0], language=language, data=data, errors=errors, check_after=1
        ),
        submit_url=here,
        problem_url=here,
        help_url=here,
        preview=True,
    )


def preview_check(design: Design, n: int) -> CheckSpec | None:
    """The attention check of a preview: the first one, on the second screen."""
    return design.checks[0] if design.checks and n == 2 else None


def unit_items(unit_id: int) -> list[Item]:
    members = UnitItem.objects.filter(unit=unit_id).select_related("item")
    return [member.item for member in members]


def check_of(design: Design, assignment: Assignment) -> CheckSpec | None:
    wanted = assignment.attention_check_id
    return next((check for check in design.checks if check.id == wanted), None)


def check_slot(design: Design, seed: int) -> int:
    """After how many of the Likert cards the check stands: not always at the same place."""
    n_likert = sum(1 for question in design.questions if question.kind == "likert")
    return 1 + seed % max(n_likert, 1)


def cards(
    design: Design,
    check: CheckSpec | None,
    item: Item,
    *,
    language: str,
    data: Mapping[str, str],
    errors: Mapping[str, str],
    check_after: int,
) -> tuple[Card, ...]:
    """The questions in order, the attention check among them, texts filled in for the item."""
    rows: list[QuestionSpec | CheckSpec] = list(design.questions)
    if check is not None:
        rows.insert(min(check_after, len(rows)), check)
    numbers = {row.id: i for i, row in enumerate(rows, 1) if isinstance(row, QuestionSpec)}
    values = {
        question.id: value
        for question in design.questions
        if (value := chosen_point(data.get(field_name(question), ""), question.values)) is not None
    }

    def fill(text: str) -> str:
        activity = item.category or item.scenario
        return filled_in(text, activity=activity, country=item.country, language=language)

    return tuple(
        _check_card(row, number, data, errors)
        if isinstance(row, CheckSpec)
        else _question_card(row, number, numbers, values, data, errors, fill)
        for number, row in enumerate(rows, 1)
    )


def _question_card(question, number, numbers, values, data, errors, fill) -> Card:
    name = field_name(question)
    required, required_if, because = question.required, "", None
    if question.required_when is not None:
        required = is_required(question, values)
        low, high = question.required_from, question.required_to
        required_if = f"q_{question.required_when}:{low}-{high}"
        because = numbers.get(question.required_when)
    return Card(
        kind=question.kind,
        name=name,
        number=number,
        text=fill(question.text),
        help=fill(question.help),
        required=required,
        error=errors.get(name, ""),
        points=_points(question.points, data.get(name, "")),
        value=data.get(name, "") if question.kind == "text" else "",
        min_length=question.min_length,
        required_if=required_if,
        required_because=because,
    )


def _check_card(check: CheckSpec, number: int, data, errors) -> Card:
    name = check_field(check)
    return Card(
        kind="likert",
        name=name,
        number=number,
        text=check.text,
        help="",
        required=True,
        error=errors.get(name, ""),
        points=_points(check.points, data.get(name, "")),
    )


def _points(points, chosen: str) -> tuple[PointView, ...]:
    return tuple(
        PointView(p.value, p.label, p.description, checked=str(p.value) == chosen) for p in points
    )


def _media(items: list[Item], n: int) -> tuple[Medium, ...]:
    alt = _("Picture %(n)d, to be rated") % {"n": n}
    return tuple(Medium(item.media_url, item.width, item.height, alt) for item in items)


def _prompt(items: list[Item]) -> str:
    return items[0].prompt


def minutes_left(person: Participation, n: int, design: Design) -> int | None:
    """From this person's own median once three screens are sent, from the estimate before."""
    sent = person.assignments.filter(submitted_at__isnull=False).order_by()
    times = sent.values_list("served_at", "submitted_at")
    seconds = sorted((sent - served).total_seconds() for served, sent in times)
    if len(seconds) >= 3:
        each = seconds[len(seconds) // 2]
    else:
        each = 60 * design.estimated_minutes / max(design.units_per_session, 1)
    left = ceil((person.n_units - n + 1) * each / 60)
    return left if left > 0 else None
