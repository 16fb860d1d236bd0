"""Image-text metrics with tiny checkpoints of the real architectures, from file to score."""

import itertools
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from scoring import runs
from scoring.backends.frames import frame_at, uniform_frames
from scoring.backends.image_text import EncoderError, TransformersEncoder
from scoring.backends.pictures import UndecodableMediaError, open_picture
from scoring.models import Score
from tests.tiny_models import LONGEST, noise, plain_cosines, save_checkpoint


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory):
    return {family: save_checkpoint(tmp_path_factory.mktemp(family), family) for family in LONGEST}


@pytest.mark.parametrize("family", ["clip", "siglip"])
@pytest.mark.parametrize("text", ["wedding", "ab" * 60])
def test_cosines_are_those_of_a_plain_forward_pass(checkpoints, family, text):
    encoder = TransformersEncoder(model=str(checkpoints[family]), batch_size=2)
    [vector] = encoder.encode_images([noise])
    other, encoded = encoder.encode_texts(["garland", text])
    expected = plain_cosines(checkpoints[family], noise(), text)
    assert float(vector @ encoded.vector) == pytest.approx(expected, abs=1e-5)
    assert (encoded.truncated, other.truncated) == (text != "wedding", False)
    assert vector.dtype == np.float32
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


def test_batches_keep_the_order_and_a_picture_that_fails_fails_alone(checkpoints):
    encoder = TransformersEncoder(model=str(checkpoints["clip"]), batch_size=2)

    def broken():
        raise UndecodableMediaError("no")

    opened = [lambda seed=seed: noise(seed=seed) for seed in range(7)]
    singly = [encoder.encode_images([one])[0] for one in opened]
    together = encoder.encode_images([*opened[:3], broken, *opened[3:]])
    assert isinstance(together.pop(3), UndecodableMediaError)
    np.testing.assert_allclose(together, singly, atol=1e-5)


def test_weights_that_are_no_safetensors_are_refused(checkpoints, tmp_path):
    for path in checkpoints["clip"].iterdir():
        if path.suffix != ".safetensors":
            (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "pytorch_model.bin").write_bytes(b"pickle")
    with pytest.raises(EncoderError, match="safetensors"):
        TransformersEncoder(model=str(tmp_path)).load()


@pytest.mark.parametrize("mode", ["L", "LA", "RGBA", "CMYK", "P", "1", "I;16"])
def test_pictures_of_every_mode_come_in_rgb(tmp_path, mode):
    path = tmp_path / ("p.tif" if mode in {"CMYK", "I;16"} else "p.png")
    if mode == "I;16":
        Image.fromarray(np.full((4, 4), 65535, dtype=np.uint16)).save(path)
    else:
        Image.new("RGB", (4, 4), "white").convert(mode).save(path)
    image = open_picture(path)
    assert (image.mode, image.getpixel((1, 1))) == ("RGB", (255, 255, 255))


def test_what_is_transparent_is_white_and_of_an_animation_the_first_picture_counts(tmp_path):
    Image.new("RGBA", (4, 4), (255, 0, 0, 0)).save(tmp_path / "p.png")
    assert open_picture(tmp_path / "p.png").getpixel((0, 0)) == (255, 255, 255)
    red, blue = Image.new("RGB", (4, 4), "red"), Image.new("RGB", (4, 4), "blue")
    red.save(tmp_path / "a.gif", save_all=True, append_images=[blue])
    assert open_picture(tmp_path / "a.gif").getpixel((0, 0)) == (255, 0, 0)


@pytest.fixture
def clip(tmp_path):
    """Ten frames in one second, each lighter than the one before."""
    path = tmp_path / "clip.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=10)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for n in range(10):
            image = Image.new("RGB", (64, 48), (20 * n + 20,) * 3)
            container.mux(stream.encode(av.VideoFrame.from_image(image)))
        container.mux(stream.encode())
    return path


def grey(frame):
    return frame.image.getpixel((30, 20))[0]


