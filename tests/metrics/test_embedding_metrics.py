"""CuRe, pooled frames and the Vendi score, held to plain computations on tiny checkpoints."""

import math
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from scoring.backends.image_text import TransformersEncoder
from scoring.backends.pictures import open_picture
from scoring.metrics.base import Cell, CellItems, MetricItem
from scoring.metrics.cure import CURE, probes
from scoring.metrics.frame_similarity import FRAME_SIMILARITY, pooled_vector
from scoring.metrics.vendi import VENDI, vendi_score
from tests.tiny_models import noise, plain_cosines, save_checkpoint


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return save_checkpoint(tmp_path_factory.mktemp("siglip"), "siglip")


@pytest.fixture(scope="module")
def encoder(folder):
    return TransformersEncoder(model=str(folder), batch_size=2)


@pytest.fixture
def item(tmp_path):
    def made(key, seed=0, **fields):
        path = tmp_path / f"{key}.png"
        if fields.get("file") is None:
            noise(seed=seed).save(path)
        return MetricItem(key, {"kind": "image", "file": str(path), **fields})

    return made


def scores(metric, backend, items, **parameters):
    rows = metric.score(items=items, descriptors=(), backend=backend, parameters=parameters)
    return {row.item_key: row for row in rows}


def test_cure_is_the_mean_cosine_of_two_probes(encoder, folder, item):
    one = item("a", activity="wedding", country_name="Nigeria")
    row = scores(CURE, encoder, [one])["a"]
    assert row.evidence["probes"] == ["an image of wedding", "an image from Nigeria"]
    picture = open_picture(_path(one))
    expected = [plain_siglip(folder, picture, text) for text in probes(one)]
    assert row.evidence["cosines"] == pytest.approx(expected, abs=1e-5)
    assert row.value == pytest.approx(sum(expected) / 2, abs=1e-5)


def _path(item):
    return Path(item.fields["file"])


def plain_siglip(folder, image, text):
    """As ``plain_cosines``, for any text: what is no letter is the unknown token, 2."""
    import torch
    import transformers as tf

    model = tf.AutoModel.from_pretrained(folder).eval()
    ids = [0, *(3 + ord(c) - 97 if "a" <= c <= "z" else 2 for c in text), 1]
    ids += [2] * (64 - len(ids))
    image = image.resize((32, 32), Image.Resampling.BICUBIC)
    pixels = ((np.asarray(image) / 255 - 0.5) / 0.5).transpose(2, 0, 1)[None]
    with torch.no_grad():
        output = model(
            input_ids=torch.tensor([ids]), pixel_values=torch.tensor(pixels, dtype=torch.float32)
        )
    a, b = output.image_embeds[0].numpy(), output.text_embeds[0].numpy()
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))


def test_cure_is_undefined_without_a_scene_a_file_or_a_picture(encoder, item):
    (broken := item("broken", activity="x", country_name="y"))
    _path(broken).write_bytes(b"no picture")
    rows = scores(
        CURE,
        encoder,
        [
            item("nowhere", activity="wedding", country_name=" "),
            item("sound", kind="audio", activity="wedding", country_name="y"),
            item("gone", file="", activity="wedding", country_name="y"),
            broken,
        ],
    )
    assert {key: row.reason for key, row in rows.items()} == {
        "nowhere": "no_scene",
        "sound": "not_applicable",
        "gone": "missing_media",
        "broken": "undecodable",
    }
    assert all(row.value is None for row in rows.values())


def test_a_clip_is_compared_by_the_mean_of_its_frames(encoder, folder, tmp_path):
    path = tmp_path / "clip.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=10)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for seed in range(8):
            frame = av.VideoFrame.from_image(noise((48, 64), seed))
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    clip = MetricItem("c", {"kind": "video", "file": str(path), "prompt": "wedding"})
    row = scores(FRAME_SIMILARITY, encoder, [clip], frames=4)["c"]
    assert row.evidence["seconds"] == pytest.approx([0.1, 0.3, 0.5, 0.7])
    with av.open(str(path)) as container:
        decoded = [frame.to_image() for frame in container.decode(video=0)]
    shown = [decoded[n] for n in (1, 3, 5, 7)]
    vectors = [encoder.encode_images([lambda image=image: image])[0] for image in shown]
    mean = np.mean(np.array(vectors, dtype=float), axis=0)
    [text] = encoder.encode_texts(["wedding"])
    expected = mean @ text.vector / np.linalg.norm(mean)
    assert row.value == pytest.approx(float(expected), abs=1e-5)


