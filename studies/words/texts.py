"""The texts of a study: what there is to translate, and under which key.

Keys name a text by what researchers call it (a question by its key, a point by its value), so that
translations survive a copy of the study.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from studies.models import (
    AttentionCheck,
    ComprehensionQuestion,
    Item,
    Question,
    ScreeningQuestion,
    Study,
)
from studies.names import country_name

STUDY_FIELDS = (
    ("public_title", "Title for annotators", 200),
    ("consent_summary", "Consent, in short", 0),
    ("consent_text", "Consent, full information", 0),
    ("instructions", "Instructions", 0),
    ("instruction_points", "Standing rules", 0),
)
# An address is the same in every language; words around it are not.
OPTIONAL_FIELDS = (("contact", "Contact", 200),)
ITEM_WORDS = ("country", "category", "scenario", "cultural_element")


@dataclass(frozen=True)
class Text:
    """``limit``: most characters, 0 for no limit. ``needed``: people cannot do without it.

    ``judged``: what people choose is held against it, so that an old translation would fail them.
    ``has_usual``: without a translation people read its usual name in their language.
    """

    key: str
    where: str
    source: str
    limit: int = 0
    needed: bool = True
    judged: bool = False
    has_usual: bool = False

    @property
    def is_long(self) -> bool:
        return "\n" in self.source or len(self.source) > 90


def study_texts(study: Study) -> list[Text]:
    """Every text that is not empty, in the order in which annotators meet them."""
    rows = [
        *_of_study(study),
        *_of_screening(study),
        *_of_comprehension(study),
        *_of_feedback(study),
        *_of_questions(study),
        *_of_checks(study),
        *_of_items(study),
        *_of_probes(study),
        *_of_descriptors(study),
    ]
    return [text for text in rows if text.source.strip()]


def _of_study(study: Study) -> Iterator[Text]:
    for field, where, limit in STUDY_FIELDS:
        yield Text(f"study.{field}", where, getattr(study, field), limit)
    for field, where, limit in OPTIONAL_FIELDS:
        yield Text(f"study.{field}", where, getattr(study, field), limit, needed=False)


def _of_questions(study: Study) -> Iterator[Text]:
    for row in study.questions.filter(retired=False).prefetch_related("points"):
        key, where = f"question.{row.key}", f"Question {row.label}"
        yield Text(f"{key}.text", where, row.text, 400)
        yield Text(f"{key}.help", f"{where}: hint", row.help, 400, needed=False)
        if row.allow_na:
            yield Text(f"{key}.na_label", f"{where}: does not apply", row.na_label, 60)
            meaning = f"{where}: meaning of does not apply"
            yield Text(f"{key}.na_description", meaning, row.na_description, 300, needed=False)
        if row.kind != Question.Kind.TEXT:
            yield from _of_points(row, key, where)


def _of_points(row: Question, key: str, where: str) -> Iterator[Text]:
    for point in row.points.all():
        here = f"{where}: point {point.value}"
        yield Text(f"{key}.point.{point.value}.label", here, point.label, 60)
        meaning = f"{here}, description"
        yield Text(
            f"{key}.point.{point.value}.description", meaning, point.description, 300, needed=False
        )


def check_keys(study: Study) -> dict[int, str]:
    """Attention check id -> its key: by number, because checks have no names."""
    ids = AttentionCheck.objects.filter(study=study).order_by("id").values_list("id", flat=True)
    return {id: f"check.{number}" for number, id in enumerate(ids, 1)}


def comprehension_keys(study: Study) -> dict[int, str]:
    """Id of a question on the instructions page -> its key, by number as those of checks."""
    rows = ComprehensionQuestion.objects.filter(study=study).order_by("id")
    return {id: f"quick.{n}" for n, id in enumerate(rows.values_list("id", flat=True), 1)}


def screening_keys(study: Study) -> dict[int, str]:
    """Id of a screening question -> its key, by number as those of checks."""
    rows = ScreeningQuestion.objects.filter(study=study).order_by("id")
    return {id: f"screening.{n}" for n, id in enumerate(rows.values_list("id", flat=True), 1)}


def _of_screening(study: Study) -> Iterator[Text]:
    keys = screening_keys(study)
    for row in study.screening_questions.filter(active=True):
        key, where = keys[row.pk], f"Screening question {keys[row.pk].split('.')[1]}"
        yield from _of_options(row, key, where)


def _of_options(row: ScreeningQuestion | ComprehensionQuestion, key: str, where: str):
    """A question and the answers to it, of which some are right by their number."""
    yield Text(f"{key}.text", where, row.text, 300, judged=True)
    for number, option in enumerate(row.option_list, 1):
        yield Text(f"{key}.option.{number}", f"{where}: answer {number}", option, 200, judged=True)


def _of_comprehension(study: Study) -> Iterator[Text]:
    keys = comprehension_keys(study)
    for row in study.comprehension_questions.filter(active=True):
        key, where = keys[row.pk], f"Quick check {keys[row.pk].split('.')[1]}"
        yield from _of_options(row, key, where)
        yield Text(f"{key}.hint", f"{where}: hint after a miss", row.hint, 300)


def _of_feedback(study: Study) -> Iterator[Text]:
    """What is said after a practice screen and beside an example, by the item's id."""
    rows = study.items.filter(purpose__in=[Item.Purpose.PRACTICE, Item.Purpose.EXAMPLE])
    for name, words in rows.exclude(feedback="").values_list("external_id", "feedback"):
        yield Text(f"feedback.{name}", f"Words to {name}", words, 400)


