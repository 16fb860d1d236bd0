"""Researchers with rights of their own, and the forms their browsers would post."""

from accounts.models import User
from accounts.roles import researchers_group
from studies.admin_question_form import QUESTION_FIELDS
from studies.admin_study_form import FIELDS as STUDY_FIELDS
from studies.models import Question, Study


def a_researcher(name: str) -> User:
    user = User.objects.create_user(name, password="correct horse", is_staff=True)
    user.groups.add(researchers_group())
    return user


def study_form(study: Study, **changes) -> dict:
    """The study's form in the admin as it stands, all panels and checks included."""
    data = _posted(study, STUDY_FIELDS) | {"revision": study.revision}
    data |= _rows("panels", study.panels.all(), _panel)
    data |= _rows("attention_checks", study.attention_checks.all(), _check)
    data |= _rows("comprehension_questions", study.comprehension_questions.all(), _quick)
    data |= _rows("screening_questions", study.screening_questions.all(), _screening)
    data |= _rows("contradictions", study.contradictions.all(), _contradiction)
    return data | changes


def question_form(question: Question, **changes) -> dict:
    """The question's form as it stands; fields that its kind has not are ignored."""
    links = {"study", "shown_if", "required_when"}
    data = _posted(question, [name for name in QUESTION_FIELDS if name not in links])
    data |= {
        "study": question.study_id,
        "revision": question.study.revision,
        "shown_if": question.shown_if_id or "",
        "required_when": question.required_when_id or "",
    }
    return data | _rows("points", question.points.all(), _point) | changes


def _posted(row, names) -> dict:
    """What a browser posts for a row: nothing for a box that is not ticked, lines for lists."""
    data = {}
    for name in names:
        value = getattr(row, name)
        if value is True:
            data[name] = "on"
        elif isinstance(value, list):
            data[name] = value
        elif value is not False:
            data[name] = "" if value is None else value
    return data


def _rows(prefix: str, rows, fields) -> dict:
    rows = list(rows)
    data = {
        f"{prefix}-TOTAL_FORMS": len(rows),
        f"{prefix}-INITIAL_FORMS": sum(row.pk is not None for row in rows),
        f"{prefix}-MIN_NUM_FORMS": 0,
        f"{prefix}-MAX_NUM_FORMS": 1000,
    }
    for i, row in enumerate(rows):
        values = fields(row) | {"id": row.pk or ""}
        data |= {f"{prefix}-{i}-{name}": value for name, value in values.items()}
    return data


def _panel(panel) -> dict:
    screens = ("screen_nationality", "screen_residence", "screen_language")
    return {
        "study": panel.study_id,
        "country": panel.country,
        "language": panel.language,
        "more_languages": ", ".join(panel.more_languages),
        "ratings_per_unit": panel.ratings_per_unit,
        "seats": "" if panel.seats is None else panel.seats,
        **_posted(panel, screens),
    }


def _check(check) -> dict:
    return {
        "study": check.study_id,
        "text": check.text,
        "scale_of": check.scale_of_id,
        "expected": check.expected,
        **_posted(check, ["active"]),
    }


def _quick(row) -> dict:
    return {
        "study": row.study_id,
        "text": row.text,
        "options": row.options,
        "correct": row.correct,
        "hint": row.hint,
        **_posted(row, ["active"]),
    }


def _screening(row) -> dict:
    return {
        "study": row.study_id,
        "text": row.text,
        "options": row.options,
        "accepted": row.accepted,
        **_posted(row, ["active"]),
    }


def _contradiction(row) -> dict:
    return {
        "study": row.study_id,
        "question": row.question_id,
        "other": row.other_id,
        "allowed": row.allowed,
        "unit": row.unit.key if row.unit else "",
        "other_unit": row.other_unit.key if row.other_unit else "",
        **_posted(row, ["active"]),
    }


def _point(point) -> dict:
    return {
        "question": point.question_id or "",
        "value": point.value,
        "label": point.label,
        "description": point.description,
    }
