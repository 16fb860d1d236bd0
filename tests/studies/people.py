"""Researchers with rights of their own, and the forms their browsers would post."""

from accounts.models import User
from accounts.roles import researchers_group
from studies.models import Question, Study


def a_researcher(name: str) -> User:
    user = User.objects.create_user(name, password="correct horse", is_staff=True)
    user.groups.add(researchers_group())
    return user


def study_form(study: Study, **changes) -> dict:
    """The study's form in the admin as it stands, all panels and checks included."""
    data = {
        name: getattr(study, name)
        for name in (
            "title",
            "slug",
            "public_title",
            "consent_summary",
            "consent_text",
            "instructions",
            "instruction_points",
            "contact",
            "estimated_minutes",
            "units_per_session",
            "lease_minutes",
            "completion_code",
            "completion_url",
        )
    }
    data["consent_first"] = "on"
    data |= _rows("panels", study.panels.all(), _panel)
    data |= _rows("attention_checks", study.attention_checks.all(), _check)
    return data | changes


def question_form(question: Question, **changes) -> dict:
    data = {
        "study": question.study_id,
        "kind": question.kind,
        "position": question.position,
        "text": question.text,
        "help": question.help,
        "required": "on" if question.required else "",
        "key": question.key,
        "reported_as": question.reported_as,
        "direction": question.direction,
        "min_length": question.min_length,
        "required_when": question.required_when_id or "",
        "required_from": "" if question.required_from is None else question.required_from,
        "required_to": "" if question.required_to is None else question.required_to,
    }
    return data | _rows("points", question.points.all(), _point) | changes


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
    return {
        "study": panel.study_id,
        "country": panel.country,
        "language": panel.language,
        "ratings_per_unit": panel.ratings_per_unit,
        "seats": "" if panel.seats is None else panel.seats,
        "screen_nationality": "on",
    }


def _check(check) -> dict:
    return {
        "study": check.study_id,
        "text": check.text,
        "scale_of": check.scale_of_id,
        "expected": check.expected,
    }


def _point(point) -> dict:
    return {
        "question": point.question_id or "",
        "value": point.value,
        "label": point.label,
        "description": point.description,
    }
