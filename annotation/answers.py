"""From a posted form to validated answers, by the frozen design, and back. Knows no database."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from annotation.asking import chosen_values, is_open, is_required
from annotation.kinds import KINDS, MAX_TEXT, Asked, Fields, FormData, Given
from annotation.kinds.base import storable


@dataclass
class Answers:
    """What a screen's form says. ``errors`` by form field name, in words."""

    given: list[Given] = field(default_factory=list)
    check_value: int | None = None
    errors: dict[str, str] = field(default_factory=dict)


def field_names(rows: Sequence[Asked]) -> list[str]:
    """The form fields that hold a screen's answers."""
    return [name for row in rows for name in KINDS[row.question.kind].names(row)]


def kept_fields(rows: Sequence[Asked], fields: Fields) -> FormData:
    """The answers of a form as they are kept before they are read: a text or a list of texts a
    name, none longer than what can be sent."""
    kept: FormData = {}
    for name in field_names(rows):
        texts = [storable(text)[:MAX_TEXT] for text in fields.many(name)]
        if texts:
            kept[name] = texts[0] if len(texts) == 1 else texts
    return kept


def read_answers(rows: Sequence[Asked], fields: Fields, *, up_to: int | None = None) -> Answers:
    """Read every open question of a screen, or those of the tiers up to ``up_to``.

    All that is wrong is named at once. What was posted to a question that is closed is ignored.
    """
    answers = Answers()
    values = chosen_values(rows, fields)
    for row in rows:
        if (up_to is not None and row.tier > up_to) or not is_open(row, rows, values):
            continue
        required = is_required(row, rows, values)
        reading = KINDS[row.question.kind].read(row, fields, required=required)
        answers.errors |= reading.errors
        if row.is_check:
            answers.check_value = values.get(row.name)
        else:
            answers.given += reading.given
    return answers


def fields_of(
    rows: Sequence[Asked], given: Iterable[Given], check_value: int | None = None
) -> Fields:
    """The form that would say just these answers."""
    of_row: dict[tuple[int, int | None], list[Given]] = {}
    for answer in given:
        of_row.setdefault((answer.question, answer.probe), []).append(answer)
    data: FormData = {}
    for row in rows:
        if row.is_check:
            data[row.name] = "" if check_value is None else str(check_value)
            continue
        about = (row.question.id, row.probe.pk if row.probe else None)
        data |= KINDS[row.question.kind].sent(row, of_row.get(about, []))
    return Fields.kept(data)
