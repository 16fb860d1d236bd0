"""AHEaD on the real embedder: MiniLM from its package."""

from __future__ import annotations

import pytest

from scoring.backends.text_embedder import default_text_embedder
from scoring.metrics.ahead.alignment import ALIGN, HAL
from scoring.metrics.ahead.calibration import calibrate
from scoring.metrics.ahead.descriptors import distinct_sets, seen_whole
from scoring.metrics.ahead.diversity import DDIV, SDIV
from tests.metrics.ahead.plane import by_output, cell_rows, everywhere, item, item_rows

REFERENCES = {"attire": ["woven sari", "topi cap"]}


def test_align_and_hal_on_real_embeddings():
    seen = everywhere({"attire": ["a colourful sari", "business suit"]})
    rows = by_output(
        item_rows([item("a", REFERENCES, seen)], tau=0.52, embedder=default_text_embedder())
    )
    assert (rows[ALIGN, ""].value, rows[HAL, ""].value) == (0.5, 0.5)
    assert rows[HAL, "attire"].evidence["hallucinated"][0]["token"] == "business suit"
    assert rows[ALIGN, "attire"].evidence["missing"][0]["token"] == "topi cap"


def test_ddiv_and_sdiv_on_real_embeddings():
    pictures = [
        item("a", REFERENCES, everywhere({"attire": ["a colourful sari"]})),
        item("b", REFERENCES, everywhere({"attire": ["topi cap"]})),
    ]
    rows = cell_rows(pictures, tau=0.52, embedder=default_text_embedder())
    assert rows[DDIV, ""].value == pytest.approx(1.0)
    assert rows[SDIV, ""].value == pytest.approx(0.5)


def test_tau_on_real_embeddings_is_a_similarity_of_the_real_images():
    found = calibrate(
        [(distinct_sets(REFERENCES), seen_whole({"attire": ["a colourful sari", "topi cap"]}))],
        default_text_embedder(),
    )
    # Best matches: sari .711 (the package's weights), cap 1.
    assert found.values == pytest.approx([0.711, 1.0], abs=0.002)
    assert found.median == pytest.approx(0.8555, abs=0.002)
