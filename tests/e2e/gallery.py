"""A study of every kind with drawn pictures and clips, in English or Persian: made to be seen."""

from __future__ import annotations

import io
import json
from functools import lru_cache

import av
import numpy as np
from django.core.files.base import ContentFile
from PIL import Image

from demo.scenes import demo_items, draw_scene
from demo.study import FIXTURES, definition
from studies.lifecycle import launch_study
from studies.models import Item, Panel, Question, ScalePoint, Study
from studies.words.translating import save_translations
from tests.e2e.filmed import (
    RATE,
    add_picture,
    add_unit,
    ask,
    kinds_study,
    new_study,
    pair_study,
    sound_study,
    triplet_study,
    video_study,
)

CLIP = (640, 360)
SECONDS = 1.5
PERSIAN = {
    "study.public_title": "ویدیوهای خوشامدگویی",
    "study.consent_summary": "ویدیوهای کوتاه می‌بینید.\nهر زمان بخواهید می‌توانید کار را متوقف کنید.",
    "study.instructions": "بگویید چه می‌بینید.",
    "activity.greeting": "خوشامدگویی",
    "question.useful.text": "{probe}",
    "question.useful.help": "این پرسش به کار می‌آید؟",
    "question.seen.text": "{probe}",
    "question.order.text": "ویدیوها را به ترتیب بچینید.",
    "question.order.help": "اول آن که با فرهنگ بهتر جور است، نه آن که واضح‌تر یا زیباتر است.",
    "question.order.point.1.label": "بهترین",
    "question.order.point.3.label": "ضعیف‌ترین",
    "question.people.text": "آدمی در تصویر هست؟",
    "question.people.na_label": "نمی‌توان گفت",
    "question.who.text": "چه کسی در میان است؟",
    "question.who.point.1.label": "یک کودک",
    "question.who.point.2.label": "یک بزرگسال",
    "question.who.point.3.label": "یک سالمند",
    "question.closeness.text": "چقدر به آنچه می‌شناسید نزدیک است؟",
    "question.closeness.na_label": "نمی‌توان گفت",
    "question.closeness.point.0.label": "هیچ",
    "question.closeness.point.100.label": "درست همان",
    "question.tokens.text": "کدام یک از این‌ها به عروسی تعلق دارد؟",
    "question.remarks.text": "چیز دیگری هست؟",
    "question.fitting.text": "کدام یک جور است؟",
}
ENGLISH_TEXTS = {
    "faithfulness": "How well does this show a {activity} as it is in {country}?",
    "realism": "How real does it look?",
    "fit": "How well does the sound fit a {activity} in {country}?",
    "difference": "How different are the two?",
}
PERSIAN_TEXTS = {
    "faithfulness": "این چقدر {activity} را همان‌طور که در {country} هست نشان می‌دهد؟",
    "realism": "چقدر واقعی به نظر می‌رسد؟",
    "fit": "این صدا چقدر با {activity} در {country} جور است؟",
    "difference": "این دو چقدر با هم فرق دارند؟",
}
PERSIAN_POINTS = ("اصلاً", "کمی", "تا حدی", "بیشتر", "کاملاً")
PERSIAN_TOKENS = {
    "red sari": "ساری سرخ",
    "gold nose ring": "حلقهٔ بینی طلا",
    "topi hat": "کلاه توپی",
    "flower garland": "حلقهٔ گل",
    "brass lamp": "چراغ برنجی",
    "low table": "میز کوتاه",
    "rice tray": "سینی برنج",
    "courtyard": "حیاط",
    "brick house": "خانهٔ آجری",
}
PERSIAN_PROBES = (
    "آیا مردی مسن با جامهٔ بلند سفید خوشامد می‌گوید؟",
    "آیا آن دو دست می‌دهند و سپس دست بر سینه می‌گذارند؟",
    "آیا در حیاطی با میزی کوتاه است؟",
)


@lru_cache(maxsize=8)
def drawing(look: int) -> Image.Image:
    drawn = [item for item in demo_items() if item.origin == "generated"]
    return draw_scene(drawn[look % len(drawn)]).convert("RGB")


@lru_cache(maxsize=8)
def picture_bytes(look: int) -> bytes:
    buffer = io.BytesIO()
    drawing(look).save(buffer, "WEBP", quality=80)
    return buffer.getvalue()


def _frame(look: int, at: float) -> Image.Image:
    """A slow move over the drawing: ``at`` is 0 at the start and 1 at the end."""
    scene = drawing(look)
    width = round(scene.width * 0.8)
    height = min(scene.height, round(width * CLIP[1] / CLIP[0]))
    left = round((scene.width - width) * at)
    top = (scene.height - height) // 2
    return scene.crop((left, top, left + width, top + height)).resize(CLIP)


