"""The shared cast: a researcher owns, a colleague looks on, annotators rate."""

import io
import itertools

import pytest
from django.core.files.base import ContentFile
from PIL import Image

from accounts.models import User
from annotation.unit_traits import forget_traits
from studies.design import frozen_design
from studies.lifecycle import launch_study
from studies.models import (
    AttentionCheck,
    Descriptor,
    Item,
    Panel,
    Probe,
    Question,
    ScalePoint,
    Study,
    System,
    Unit,
    UnitItem,
)
from studies.words.design_language import frozen_design_in

LABELS = ["Not at all", "A little", "Partly", "Mostly", "Fully"]


@pytest.fixture(autouse=True)
def _media_in_a_scratch_folder(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "media"


@pytest.fixture(autouse=True)
def _no_design_from_another_test():
    """Frozen designs and units' traits are cached by primary key; tests reuse keys."""
    forget_designs()
    yield
    forget_designs()


def forget_designs() -> None:
    frozen_design.cache_clear()
    frozen_design_in.cache_clear()
    forget_traits()


@pytest.fixture
def researcher(db) -> User:
    return User.objects.create_superuser("ana", password="correct horse")


@pytest.fixture
def ana(client, researcher):
    """A browser in which the researcher is signed in."""
    client.force_login(researcher)
    return client


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


def add_question(
    study: Study, key: str, kind: str, *, points: dict[int, str] | None = None, **fields
) -> Question:
    """A question of any kind, after those there are; ``points`` by value."""
    question = Question.objects.create(
        study=study,
        position=study.questions.count() + 1,
        key=key,
        kind=kind,
        **{"text": f"What about {key}?", "reported_as": key.capitalize()} | fields,
    )
    ScalePoint.objects.bulk_create(
        ScalePoint(question=question, value=value, label=label)
        for value, label in (points or {}).items()
    )
    return question


def add_set(study: Study, key: str, country: str = "NP", n: int = 3, **fields) -> Unit:
    """A unit of several items, one a system, of the same prompt."""
    unit = Unit.objects.create(study=study, key=key, country=country)
    for position in range(n):
        name = "xyzuvw"[position]
        system, _ = System.objects.get_or_create(
            study=study, name=name, defaults={"position": position}
        )
        item = Item(
            study=study,
            external_id=f"{key}-{name}",
            country=country,
            system=system,
            content_type="image/png",
            sha256=f"{next(_colours):064x}",
            source_name=f"{key}-{name}.png",
            width=64,
            height=48,
            **{"prompt": "Guests greet the host", "scenario": "greeting"} | fields,
        )
        item.media.save("picture.png", ContentFile(picture()), save=False)
        item.save()
        UnitItem.objects.create(unit=unit, item=item, position=position)
    return unit


def add_probe(study: Study, dimension: str, scenario: str = "greeting", **fields) -> Probe:
    return Probe.objects.create(
        study=study,
        external_id=f"{scenario}-{dimension}",
        scenario=scenario,
        country="NP",
        dimension=dimension,
        **{"text": f"Can the {dimension} be seen?"} | fields,
    )


def _empty_study(researcher, **fields) -> Study:
    study = Study.objects.create(
        owner=researcher,
        consent_summary="You look at pictures.",
        instructions="Say what you see.",
        contact="ana@example.org",
        completion_code="DONE42",
        **fields,
    )
    Panel.objects.create(study=study, country="NP", ratings_per_unit=2)
    return study


@pytest.fixture
def triplet_study(researcher) -> Study:
    """Sets of three in three steps: is the probe of use, where is it seen, in which order."""
    study = _empty_study(
        researcher,
        title="Greetings",
        slug="greetings",
        public_title="Sets of greetings",
        units_per_session=3,
        items_per_unit=3,
    )
    of_probe = {"asked_of": "probe"}
    add_question(study, "useful", "yes_no", text="Is this of use: {probe}", tier=1, **of_probe)
    add_question(study, "seen", "multi", text="{probe}", help="Mark all.", tier=2, **of_probe)
    ends = {1: "best match", 3: "weakest match"}
    add_question(study, "order", "ranking", tier=3, points=ends)
    for dimension in ("Identity", "Behaviour", "Context"):
        add_probe(study, dimension)
    for number in (1, 2, 3):
        add_set(study, f"set-{number}")
    return study


@pytest.fixture
def live_triplets(triplet_study, researcher) -> Study:
    launch_study(study=triplet_study, by=researcher, note="As published.")
    triplet_study.refresh_from_db()
    return triplet_study


@pytest.fixture
def live_kinds(researcher) -> Study:
    """One picture a screen, and every kind that fits one, with a follow-up and N/A."""
    study = _empty_study(
        researcher,
        title="Kinds",
        slug="kinds",
        public_title="All kinds",
        units_per_session=3,
    )
    scale = dict(enumerate(LABELS, 1))
    words = {"na_label": "No text visible", "na_description": "Nothing is written there."}
    add_question(study, "text_rendering", "likert", points=scale, allow_na=True, **words)
    real = add_question(study, "real", "yes_no")
    add_question(
        study,
        "flaw",
        "choice",
        points={1: "Hands", 2: "Faces", 3: "Things"},
        shown_if=real,
        shown_from=0,
        shown_to=0,
    )
    ends = {0: "Not at all", 100: "Fully"}
    add_question(study, "share", "slider", points=ends, required=False, allow_na=True, **words)
    add_question(study, "list", "descriptors", points=scale)
    add_question(study, "why", "text", required=False)
    for number in (1, 2, 3):
        add_item(study, f"np-{number}")
    for token, dimension in (("red sari", "attire"), ("nose ring", "attire"), ("fire", "objects")):
        Descriptor.objects.create(
            study=study,
            kind="reference",
            activity="Wedding",
            country="NP",
            token=token,
            dimension=dimension,
        )
    launch_study(study=study, by=researcher, note="A test.")
    study.refresh_from_db()
    return study
