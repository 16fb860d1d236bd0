"""From a posted form to validated answers, by the frozen design. Knows no database."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from studies.design import CheckSpec, Design, QuestionSpec

MAX_TEXT = 10_000


@dataclass
class Answers:
    """``values`` by question id, ``texts`` by question id, ``errors`` by form field name."""

    values: dict[int, int] = field(default_factory=dict)
    texts: dict[int, str] = field(default_factory=dict)
    check_value: int | None = None
    errors: dict[str, str] = field(default_factory=dict)


def field_name(question: QuestionSpec) -> str:
    return f"q_{question.id}"


def check_field(check: CheckSpec) -> str:
    return f"c_{check.id}"


def field_names(design: Design, check: CheckSpec | None) -> list[str]:
    """The form fields that hold a screen's answers."""
    names = [field_name(question) for question in design.questions]
    return names if check is None else [*names, check_field(check)]


def read_answers(design: Design, check: CheckSpec | None, data: Mapping[str, str]) -> Answers:
    """Read every card of a screen; all that is wrong is named at once, nothing is dropped."""
    answers = Answers()
    for question in design.questions:
        if question.kind == "likert":
            _read_point(question, data, answers)
    for question in design.questions:
        if question.kind == "text":
            _read_text(question, data, answers)
    if check is not None:
        name = check_field(check)
        answers.check_value = chosen_point(data.get(name, ""), {p.value for p in check.points})
        if answers.check_value is None:
            answers.errors[name] = _("Choose a point.")
    return answers


def _read_point(question: QuestionSpec, data: Mapping[str, str], answers: Answers) -> None:
    name = field_name(question)
    raw = data.get(name, "")
    value = chosen_point(raw, question.values)
    if value is not None:
        answers.values[question.id] = value
    elif question.required or raw:
        answers.errors[name] = _("Choose a point.")


def chosen_point(raw: str, allowed: set[int] | frozenset[int]) -> int | None:
    """The scale point that ``raw`` names in plain digits, or None."""
    return next((value for value in allowed if str(value) == raw.strip()), None)


def is_required(question: QuestionSpec, values: Mapping[int, int]) -> bool:
    """Whether a free text must be written, given the chosen points."""
    if question.required_when is None:
        return question.required
    value = values.get(question.required_when)
    return value is not None and question.required_from <= value <= question.required_to


def _read_text(question: QuestionSpec, data: Mapping[str, str], answers: Answers) -> None:
    name = field_name(question)
    # PostgreSQL cannot store NUL, and no keyboard types it.
    text = data.get(name, "").replace("\x00", "").replace("\r\n", "\n").strip()
    if len(text) > MAX_TEXT:
        answers.errors[name] = _("At most %(n)d letters.") % {"n": MAX_TEXT}
    elif is_required(question, answers.values) and len(text) < max(question.min_length, 1):
        missing = max(question.min_length, 1) - len(text)
        answers.errors[name] = ngettext("%(n)d more letter.", "%(n)d more letters.", missing) % {
            "n": missing
        }
    answers.texts[question.id] = text
