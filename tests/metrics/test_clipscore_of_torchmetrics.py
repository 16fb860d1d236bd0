"""CLIPScore (100) is that of torchmetrics' functional form, on the same checkpoint."""

import numpy as np
import pytest

from scoring.backends.image_text import TransformersEncoder
from scoring.metrics.base import MetricItem
from scoring.metrics.image_text import CLIPSCORE
from tests.tiny_models import noise, save_checkpoint

multimodal = pytest.importorskip(
    "torchmetrics.functional.multimodal", reason="torchmetrics is not installed"
)


@pytest.mark.parametrize(("seed", "prompt"), [(0, "garland"), (1, "market"), (2, "tea")])
def test_clipscore_is_that_of_torchmetrics(tmp_path, seed, prompt):
    import torch
    import transformers as tf

    folder = save_checkpoint(tmp_path, "clip")
    noise(seed=seed).save(tmp_path / "a.png")

    class Clip(tf.CLIPModel):
        """torchmetrics expects the bare features that transformers 4 gave."""

        def get_image_features(self, *args, **how):
            return super().get_image_features(*args, **how).pooler_output

        def get_text_features(self, *args, **how):
            return super().get_text_features(*args, **how).pooler_output

    def model_and_processor():
        model = Clip.from_pretrained(folder).eval()
        return model, tf.CLIPProcessor(
            tf.CLIPImageProcessorPil.from_pretrained(folder),
            tf.AutoTokenizer.from_pretrained(folder),
        )

    pixels = torch.tensor(np.asarray(noise(seed=seed)).transpose(2, 0, 1).copy())
    theirs = float(multimodal.clip_score(pixels, prompt, model_and_processor).detach())
    assert theirs > 0
    item = MetricItem(
        "1", {"kind": "image", "file": str(tmp_path / "a.png"), "sha256": "", "prompt": prompt}
    )
    encoder = TransformersEncoder(model=str(folder))
    rows = CLIPSCORE.score(items=[item], descriptors=(), backend=encoder, parameters={})
    ours = {row.metric: row.value for row in rows}
    assert ours["clipscore_100"] == pytest.approx(theirs, abs=1e-4)  # of 100
    assert ours["clipscore"] == pytest.approx(theirs / 40, abs=1e-5)