def _of_checks(study: Study) -> Iterator[Text]:
    keys = check_keys(study)
    for row in study.attention_checks.filter(active=True):
        key = keys[row.id]
        where = f"Attention check {key.split('.')[1]}"
        yield Text(f"{key}.text", where, row.text, 400, judged=True)


def _of_items(study: Study) -> Iterator[Text]:
    """The words that fill {activity} and {country}, and the elements where they are shown."""
    fields = ITEM_WORDS if study.show_element else ITEM_WORDS[:-1]
    rows = list(study.items.order_by().values_list(*fields).distinct())
    asked = study.questions.filter(retired=False).values_list("text", "help")
    said = " ".join(part for parts in asked for part in parts)
    if "{activity}" in said:
        activities = sorted({row[1] or row[2] for row in rows} - {""})
        yield from (Text(f"activity.{name}", "Activity", name, 200) for name in activities)
    if "{country}" in said:
        yield from _of_countries(sorted({row[0] for row in rows} - {""}), study.base_language)
    if study.show_element:
        elements = sorted({row[3] for row in rows} - {""})
        yield from (Text(f"element.{name}", "Cultural element", name, 200) for name in elements)


def _of_countries(codes: list[str], language: str) -> Iterator[Text]:
    """Languages that bend a name ("in Türkei" is "in der Türkei") can say it as sentences need."""
    where = "Country, as the questions say it; empty: its usual name"
    for code in codes:
        name = country_name(code, language)
        yield Text(f"country.{code}", where, name, 120, needed=False, has_usual=True)


def _of_probes(study: Study) -> Iterator[Text]:
    if not study.questions.filter(asked_of=Question.AskedOf.PROBE).exists():
        return
    asked = study.probes.filter(unit_probes__isnull=False).distinct()
    for probe in asked:
        where = f"Probe of {probe.scenario}, {probe.dimension}"
        yield Text(f"probe.{probe.external_id}", where, probe.text, 400)


def _of_descriptors(study: Study) -> Iterator[Text]:
    if not study.questions.filter(kind=Question.Kind.DESCRIPTORS).exists():
        return
    tokens = study.descriptors.filter(kind="reference").order_by("token")
    for token in tokens.values_list("token", flat=True).distinct():
        yield Text(f"descriptor.{token}", "Reference descriptor", token, 200)