@lru_cache(maxsize=8)
def film(look: int) -> tuple[bytes, bytes]:
    """A clip of the drawing, and its first frame."""
    buffer, first = io.BytesIO(), io.BytesIO()
    with av.open(buffer, "w", format="mp4") as out:
        video = out.add_stream("libx264", rate=RATE)
        video.width, video.height, video.pix_fmt = (*CLIP, "yuv420p")
        total = round(SECONDS * RATE)
        for n in range(total):
            frame = np.asarray(_frame(look, n / (total - 1)))
            out.mux(video.encode(av.VideoFrame.from_ndarray(frame, format="rgb24")))
        out.mux(video.encode(None))
    _frame(look, 0).save(first, "JPEG", quality=85)
    return buffer.getvalue(), first.getvalue()


def likert_study(owner) -> Study:
    """The demo's own questions: three scales, a rationale that may become needed."""
    told = definition()
    study = new_study(
        owner,
        "weddings",
        public_title=told["public_title"],
        consent_summary="\n".join(told["consent"]["in_short"]),
        consent_text=told["consent"]["full"],
        instructions=told["instructions"]["lead"],
        instruction_points="\n".join(told["instructions"]["points"]),
        units_per_session=3,
    )
    for row in told["questions"]:
        when = row.get("required_when", {})
        question = ask(
            study,
            row["key"],
            row["kind"],
            row["text"],
            help=row["help"],
            required=row["required"],
            direction=row.get("direction", "none"),
            min_length=row.get("min_length", 0),
            required_when=study.questions.filter(key=when.get("question")).first(),
            required_from=when.get("from"),
            required_to=when.get("to"),
        )
        points = (ScalePoint(question=question, **point) for point in row.get("points", ()))
        ScalePoint.objects.bulk_create(points)
    for n in range(3):
        item = add_picture(study, f"np-{n}")
        Item.objects.filter(pk=item.pk).update(prompt="A wedding in Nepal", category="wedding")
        add_unit(study, f"np-{n}", [item])
    return study


MAKERS = {
    "likert": likert_study,
    "kinds": kinds_study,
    "pair": pair_study,
    "video": video_study,
    "triplet": triplet_study,
    "sound": sound_study,
}


def gallery_study(owner, kind: str, *, language: str = "en") -> Study:
    """A live study of this kind. ``language``: what its annotators read, "en" or "fa"."""
    study = MAKERS[kind](owner)
    for key, text in ENGLISH_TEXTS.items() if kind != "likert" else ():
        Question.objects.filter(study=study, key=key).update(text=text)
    _draw(study)
    if language != study.base_language:
        Panel.objects.filter(study=study).update(language=language)
        _translate(study, language, kind, owner)
    launch_study(study=study, by=owner, note="Made to be seen.")
    return Study.objects.get(pk=study.pk)


def _draw(study: Study) -> None:
    for look, item in enumerate(study.items.order_by("pk")):
        if item.kind == Item.Kind.VIDEO:
            clip, first = film(look % 6)
            item.media.save("clip.mp4", ContentFile(clip), save=False)
            item.poster.save("poster.jpg", ContentFile(first), save=False)
            item.width, item.height = CLIP
        elif item.kind == Item.Kind.IMAGE:
            item.media.save("scene.webp", ContentFile(picture_bytes(look % 6)), save=False)
            item.content_type = "image/webp"
            item.width, item.height = drawing(look % 6).size
        item.save()


def _translate(study: Study, language: str, kind: str, owner) -> None:
    if kind == "likert":
        path = FIXTURES / "words" / f"{language}.json"
        texts = json.loads(path.read_text(encoding="utf-8"))
    else:
        texts = dict(PERSIAN)
        for question in study.questions.prefetch_related("points"):
            if question.key in PERSIAN_TEXTS:
                texts[f"question.{question.key}.text"] = PERSIAN_TEXTS[question.key]
            if question.allow_na:
                texts.setdefault(f"question.{question.key}.na_label", "دیده نمی‌شود")
            for point in question.points.all():
                key = f"question.{question.key}.point.{point.value}.label"
                if key not in texts:
                    texts[key] = PERSIAN_POINTS[point.value - 1]
        for token, word in PERSIAN_TOKENS.items():
            texts[f"descriptor.{token}"] = word
        for n, probe in enumerate(study.probes.order_by("pk")):
            texts[f"probe.{probe.external_id}"] = PERSIAN_PROBES[n % len(PERSIAN_PROBES)]
    save_translations(study=study, language=language, texts=texts, by=owner)
