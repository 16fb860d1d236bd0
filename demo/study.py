"""The demo study: made through the product's own verbs, half rated by simulated people.

Everything it says and shows comes from ``fixtures/demo``; ``demo.scenes`` draws
the pictures.
"""

import io
import json
import random
import tempfile
from datetime import timedelta
from pathlib import Path

import numpy as np
from django.conf import settings
from django.core.management import call_command
from django.utils import timezone

from annotation import entry
from annotation.answers import Answers
from annotation.assignment import claim_next_unit
from annotation.kinds import Given
from annotation.models import Assignment, Participation
from annotation.responding import submit_unit
from annotation.sheet import check_of
from demo import SLUG
from demo.scenes import demo_items, write_demo_media
from demo.simulated import SimulatedAnswer, simulated_ratings
from studies.design import Design, frozen_design
from studies.lifecycle import launch_study
from studies.models import AttentionCheck, Panel, Question, ScalePoint, Study
from studies.words.translating import save_translations

FIXTURES = settings.BASE_DIR / "fixtures" / "demo"
SEED = 20261
SIMULATED_PER_PANEL = 5
BETWEEN_PEOPLE = timedelta(minutes=37)
FIRST_LANGUAGE = {"NP": "ne", "IR": "fa"}


def definition() -> dict:
    return json.loads((FIXTURES / "study.json").read_text())


def build_demo(*, owner) -> Study:
    """The whole demo: design, pictures, descriptors, launch, simulated ratings."""
    study = _design(definition(), owner)
    said = io.StringIO()  # what the commands count; their problems are raised
    with tempfile.TemporaryDirectory() as folder:
        write_demo_media(Path(folder))
        call_command("import_items", study.slug, FIXTURES / "items.csv", media=folder, stdout=said)
    call_command("import_descriptors", study.slug, FIXTURES / "descriptors.jsonl", stdout=said)
    translate_demo(study=study, by=owner)
    launch_study(study=study, by=owner)
    study.refresh_from_db()
    _simulate(study)
    return study


# ---- design


def _design(data: dict, owner) -> Study:
    consent, completion = data["consent"], data["completion"]
    study = Study.objects.create(
        owner=owner,
        title=data["title"],
        slug=SLUG,
        public_title=data["public_title"],
        consent_summary="\n".join(consent["in_short"]),
        consent_text=consent["full"],
        instructions=data["instructions"]["lead"],
        instruction_points="\n".join(data["instructions"]["points"]),
        estimated_minutes=data["estimated_minutes"],
        units_per_session=data["units_per_session"],
        completion_code=completion["code"],
        contact=data["contact"],
        seed=SEED,
    )
    questions = {row["key"]: _question(study, n, row) for n, row in enumerate(data["questions"], 1)}
    for row in data["questions"]:
        if when := row.get("required_when"):
            question = questions[row["key"]]
            question.required_when = questions[when["question"]]
            question.required_from, question.required_to = when["from"], when["to"]
            question.save()
    for row in data["attention_checks"]:
        AttentionCheck.objects.create(
            study=study,
            text=row["text"],
            scale_of=questions[row["scale_of"]],
            expected=row["expected"],
        )
    for row in data["panels"]:
        Panel.objects.create(study=study, screen_residence=False, **row)
    return study


def _question(study: Study, position: int, row: dict) -> Question:
    question = Question.objects.create(
        study=study,
        position=position,
        key=row["key"],
        kind=row["kind"],
        text=row["text"],
        help=row["help"],
        required=row["required"],
        direction=row.get("direction", Question.Direction.NONE),
        reported_as=row["reported_as"],
        min_length=row.get("min_length", 0),
    )
    ScalePoint.objects.bulk_create(
        ScalePoint(question=question, **point) for point in row.get("points", [])
    )
    return question


def translate_demo(*, study: Study, by) -> None:
    """The demo's words in every language of ``fixtures/demo/words``. Raises ValueError."""
    for path in sorted((FIXTURES / "words").glob("*.json")):
        texts = json.loads(path.read_text(encoding="utf-8"))
        _, refused = save_translations(study=study, language=path.stem, texts=texts, by=by)
        if refused:
            raise ValueError(f"{path.name}: {refused[0].key}: {refused[0].sentence}")


# ---- simulated people


def _simulate(study: Study) -> None:
    """Let simulated people rate part of the units, through the same verbs as real ones."""
    design = frozen_design(study.pk, study.revision)
    keys = [question.key for question in design.questions if question.kind == "likert"]
    items = {item.item_id: item for item in demo_items()}
    rng = np.random.default_rng(SEED)
    random.seed(SEED)  # the order of places, so that every demo looks the same
    start = timezone.now() - timedelta(hours=8)
    for panel in study.panels.all():
        raters = [f"{panel.country}-{i}" for i in range(SIMULATED_PER_PANEL)]
        rated = [item for item in items.values() if item.country == panel.country]
        answers = {
            (answer.rater, answer.item_id): answer
            for answer in simulated_ratings(rated, raters, keys, rng)
        }
        for rater in raters:
            _rate_as(study, panel, design, rater, answers, start)
            start += BETWEEN_PEOPLE


def _rate_as(
    study: Study,
    panel: Panel,
    design: Design,
    rater: str,
    answers: dict[tuple[str, str], SimulatedAnswer],
    start,
) -> None:
    person = entry.arrive(study=study)
    entry.record_consent(participation=person, agreed=True)
    entry.record_screening(
        participation=person,
        nationality=panel.country,
        residence=panel.country,
        first_language=FIRST_LANGUAGE[panel.country],
    )
    entry.start_rating(participation=person)
    person.refresh_from_db()
    moment = start + timedelta(minutes=2)
    while (assignment := claim_next_unit(participation=person)) is not None:
        answer = answers[rater, assignment.unit.key]
        submit_unit(
            assignment=assignment,
            key=assignment.key,
            answers=_answers(design, assignment, answer),
            check=check_of(design, assignment),
        )
        sent = moment + timedelta(seconds=answer.seconds)
        Assignment.objects.filter(pk=assignment.pk).update(served_at=moment, submitted_at=sent)
        moment = sent + timedelta(seconds=1)
    Participation.objects.filter(pk=person.pk).update(
        simulated=True,
        arrived_at=start,
        consented_at=start + timedelta(minutes=1),
        screened_at=start + timedelta(minutes=1),
        instructed_at=start + timedelta(minutes=2),
        finished_at=moment,
        last_seen_at=moment,
    )


def _answers(design: Design, assignment: Assignment, answer: SimulatedAnswer) -> Answers:
    given = Answers()
    item = assignment.unit.items.get().pk
    for question in design.questions:
        if question.kind == "likert":
            value = answer.values[question.key]
            given.given.append(Given(question.id, item=item, value=value))
        elif answer.rationale:
            given.given.append(Given(question.id, item=item, text=answer.rationale))
    if check := check_of(design, assignment):
        given.check_value = check.expected
    return given
