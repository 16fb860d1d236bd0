"""The shared cast: a researcher owns, a colleague looks on, annotators rate."""

import io
import itertools

import pytest
from django.core.files.base import ContentFile
from PIL import Image

from accounts.models import User
from studies.design import frozen_design
from studies.lifecycle import launch_study
from studies.models import AttentionCheck, Item, Panel, Question, ScalePoint, Study, Unit, UnitItem

LABELS = ["Not at all", "A little", "Partly", "Mostly", "Fully"]


@pytest.fixture(autouse=True)
def _media_in_a_scratch_folder(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "media"


@pytest.fixture(autouse=True)
def _no_design_from_another_test():
    """Frozen designs are cached for good by primary key; tests reuse keys."""
    frozen_design.cache_clear()
    yield
    frozen_design.cache_clear()


@pytest.fixture
def researcher(db) -> User:
    return User.objects.create_superuser("ana", password="correct horse")


@pytest.fixture
def colleague(db) -> User:
    """Has an account and the admin, but none of the researcher's studies."""
    return User.objects.create_user("ben", password="correct horse", is_staff=True)


def picture(colour: str = "grey", size: tuple[int, int] = (64, 48)) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", size, colour).save(buffer, "PNG")
    return buffer.getvalue()


def add_likert(study: Study, key: str, *, direction: str = "higher") -> Question:
    question = Question.objects.create(
        study=study,
        position=study.questions.count() + 1,
        key=key,
        text=f"How much {key} has this {{activity}} in {{country}}?",
        reported_as=key.capitalize(),
        direction=direction,
    )
    ScalePoint.objects.bulk_create(
        ScalePoint(question=question, value=i, label=label) for i, label in enumerate(LABELS, 1)
    )
    return question


_colours = itertools.cycle(range(256))


def add_item(study: Study, external_id: str, country: str = "NP", **fields) -> Item:
    """An item with a picture of its own, and the unit that shows it."""
    item = Item(
        study=study,
        external_id=external_id,
        country=country,
        content_type="image/png",
        sha256=f"{next(_colours):064x}",
        source_name=f"{external_id}.png",
        width=64,
        height=48,
        **{"prompt": f"A wedding, {external_id}", "category": "wedding"} | fields,
    )
    item.media.save("picture.png", ContentFile(picture()), save=False)
    item.save()
    unit = Unit.objects.create(study=study, key=external_id, country=country)
    UnitItem.objects.create(unit=unit, item=item)
    return item


@pytest.fixture
def draft_study(researcher) -> Study:
    """Three Likert questions, a rationale that depends on one, a check, one panel, six items."""
    study = Study.objects.create(
        owner=researcher,
        title="Weddings",
        slug="weddings",
        public_title="Pictures of weddings",
        consent_summary="You look at pictures.\nYou can stop at any time.",
        instructions="Say how well each picture fits.",
        instruction_points="Trust your own knowledge.",
        contact="ana@example.org",
        units_per_session=6,
        completion_code="DONE42",
    )
    add_likert(study, "faithfulness")
    hallucination = add_likert(study, "hallucination", direction="lower")
    add_likert(study, "exaggeration", direction="lower")
    Question.objects.create(
        study=study,
        position=4,
        key="rationale",
        kind=Question.Kind.TEXT,
        text="What is wrong in the picture?",
        required=False,
        min_length=20,
        required_when=hallucination,
        required_from=3,
        required_to=5,
    )
    AttentionCheck.objects.create(
        study=study, text="For this line choose 2.", scale_of=hallucination, expected=2
    )
    Panel.objects.create(study=study, country="NP", ratings_per_unit=3)
    for i in range(1, 7):
        add_item(study, f"np-{i}")
    return study


@pytest.fixture
def live_study(draft_study, researcher) -> Study:
    launch_study(study=draft_study, by=researcher)
    draft_study.refresh_from_db()
    return draft_study