def test_a_picture_is_a_clip_of_one_frame(encoder, folder, item):
    one = item("a", prompt="wedding")
    row = scores(FRAME_SIMILARITY, encoder, [one, item("b", prompt="")])
    expected = plain_cosines(folder, open_picture(_path(one)), "wedding")
    assert row["a"].value == pytest.approx(expected, abs=1e-5)
    assert row["b"].reason == "no_prompt"


def test_frames_that_cancel_out_have_no_mean():
    with pytest.raises(ValueError, match="cancel"):
        pooled_vector([np.array([1.0, 0.0], np.float32), np.array([-1.0, 0.0], np.float32)])


def plain_vendi(x):
    """By the definition: eigenvalues of the matrix of cosines over n."""
    values = np.linalg.eigvalsh(np.array([[a @ b for b in x] for a in x]) / len(x))
    return math.exp(-sum(v * math.log(v) for v in values if v > 1e-12))


def test_equal_pictures_count_as_one_and_orthogonal_ones_as_many():
    one = np.array([[0.6, 0.8, 0.0]])
    assert vendi_score(one) == pytest.approx(1)
    assert vendi_score(np.repeat(one, 7, axis=0)) == pytest.approx(1)
    assert vendi_score(np.eye(5)) == pytest.approx(5)
    two = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])  # eigenvalues 2/3 and 1/3
    assert vendi_score(two) == pytest.approx(3 / 2 ** (2 / 3))


@pytest.mark.parametrize(("n", "d"), [(4, 16), (40, 8), (8, 8)])
def test_the_score_is_that_of_the_definition_whichever_side_is_longer(n, d):
    x = np.random.default_rng(n).normal(size=(n, d))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    assert vendi_score(x) == pytest.approx(plain_vendi(x), abs=1e-8)
    order = np.random.default_rng(1).permutation(n)
    assert vendi_score(x[order]) == pytest.approx(vendi_score(x), abs=1e-10)


@pytest.mark.parametrize("off", [1 - 5e-5, 1 + 5e-5])
def test_the_noise_of_vectors_lengths_makes_no_score_below_one(off):
    alike = np.tile(np.array([0.6, 0.8], dtype=np.float32) * np.float32(off), (5, 1))
    assert vendi_score(alike) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("x", [np.zeros((0, 3)), np.ones(3), np.ones((2, 3))])
def test_what_are_no_unit_vectors_is_refused(x):
    with pytest.raises(ValueError, match="needs"):
        vendi_score(x)


def test_a_cell_is_scored_over_the_pictures_that_can_be_read(encoder, item):
    items = tuple(item(str(seed), seed) for seed in range(3))
    gone = item("gone")
    _path(gone).unlink()
    cell, empty = Cell("wedding", "NG", "A"), Cell("wedding", "NG", "B")
    rows = list(
        VENDI.score_cells(
            cells=[CellItems(cell, (*items, gone)), CellItems(empty, (gone,))],
            descriptors=(),
            backend=encoder,
            parameters={},
        )
    )
    vectors = encoder.encode_images([lambda i=i: open_picture(_path(i)) for i in items])
    assert rows[0].value == pytest.approx(plain_vendi(np.array(vectors, dtype=float)), abs=1e-5)
    assert rows[0].evidence == {"n": 3, "left_out": {"gone": "missing_media"}}
    assert (rows[0].cell, rows[0].item_key) == (cell, "")
    assert (rows[1].value, rows[1].reason) == (None, "missing_media")
