"""An encoder of few dimensions whose vectors tests choose."""

import zlib

import numpy as np

from scoring.backends.image_text import EncodedText
from scoring.backends.pictures import MediaError


class ChosenEncoder:
    """Texts by ``texts``; pictures by the colour of their first pixel, read from the file."""

    model_id = "chosen"
    logit_scale = 10.0

    def __init__(self, texts=(), *, revision="r1", dimension=8):
        self.texts = dict(texts)
        self.revision = revision
        self.dimension = dimension
        self.encoded = []

    def encode_texts(self, texts):
        self.encoded += texts
        return [EncodedText(self._text(text), len(text) > 64) for text in texts]

    def encode_images(self, images):
        found = []
        for open_image in images:
            try:
                pixel = open_image().getpixel((0, 0))
            except MediaError as error:
                found.append(error)
                continue
            self.encoded.append(pixel)
            found.append(random_unit(str(pixel), self.dimension))
        return found

    def _text(self, text):
        chosen = self.texts.get(text)
        return random_unit(text, self.dimension) if chosen is None else unit(chosen)


def unit(values):
    vector = np.asarray(values, dtype=np.float32)
    return vector / np.linalg.norm(vector)


def random_unit(name, dimension):
    seed = zlib.crc32(name.encode())
    return unit(np.random.default_rng(seed).normal(size=dimension))
