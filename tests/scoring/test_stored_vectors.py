"""The store of vectors: a picture or a text is embedded once by a model."""

import numpy as np
import pytest

from scoring.backends.image_text import EncodedText, TransformersEncoder
from scoring.backends.media_images import MediaImage
from scoring.backends.pictures import MediaMissingError
from scoring.embeddings import StoredImageText, StoredTexts
from scoring.models import StoredVector
from tests.tiny_models import noise

pytestmark = pytest.mark.django_db


class Encoder:
    """Vectors by what is in the text or picture; notes what it was asked for."""

    batch_size = 4
    logit_scale = 1.0

    def __init__(self, model_id="m", revision="1", reading="r"):
        self.model_id, self.revision, self.reading = model_id, revision, reading
        self.seen: list = []

    def encode_images(self, images):
        self.seen += images
        return [self._seen(image) for image in images]

    def _seen(self, image):
        if "gone" in image.file:
            return MediaMissingError("gone")
        image.note["seconds"] = 1.5
        return np.full(3, float(len(image.file)), dtype=np.float32)

    def encode_texts(self, texts):
        self.seen += texts
        return [EncodedText(np.ones(3, dtype=np.float32) * len(t), len(t) > 5) for t in texts]

    def embed(self, texts):
        self.seen += texts
        return np.array([[len(t), 0, 1] for t in texts], dtype=np.float32)


def clip(file="a.mp4", sha256="f" * 64, seconds=2.0) -> MediaImage:
    return MediaImage(file, "video", sha256, seconds)


def test_a_picture_that_is_known_is_not_opened_and_keeps_its_note():
    encoder = Encoder()
    [first] = StoredImageText(encoder).encode_images([clip()])
    again = clip(file="moved elsewhere.mp4")
    [second] = StoredImageText(encoder).encode_images([again])
    assert len(encoder.seen) == 1
    np.testing.assert_array_equal(first, second)
    assert again.note == {"seconds": 1.5}


@pytest.mark.parametrize(
    ("encoder", "image"),
    [
        (Encoder(revision="2"), clip()),
        (Encoder(model_id="other"), clip()),
        (Encoder(reading="cropped"), clip()),
        (Encoder(), clip(seconds=3.0)),
        (Encoder(), clip(sha256="e" * 64)),
        (Encoder(), clip(sha256="")),
    ],
)
def test_another_model_configuration_file_or_frame_is_another_vector(encoder, image):
    StoredImageText(Encoder()).encode_images([clip()])
    StoredImageText(encoder).encode_images([image])
    assert encoder.seen == [image]


def test_a_picture_that_cannot_be_opened_is_not_remembered_and_the_order_is_kept():
    encoder = Encoder()
    stored = StoredImageText(encoder)
    known, gone, new = clip("a"), clip("gone", "1" * 64), clip("bbb", "2" * 64)
    stored.encode_images([known])
    found = stored.encode_images([new, gone, known])
    assert isinstance(found[1], MediaMissingError)
    assert [float(found[0][0]), float(found[2][0])] == [3.0, 1.0]
    assert StoredVector.objects.count() == 2


def test_texts_come_back_as_they_were_with_their_being_cut():
    encoder = Encoder()
    first = StoredImageText(encoder).encode_texts(["short", "rather long", "short"])
    second = StoredImageText(encoder).encode_texts(["rather long", "short"])
    assert encoder.seen == ["short", "rather long"]
    assert [t.truncated for t in first] == [False, True, False]
    assert [t.truncated for t in second] == [True, False]
    np.testing.assert_array_equal(first[1].vector, second[0].vector)


def test_texts_of_descriptors_are_embedded_once_for_good():
    encoder = Encoder()
    first = StoredTexts(encoder).embed(["a", "bb", "a"])
    second = StoredTexts(encoder).embed(["bb", "ccc"])
    assert encoder.seen == ["a", "bb", "ccc"]
    assert first[:, 0].tolist() == [1.0, 2.0, 1.0]
    assert second[:, 0].tolist() == [2.0, 3.0]


def test_pictures_begun_ahead_are_opened_once_and_tell_their_note(monkeypatch):
    encoder = TransformersEncoder(model="none", batch_size=2)
    opened = []

    class Frame(MediaImage):
        __slots__ = ()

        def __call__(self):
            opened.append(self.file)
            self.note["seconds"] = 0.5
            return noise()

    monkeypatch.setattr(encoder, "load", lambda: None)
    monkeypatch.setattr(encoder, "_prepared", lambda image: image())
    monkeypatch.setattr(encoder, "_encoded", lambda batch: [len(opened)] * len(batch))
    encoder.prefetch([Frame(name, "video", name) for name in "abc"])
    wanted = [Frame(name, "video", name) for name in "abc"]
    assert len(encoder.encode_images(wanted)) == 3
    assert sorted(opened) == ["a", "b", "c"]
    assert [image.note for image in wanted] == [{"seconds": 0.5}] * 3