def test_the_frame_at_a_time_is_the_one_that_is_shown_then(clip):
    assert grey(frame_at(clip, 0)) == pytest.approx(20, abs=4)
    assert grey(frame_at(clip, 0.35)) == pytest.approx(80, abs=4)
    past = frame_at(clip, 2.0)
    assert (past.seconds, grey(past)) == (pytest.approx(0.9), pytest.approx(200, abs=4))


def test_uniform_frames_stand_in_the_middle_of_equal_parts(clip):
    frames = uniform_frames(clip, 5)
    assert [frame.seconds for frame in frames] == pytest.approx([0.1, 0.3, 0.5, 0.7, 0.9])
    greys = [grey(frame) for frame in uniform_frames(clip, 30)]
    assert len(greys) == 30
    assert all(a <= b for a, b in itertools.pairwise(greys))


def test_a_clip_that_cannot_be_decoded_is_named(tmp_path):
    (tmp_path / "bad.mp4").write_bytes(b"not a clip at all")
    with pytest.raises(UndecodableMediaError, match="bad.mp4"):
        frame_at(tmp_path / "bad.mp4", 2)


@pytest.mark.django_db
def test_a_run_scores_pictures_and_clips_and_what_is_bad_is_undefined_alone(
    checkpoints, draft_study, researcher, settings, clip
):
    settings.IMAGE_TEXT_MODELS = {"clip": str(checkpoints["clip"]), "pickscore": ""}
    items = list(draft_study.items.order_by("pk"))
    draft_study.items.update(prompt="wedding")
    draft_study.items.filter(pk=items[1].pk).update(prompt="")
    with open(items[2].media.path, "wb") as stream:
        stream.write(b"no picture")
    items[3].media.storage.delete(items[3].media.name)
    with open(items[4].media.path, "wb") as stream:
        stream.write(clip.read_bytes())
    draft_study.items.filter(pk=items[4].pk).update(kind="video")
    draft_study.items.filter(pk=items[5].pk).update(kind="audio")
    run = runs.request_run(study=draft_study, metric="clipscore", parameters={}, by=researcher)
    runs.execute_run(run_id=run.pk)
    run.refresh_from_db()
    assert (run.state, run.error, run.n_done) == ("done", "", 6)
    scores = Score.objects.filter(run=run)
    assert scores.count() == 18
    reasons = [scores.get(item=item, output="clip_cosine").reason for item in items]
    assert reasons == ["", "no_prompt", "undecodable", "missing_media", "", "not_applicable"]
    cosine = scores.get(item=items[0], output="clip_cosine").value
    picture = open_picture(_path(items[0]))
    assert cosine == pytest.approx(plain_cosines(checkpoints["clip"], picture, "wedding"), abs=1e-5)
    w25 = scores.get(item=items[0], output="clipscore").value
    assert w25 == pytest.approx(2.5 * max(0, cosine))
    assert scores.get(item=items[4], output="clipscore").evidence["seconds"] == pytest.approx(0.9)


def _path(item):
    return Path(item.media.path)


@pytest.mark.django_db
def test_pickscore_is_the_cosine_times_the_logit_scale(
    checkpoints, draft_study, researcher, settings
):
    settings.IMAGE_TEXT_MODELS = {"clip": "", "pickscore": str(checkpoints["clip"])}
    draft_study.items.update(prompt="wedding")
    run = runs.request_run(study=draft_study, metric="pickscore", parameters={}, by=researcher)
    runs.execute_run(run_id=run.pk)
    item = draft_study.items.first()
    cosine = plain_cosines(checkpoints["clip"], open_picture(_path(item)), "wedding")
    value = Score.objects.get(run=run, item=item).value
    assert value == pytest.approx(cosine / 0.07, abs=1e-3)


@pytest.mark.django_db
def test_a_model_that_is_not_there_fails_the_run_with_a_sentence(draft_study, researcher, settings):
    settings.IMAGE_TEXT_MODELS = {"clip": "nobody/nothing", "pickscore": ""}
    run = runs.request_run(study=draft_study, metric="clipscore", parameters={}, by=researcher)
    runs.execute_run(run_id=run.pk)
    run.refresh_from_db()
    assert run.state == "failed"
    assert "nobody/nothing cannot be loaded" in run.error
