"""The metrics that read models as runs of a study, from settings to stored scores."""

import math
from pathlib import Path

import numpy as np
import pytest

from scoring import runs
from scoring.backends.image_text import TransformersEncoder
from scoring.backends.pictures import open_picture
from scoring.metrics.vendi import vendi_score
from tests.chat_server import FakeChatServer
from tests.tiny_models import noise, save_checkpoint, save_llava

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    return save_checkpoint(tmp_path_factory.mktemp("siglip"), "siglip")


@pytest.fixture
def study(draft_study, checkpoint, settings):
    settings.IMAGE_TEXT_MODELS = {"clip": str(checkpoint), "cure": str(checkpoint)}
    settings.IMAGE_TEXT_REVISIONS = {"clip": "main", "cure": "main"}
    for n, item in enumerate(draft_study.items.order_by("pk")):
        noise(seed=n).save(item.media.path)
        item.sha256 = f"{n:064x}"
        item.save()
    return draft_study


def done(study, researcher, metric, **parameters):
    run = runs.request_run(study=study, metric=metric, parameters=parameters, by=researcher)
    runs.execute_run(run_id=run.pk)
    run.refresh_from_db()
    assert (run.state, run.error) == ("done", "")
    return run


def test_pictures_are_scored_by_encoders_alone_and_in_cells(study, researcher, checkpoint):
    encoder = TransformersEncoder(model=str(checkpoint))
    items = list(study.items.order_by("pk"))
    images = encoder.encode_images([lambda i=i: open_picture_of(i) for i in items])
    probes = encoder.encode_texts(["an image of wedding", "an image from Nepal"])
    prompts = encoder.encode_texts([item.prompt for item in items])

    cure = done(study, researcher, "cure").scores
    frames = done(study, researcher, "frame_similarity").scores
    for item, image, text in zip(items, images, prompts, strict=True):
        expected = sum(float(image @ probe.vector) for probe in probes) / 2
        assert cure.get(item=item).value == pytest.approx(expected, abs=1e-5)
        assert frames.get(item=item).value == pytest.approx(float(image @ text.vector), abs=1e-5)

    cell = done(study, researcher, "vendi").scores.get()
    assert cell.item is None
    assert cell.value == pytest.approx(vendi_score(np.stack(images)), abs=1e-5)
    assert cell.evidence == {"n": 6}


def open_picture_of(item):
    return open_picture(Path(item.media.path))


def test_vqascore_of_a_server_asks_once_for_each_picture(study, researcher, settings):
    with FakeChatServer() as server:
        settings.CHAT_BASE_URL = server.url
        top = {"Yes": math.log(0.6), "No": math.log(0.2)}
        for _ in range(6):
            server.say("Yes", logprobs=[("Yes", top["Yes"], top)])
        run = done(study, researcher, "vqascore", model="m")
        assert [score.value for score in run.scores.all()] == pytest.approx([0.75] * 6)
        done(study, researcher, "vqascore", model="m")
        assert len(server.requests) == 6


def test_vqascore_of_the_model_on_this_machine(study, researcher, settings, tmp_path):
    settings.CHAT_LOCAL_MODEL = str(save_llava(tmp_path))
    study.items.exclude(pk=study.items.first().pk).update(prompt="")
    run = done(study, researcher, "vqascore", model="local")
    reasons = sorted(score.reason for score in run.scores.all())
    assert reasons == ["", *["no_prompt"] * 5]
    assert 0 < run.scores.get(reason="").value < 1
    assert run.model_id.startswith(str(tmp_path))
