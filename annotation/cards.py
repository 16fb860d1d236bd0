"""The questions of a screen as cards in steps, filled in from a form, a draft or what was sent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from django.utils.translation import get_language

from annotation.asking import chosen_values, is_open, is_required, required_rule, shown_rule
from annotation.kinds import KINDS, Asked, Fields
from annotation.sheet import Sheet
from studies.design import filled_in


@dataclass(frozen=True)
class Card:
    """One question on the screen; attention checks are cards like any other.

    ``view`` is what the kind's template draws. ``shown_if`` and ``required_if`` are rules for
    scripts; ``open`` and ``required`` say how they stand now. ``language`` is that of a text which
    was not translated into the reader's. ``shown_because`` and ``required_because`` are the numbers
    of the questions they depend on.
    """

    kind: str
    template: str
    name: str
    number: int
    text: str
    help: str
    view: object
    open: bool
    required: bool
    error: str = ""
    faulty: bool = False
    shown_if: str = ""
    required_if: str = ""
    shown_because: int | None = None
    required_because: int | None = None
    summary: str = ""
    about_words: bool = False
    language: str = ""


@dataclass(frozen=True)
class Step:
    """One tier on the screen: done (can be changed), now, or later (not open yet)."""

    tier: int
    number: int
    state: str
    cards: tuple[Card, ...]

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """Worked out once: a step of many cards is looked up with every screen that shows it."""
        return hash((self.tier, self.number, self.state, self.cards))

    @cached_property
    def frame(self) -> "Step":
        """The step without its cards."""
        return replace(self, cards=())

    @property
    def opens_after(self) -> int:
        """The number of the step that must be complete before this one opens."""
        return self.number - 1

    @property
    def is_empty(self) -> bool:
        """Whether nothing in it is to be answered, as things stand."""
        return not any(card.open for card in self.cards)

    @property
    def waits(self) -> bool:
        """Whether it is about what clips show, and not about the words of its questions alone."""
        return not all(card.about_words for card in self.cards)

    @property
    def faulty(self) -> bool:
        return any(card.faulty for card in self.cards)


def steps_of(
    sheet: Sheet, fields: Fields, errors: Mapping[str, str], *, reached: int | None
) -> tuple[Step, ...]:
    """A step a tier. ``reached`` is the last open tier; None: all are done, as on a sent screen."""
    cards = _cards(sheet, fields, errors)
    return tuple(
        Step(
            tier=tier,
            number=number,
            state=_state(tier, reached),
            cards=tuple(card for row, card in cards if row.tier == tier),
        )
        for number, tier in enumerate(sheet.tiers, 1)
    )


def blank_steps(sheet: Sheet) -> tuple[Step, ...]:
    """The steps before anything is answered, the first one open.

    Most units of a study show the very same, which are then made once.
    """
    if any(_is_of_unit(row) for row in sheet.rows):
        return _blank(sheet)
    return _shared_blank(_Alike(sheet))


def _is_of_unit(row: Asked) -> bool:
    """Whether the question reads differently on each unit."""
    return row.probe is not None or KINDS[row.question.kind].names_what_is_shown


def _blank(sheet: Sheet) -> tuple[Step, ...]:
    return steps_of(sheet, Fields({}), {}, reached=next(iter(sheet.tiers), 1))


class _Alike:
    """A sheet that equals others whose questions stand and read alike: those asked, in their order,
    in one design and language, about the same activity and country.

    The sheet keeps its design, so that no other can have its id.
    """

    def __init__(self, sheet: Sheet):
        facts, names = sheet.facts, tuple(row.name for row in sheet.rows)
        about = (facts.activity, facts.items[0].country, facts.only_item is None)
        self.sheet = sheet
        self.key = (id(sheet.design), get_language(), names, about)

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Alike) and self.key == other.key


@lru_cache(maxsize=256)
def _shared_blank(alike: _Alike) -> tuple[Step, ...]:
    return _blank(alike.sheet)


def _state(tier: int, reached: int | None) -> str:
    if reached is None or tier < reached:
        return "done"
    return "now" if tier == reached else "later"


def _cards(sheet: Sheet, fields: Fields, errors: Mapping[str, str]) -> list[tuple[Asked, Card]]:
    values = chosen_values(sheet.rows, fields)
    cards = []
    before: Asked | None = None
    for row in sheet.rows:
        # Rows of one question, one a probe, share their hint.
        again = before is not None and before.probe is not None and _same_question(before, row)
        cards.append((row, _card(row, sheet.rows, fields, values, errors, with_help=not again)))
        before = row
    return cards


def _same_question(one: Asked, other: Asked) -> bool:
    return one.question.id == other.question.id and one.is_check == other.is_check


def _card(
    row: Asked,
    rows: Sequence[Asked],
    fields: Fields,
    values: Mapping[str, int],
    errors: Mapping[str, str],
    *,
    with_help: bool,
) -> Card:
    kind = KINDS[row.question.kind]
    needed = required_rule(row, rows)
    return Card(
        kind=row.question.kind,
        template=kind.template,
        name=row.name,
        number=row.number,
        text=wording(row.question.text, row),
        help=wording(row.question.help, row) if with_help else "",
        view=kind.view(row, fields, errors),
        open=is_open(row, rows, values),
        required=is_required(row, rows, values),
        error=errors.get(row.name, ""),
        faulty=any(name in errors for name in (row.name, *kind.names(row))),
        shown_if=str(shown_rule(row, rows) or ""),
        required_if=str(needed or ""),
        shown_because=_because(shown_rule(row, rows), values),
        required_because=_because(needed, values),
        summary=kind.summary(row, fields),
        about_words=_about_words(row),
        language=row.question.language,
    )


def _because(rule, values: Mapping[str, int]) -> int | None:
    """The number of the question whose answer makes this one shown, or needed."""
    if rule is None or not rule.on:
        return None
    hits = [row for row in rule.on if rule.low <= values.get(row.name, rule.low - 1) <= rule.high]
    return (hits or rule.on)[0].number


def _about_words(row: Asked) -> bool:
    """A yes or no to a probe of a set asks about the probe; what is asked of items, of them."""
    of_set = row.facts.only_item is None
    return of_set and row.probe is not None and row.question.kind == "yes_no"


def wording(text: str, row: Asked) -> str:
    """``text`` with {activity}, {country} and {probe} replaced; other braces stay as they are."""
    facts, written_in = row.facts, row.question.language
    filled = filled_in(
        text,
        activity=facts.activity,
        country=facts.items[0].country,
        # The interface may speak another language than the study does: English to Azerbaijanis.
        language=written_in or facts.language or get_language() or "en",
        words={} if written_in else facts.words,
    )
    return filled.replace("{probe}", facts.probe_text(row.probe) if row.probe else "")


@dataclass(frozen=True)
class Scale:
    """A question's scale for the help page."""

    text: str
    view: object


def scales(sheet: Sheet) -> tuple[Scale, ...]:
    """Every scale of the design, once each, worded for this unit."""
    found: dict[int, Scale] = {}
    for row in sheet.rows:
        if row.is_check or row.question.id in found:
            continue
        view = KINDS[row.question.kind].scale(row)
        if view is not None:
            text = row.question.text.replace("{probe}", "…")
            found[row.question.id] = Scale(wording(text, row), view)
    return tuple(found.values())
