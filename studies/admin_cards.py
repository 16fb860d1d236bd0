"""Questions as cards on the page of their study: what they ask, of what, and when, in words."""

from __future__ import annotations

from dataclasses import dataclass

from studies.admin_kinds import kind_page
from studies.models import Question, Study

NO_DIRECTION = {Question.Kind.TEXT, Question.Kind.CHOICE, Question.Kind.RANKING}
SHORT_DIRECTION = {
    Question.Direction.HIGHER: "higher is better",
    Question.Direction.LOWER: "lower is better",
    Question.Direction.NONE: "",
}


@dataclass(frozen=True)
class QuestionCard:
    """One question: facts in the order a reader wants them, conditions as sentences."""

    question: Question
    number: int
    facts: list[str]
    chips: list[str]
    conditions: list[str]
    is_first: bool
    is_last: bool
    origin: object | None = None


@dataclass(frozen=True)
class Tier:
    """The questions that must be complete before the next ones open."""

    number: int
    cards: list[QuestionCard]


def question_tiers(study: Study, origins: dict[str, object] | None = None) -> list[Tier]:
    """The questions that are asked, in the order of the screen, by tier."""
    rows = list(
        study.questions.filter(retired=False)
        .select_related("shown_if", "required_when")
        .prefetch_related("points")
        .order_by("tier", "position", "id")
    )
    by_tier: dict[int, list[Question]] = {}
    for row in rows:
        by_tier.setdefault(row.tier, []).append(row)
    number = 0
    tiers = []
    for tier, members in by_tier.items():
        cards = []
        for place, question in enumerate(members):
            number += 1
            cards.append(
                QuestionCard(
                    question=question,
                    number=number,
                    facts=facts_of(question),
                    chips=chips_of(question),
                    conditions=conditions_of(question),
                    is_first=place == 0,
                    is_last=place == len(members) - 1,
                    origin=(origins or {}).get(question.key),
                )
            )
        tiers.append(Tier(tier, cards))
    return tiers


def facts_of(question: Question) -> list[str]:
    facts = [_kind_words(question)]
    if question.kind not in NO_DIRECTION and SHORT_DIRECTION[question.direction]:
        facts.append(SHORT_DIRECTION[question.direction])
    if question.asked_of == Question.AskedOf.PROBE:
        facts.append("of each probe")
    if question.kind == Question.Kind.TEXT and question.min_length:
        facts.append(f"{question.min_length} letters or more")
    if not question.required and question.required_when_id is None:
        facts.append("optional")
    return facts


def _kind_words(question: Question) -> str:
    n_points = len(question.points.all())
    if question.kind == Question.Kind.LIKERT:
        return f"Likert, {n_points} points"
    if question.kind == Question.Kind.CHOICE:
        return f"Single choice of {n_points}"
    return question.get_kind_display()


def chips_of(question: Question) -> list[str]:
    """The points as people see them, "1 Not at all"; the words for ends where there are two."""
    points = list(question.points.all())
    if kind_page(question.kind).points == "ends":
        chips = [point.label for point in points if point.label]
        return [f"{chips[0]} … {chips[-1]}"] if len(chips) > 1 else chips
    if question.kind == Question.Kind.YES_NO:
        chips = ["Yes", "No"]
    elif question.kind == Question.Kind.CHOICE:
        chips = [point.label or f"{point.value}: no label" for point in points]
    else:
        chips = [f"{point.value} {point.label or '(no label)'}" for point in points]
    return [*chips, question.na_label or "Does not apply"] if question.allow_na else chips


def conditions_of(question: Question) -> list[str]:
    """When it is shown, and when an answer is needed, as sentences."""
    found = shown_words(question)
    if question.required_when is not None:
        low, high = question.required_from, question.required_to
        found.append(f"Needed when {answer_range(question.required_when, low, high)}")
    return found


def shown_words(question: Question) -> list[str]:
    """When it is shown, as sentences; none for always."""
    found = []
    if question.shown_categories:
        found.append(f"Shown for {_listed(question.shown_categories)}")
    if question.shown_aspects:
        found.append(f"Shown for the aspects {_listed(question.shown_aspects)}")
    if question.needs_sound:
        found.append("Shown where an item has sound")
    if question.shown_if is not None:
        words = answer_range(question.shown_if, question.shown_from, question.shown_to)
        found.append(f"Shown when {words}")
    return found


def answer_range(question: Question, low: int | None, high: int | None) -> str:
    """E.g. "Hallucination is 3 to 5", "Relevance is yes"."""
    if question.kind == Question.Kind.YES_NO and low == high and low in (0, 1):
        return f"{question.label} is {'yes' if low else 'no'}"
    if low is None or high is None:
        return f"{question.label} has an answer in a range that is not given yet"
    return f"{question.label} is {low}" + ("" if low == high else f" to {high}")


def _listed(values: list[str]) -> str:
    shown = [str(value) for value in values]
    if len(shown) < 2:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} and {shown[-1]}"
