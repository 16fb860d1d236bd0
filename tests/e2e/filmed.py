"""Small real clips, and studies that show them: one at a time, in sets, with every kind."""

from __future__ import annotations

import hashlib
import io
import math
from fractions import Fraction
from functools import lru_cache

import av
import numpy as np
from django.core.files.base import ContentFile
from PIL import Image

from studies.models import (
    Descriptor,
    Item,
    Panel,
    Probe,
    Question,
    ScalePoint,
    Study,
    Unit,
    UnitItem,
    UnitProbe,
)
from tests.conftest import add_likert

RATE = 12  # frames a second
SIZE = (320, 180)
COLOURS = ((86, 122, 150), (150, 104, 122), (104, 140, 104), (150, 132, 90))


@lru_cache(maxsize=32)
def clip_bytes(
    seconds: float = 1.5, *, look: int = 0, codec: str = "libx264", sound: bool = False
) -> bytes:
    """An MP4 in which a bright square crosses a plain ground; with a tone where ``sound``."""
    buffer = io.BytesIO()
    with av.open(buffer, "w", format="mp4") as out:
        video = out.add_stream(codec, rate=RATE)
        video.width, video.height, video.pix_fmt = (*SIZE, "yuv420p")
        audio = out.add_stream("aac", rate=16_000) if sound else None
        for frame in _frames(seconds, look):
            out.mux(video.encode(frame))
        out.mux(video.encode(None))
        if audio:
            for frame in _tone(seconds):
                out.mux(audio.encode(frame))
            out.mux(audio.encode(None))
    return buffer.getvalue()


@lru_cache(maxsize=8)
def sound_bytes(seconds: float = 1.5) -> bytes:
    """An M4A with a tone."""
    buffer = io.BytesIO()
    with av.open(buffer, "w", format="mp4") as out:
        audio = out.add_stream("aac", rate=16_000)
        for frame in _tone(seconds):
            out.mux(audio.encode(frame))
        out.mux(audio.encode(None))
    return buffer.getvalue()


def _picture(look: int, at: float) -> np.ndarray:
    image = np.full((SIZE[1], SIZE[0], 3), COLOURS[look % len(COLOURS)], dtype=np.uint8)
    image[120:] = (140, 120, 100)
    x = int(at * (SIZE[0] - 40))
    image[80:150, x : x + 40] = (236, 214, 150)
    return image


def _frames(seconds: float, look: int):
    total = max(2, round(seconds * RATE))
    for n in range(total):
        yield av.VideoFrame.from_ndarray(_picture(look, n / (total - 1)), format="rgb24")


def _tone(seconds: float):
    for start in range(0, round(seconds * 16_000), 1024):
        angles = np.arange(start, start + 1024) * (2 * math.pi * 330 / 16_000)
        samples = (0.1 * np.sin(angles)).astype(np.float32)[None, :]
        frame = av.AudioFrame.from_ndarray(samples, format="fltp", layout="mono")
        frame.sample_rate, frame.pts, frame.time_base = 16_000, start, Fraction(1, 16_000)
        yield frame


def poster_bytes(look: int) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(_picture(look, 0.3)).save(buffer, "JPEG")
    return buffer.getvalue()


def new_study(owner, slug: str, **fields) -> Study:
    study = Study.objects.create(
        owner=owner,
        title=slug.capitalize(),
        slug=slug,
        **{
            "public_title": "Videos of greetings",
            "consent_summary": "You watch short videos.\nYou can stop at any time.",
            "instructions": "Say what you see.",
            "contact": "ana@example.org",
            "units_per_session": 2,
            "completion_code": "DONE42",
        }
        | fields,
    )
    Panel.objects.create(study=study, country="NP", ratings_per_unit=3)
    return study


def add_clip(study: Study, key: str, *, look: int = 0, data: bytes | None = None, **fields) -> Item:
    item = Item(
        study=study,
        external_id=key,
        country="NP",
        sha256=hashlib.sha256(f"{study.pk} {key}".encode()).hexdigest(),
        source_name=f"{key}.mp4",
        **{
            "kind": Item.Kind.VIDEO,
            "content_type": "video/mp4",
            "prompt": "Guests greet the host at a family home",
            "category": "greeting",
            "scenario": "greeting",
            "width": SIZE[0],
            "height": SIZE[1],
            "duration": 1.5,
        }
        | fields,
    )
    item.media.save("clip.mp4", ContentFile(data or clip_bytes(look=look)), save=False)
    item.poster.save("poster.jpg", ContentFile(poster_bytes(look)), save=False)
    item.save()
    return item


def add_picture(study: Study, key: str, *, look: int = 0) -> Item:
    item = add_clip(study, key, kind=Item.Kind.IMAGE, content_type="image/jpeg")
    item.media.save("picture.jpg", ContentFile(poster_bytes(look)), save=False)
    item.poster = ""
    item.save()
    return item


def add_unit(study: Study, key: str, items: list[Item]) -> Unit:
    unit = Unit.objects.create(study=study, key=key, country="NP")
    for position, item in enumerate(items):
        UnitItem.objects.create(unit=unit, item=item, position=position)
    return unit


