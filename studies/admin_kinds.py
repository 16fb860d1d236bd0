"""What the page of a question shows for each kind: its fields, its points, and what it is for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from studies.models import Question

Points = Literal["", "scale", "options", "ends", "coverage"]
Row = tuple[str, ...]

N_FIRST_POINTS = {"scale": 5, "options": 3, "ends": 2, "coverage": 5, "": 0}
POINTS_TITLE = {
    "scale": "Points of the scale, lowest value first",
    "options": "Options, in the order shown",
    "ends": "What the two ends mean",
    "coverage": "Points of the coverage scale, lowest value first",
    "": "",
}


@dataclass(frozen=True)
class KindPage:
    """``about`` says what people do; ``own`` are the fields that not every kind has."""

    about: str
    points: Points = ""
    own: frozenset[str] = frozenset()


_NA = {"allow_na", "na_label", "na_description"}
_WHEN = {"required_when", "required_from", "required_to", "min_length"}
KIND_PAGES: dict[str, KindPage] = {
    Question.Kind.LIKERT: KindPage(
        "One point of a labelled scale.",
        "scale",
        frozenset({"direction", "level", "asked_of", *_NA}),
    ),
    Question.Kind.YES_NO: KindPage("Yes or no.", "", frozenset({"direction", "asked_of", *_NA})),
    Question.Kind.CHOICE: KindPage(
        "One of several named options.", "options", frozenset({"asked_of", *_NA})
    ),
    Question.Kind.MULTI: KindPage(
        "All items of the screen for which it is true, or none of them.",
        "",
        frozenset({"direction", "asked_of"}),
    ),
    Question.Kind.RANKING: KindPage("The items of the screen in an order, no ties.", "ends"),
    Question.Kind.DESCRIPTORS: KindPage(
        "Each reference descriptor right or not, how complete the list is, what is missing.",
        "coverage",
    ),
    Question.Kind.SLIDER: KindPage(
        "A place between 0 and 100; untouched counts as no answer.",
        "ends",
        frozenset({"direction", "level", "asked_of", *_NA}),
    ),
    Question.Kind.TEXT: KindPage(
        "A reason in their own words, always or after certain answers.",
        "",
        frozenset({"asked_of", *_WHEN}),
    ),
}

ANSWERED_BY_VALUE = (
    Question.Kind.LIKERT,
    Question.Kind.YES_NO,
    Question.Kind.CHOICE,
    Question.Kind.SLIDER,
)
"""Kinds with one number an answer: others can be shown only after such a question."""

EXAMPLES = {
    "scale": ["Not at all", "A little", "Partly", "Mostly", "Fully"],
    "coverage": ["Very incomplete", "Incomplete", "Half complete", "Nearly complete", "Complete"],
}


def kind_page(kind: str) -> KindPage:
    """The page of ``kind``; of a Likert question where there is no such kind."""
    return KIND_PAGES.get(kind, KIND_PAGES[Question.Kind.LIKERT])


def end_values(question_kind: str, items_per_unit: int) -> tuple[int, int]:
    """The two values that carry the words for the ends: 0 and 100, or first and last place."""
    if question_kind == Question.Kind.SLIDER:
        return 0, 100
    return 1, max(items_per_unit, 2)


def sections_of(kind: str, *, frozen: bool) -> list[tuple[str, str, list[Row], bool]]:
    """(key, title, rows of fields, folded) of the question's page, without its points."""
    own = kind_page(kind).own
    need: list[Row] = [("required",)]
    if kind == Question.Kind.TEXT:
        need = [
            ("required",),
            ("required_when", "required_from", "required_to"),
            ("min_length",),
        ]
    asked: list[Row] = [("text",), ("help",)]
    asked += [("asked_of",)] if "asked_of" in own else []
    reported: list[Row] = [("key", "reported_as")]
    reported += [tuple(name for name in ("direction", "level") if name in own)]
    found = [
        ("asked", "The question", asked, False),
        ("na", "When it does not apply", [("allow_na",), ("na_label", "na_description")], False),
        ("need", "When an answer is needed", need, False),
        (
            "shown",
            "When it is shown",
            [
                ("tier",),
                ("shown_categories",),
                ("shown_aspects",),
                ("needs_sound",),
                ("shown_if", "shown_from", "shown_to"),
            ],
            True,
        ),
        ("reported", "In exports and reports", [row for row in reported if row], False),
    ]
    if frozen:
        found.append(("end", "Asked no more", [("retired",)], False))
    return [part for part in found if part[0] != "na" or "allow_na" in own]


def fields_of(kind: str, *, frozen: bool) -> list[str]:
    """Every field of the question's page, in order."""
    sections = sections_of(kind, frozen=frozen)
    return [name for _, _, rows, _ in sections for row in rows for name in row]