def ask(study: Study, key: str, kind: str, text: str, points=(), **fields) -> Question:
    question = Question.objects.create(
        study=study,
        position=study.questions.count() + 1,
        key=key,
        kind=kind,
        text=text,
        reported_as=key.capitalize(),
        **fields,
    )
    ScalePoint.objects.bulk_create(
        ScalePoint(question=question, value=value, label=label) for value, label in points
    )
    return question


def video_study(owner, *, data: bytes | None = None, **fields) -> Study:
    """One clip a screen, two scales about it."""
    study = new_study(owner, "clips", **fields)
    add_likert(study, "faithfulness")
    add_likert(study, "realism")
    for n in range(2):
        add_unit(study, f"clip-{n}", [add_clip(study, f"clip-{n}", look=n, data=data)])
    return study


PROBES = (
    ("Identity", "Does an older man in a long white robe lead the greeting?"),
    ("Behavior", "Do the two touch hands and then put a hand on the chest?"),
    ("Context", "Does it take place in a courtyard with a low table?"),
)


def triplet_study(owner, **fields) -> Study:
    """Three clips a screen in three steps: which questions are useful, what is seen, the order."""
    study = new_study(owner, "triplets", items_per_unit=3, **fields)
    ask(study, "useful", "yes_no", "{probe}", asked_of="probe", tier=1, help="Is it useful?")
    ask(study, "seen", "multi", "{probe}", asked_of="probe", tier=2, direction="none")
    ask(
        study,
        "order",
        "ranking",
        "Put the videos in order.",
        [(1, "best match"), (3, "weakest match")],
        tier=3,
        help="Best match with the culture first. Not how sharp or pretty it is.",
    )
    for n in range(2):
        items = [add_clip(study, f"u{n}-{look}", look=look) for look in range(3)]
        unit = add_unit(study, f"triplet-{n}", items)
        for position, (dimension, text) in enumerate(PROBES):
            probe = Probe.objects.create(
                study=study,
                external_id=f"u{n}-{dimension}",
                scenario="greeting",
                country="NP",
                dimension=dimension,
                text=text,
            )
            UnitProbe.objects.create(unit=unit, probe=probe, position=position)
    return study


NA = {"allow_na": True, "na_label": "Cannot tell"}
TOKENS = {
    "attire": ("red sari", "gold nose ring", "topi hat", "flower garland"),
    "objects": ("brass lamp", "low table", "rice tray"),
    "setting": ("courtyard", "brick house"),
}


def kinds_study(owner, **fields) -> Study:
    """A picture and each kind of question that one item can have."""
    study = new_study(owner, "kinds", public_title="Pictures", **fields)
    add_likert(study, "faithfulness")
    Question.objects.filter(study=study).update(allow_na=True, na_label="No activity visible")
    people = ask(study, "people", "yes_no", "Are there people?", **NA)
    ask(
        study,
        "who",
        "choice",
        "Who is in the middle?",
        [(1, "A child"), (2, "A grown-up"), (3, "An old person")],
        shown_if=people,
        shown_from=1,
        shown_to=1,
        direction="none",
    )
    ask(
        study,
        "closeness",
        "slider",
        "How close is it to what you know?",
        [(0, "Not at all"), (100, "Just like it")],
        **NA,
    )
    ask(
        study,
        "tokens",
        "descriptors",
        "Which of these belong to a wedding in Nepal?",
        [(1, "Very incomplete"), (2, "Incomplete"), (3, "Partly"), (4, "Mostly"), (5, "Complete")],
    )
    ask(study, "remarks", "text", "Anything else?", required=False)
    for dimension, tokens in TOKENS.items():
        for token in tokens:
            Descriptor.objects.create(
                study=study,
                kind=Descriptor.Kind.REFERENCE,
                country="NP",
                activity="greeting",
                dimension=dimension,
                token=token,
            )
    for n in range(2):
        add_unit(study, f"picture-{n}", [add_picture(study, f"picture-{n}", look=n)])
    return study


def pair_study(owner, **fields) -> Study:
    """Two pictures a screen, which of them fit, and how different they are."""
    study = new_study(owner, "pairs", items_per_unit=2, public_title="Pictures", **fields)
    add_likert(study, "difference")
    ask(study, "fitting", "multi", "Which of them fit?", direction="none")
    for n in range(2):
        pictures = [add_picture(study, f"pair-{n}-{look}", look=look) for look in range(2)]
        add_unit(study, f"pair-{n}", pictures)
    return study


def sound_study(owner, **fields) -> Study:
    """One sound a screen and a scale about it."""
    study = new_study(owner, "sounds", sound=Study.Sound.JUDGED, **fields)
    add_likert(study, "fit")
    for n in range(2):
        item = add_clip(study, f"sound-{n}", kind=Item.Kind.AUDIO, content_type="audio/mp4")
        item.media.save("sound.m4a", ContentFile(sound_bytes()), save=False)
        item.poster, item.width, item.height = "", None, None
        item.save()
        add_unit(study, f"sound-{n}", [item])
    return study
