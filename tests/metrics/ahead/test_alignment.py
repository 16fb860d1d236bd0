"""ALIGN and HAL on descriptors whose cosines are known, worked out by hand."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

import numpy as np
import pytest

from scoring.metrics.ahead.alignment import ALIGN, ALIGN_HAL, HAL
from scoring.metrics.ahead.descriptors import DIMENSIONS
from scoring.metrics.ahead.metric import AHEAD
from scoring.metrics.base import ParameterError
from tests.metrics.ahead.plane import (
    ANGLES,
    PlaneEmbedder,
    backend,
    by_output,
    everywhere,
    item,
    item_rows,
)


def score(references, predictions, *, tau=0.5, embedder=None):
    """One item looked at in every dimension; ``predictions`` None: never looked at."""
    seen = everywhere(predictions) if predictions is not None else {}
    if predictions is not None and set(predictions) - set(DIMENSIONS):
        seen |= predictions
    return by_output(item_rows([item("a", references, seen)], tau=tau, embedder=embedder))


def test_align_is_the_share_of_references_met_and_hal_the_share_of_predictions_unmet():
    rows = score({"attire": ["cap", "suit"]}, {"attire": ["hat", "sari", "lamp"]})
    # cap: best is lamp at 1, aligned; suit: best is sari at 0, missing. ALIGN 1/2.
    assert rows[ALIGN, "attire"].value == 0.5
    # hat: cap .8, met; sari: cap and suit 0, unmet; lamp: cap 1, met. HAL 1/3.
    assert rows[HAL, "attire"].value == pytest.approx(1 / 3)


def test_the_evidence_names_each_descriptor_with_its_best_match_and_similarity():
    rows = score({"attire": ["cap", "suit"]}, {"attire": ["hat", "sari"]})
    assert rows[ALIGN, "attire"].evidence == {
        "tau": 0.5,
        "n_ref": 2,
        "n_pred": 2,
        "aligned": [{"token": "cap", "best_match": "hat", "similarity": 0.8}],
        "missing": [{"token": "suit", "best_match": "sari", "similarity": 0.0}],
    }
    assert rows[HAL, "attire"].evidence == {
        "tau": 0.5,
        "n_ref": 2,
        "n_pred": 2,
        "hallucinated": [{"token": "sari", "best_match": "cap", "similarity": 0.0}],
    }
    for row in rows.values():
        json.dumps(row.evidence, allow_nan=False)


def test_a_similarity_equal_to_tau_is_not_aligned_and_is_hallucinated():
    at = score({"attire": ["cap"]}, {"attire": ["hat"]}, tau=0.8)
    assert (at[ALIGN, "attire"].value, at[HAL, "attire"].value) == (0.0, 1.0)
    below = score({"attire": ["cap"]}, {"attire": ["hat"]}, tau=0.79999)
    assert (below[ALIGN, "attire"].value, below[HAL, "attire"].value) == (1.0, 0.0)


def test_float32_noise_does_not_decide_a_tie():
    # 0.8 in float32 is a little above the float64 0.8; compared raw, the tie would be aligned.
    assert float(np.float32(0.8)) > 0.8
    for tau in (0.8, 0.80000000001, 0.79999999999):
        assert score({"attire": ["cap"]}, {"attire": ["hat"]}, tau=tau)[ALIGN, ""].value == 0.0


def test_a_text_has_similarity_one_with_itself_exactly():
    rows = score({"attire": ["temple"]}, {"attire": ["temple"]}, tau=0.999999)
    assert rows[ALIGN, "attire"].value == 1.0
    assert rows[ALIGN, "attire"].evidence["aligned"][0]["similarity"] == 1.0
    at_one = score({"attire": ["temple"]}, {"attire": ["temple"]}, tau=1.0)
    assert (at_one[ALIGN, "attire"].value, at_one[HAL, "attire"].value) == (0.0, 1.0)


def test_at_the_lowest_tau_everything_aligns_but_an_exact_opposite():
    rows = score({"attire": ["cap", "sari"]}, {"attire": ["suit"]}, tau=-1.0)
    assert rows[ALIGN, "attire"].value == 0.5  # cap against suit is -1, not above -1


def test_the_overall_score_is_the_mean_of_dimensions_and_not_pooled():
    rows = score(
        {"attire": ["cap"], "setting": ["street", "suit", "car"]},
        {"attire": ["cap"], "setting": ["lamp", "cap", "hat"]},
    )
    # attire 1/1. setting: street .6 with hat, aligned; suit and car missing: 1/3.
    assert rows[ALIGN, "attire"].value == 1.0
    assert rows[ALIGN, "setting"].value == pytest.approx(1 / 3)
    assert rows[ALIGN, ""].value == pytest.approx(2 / 3)
    assert rows[ALIGN, ""].value != pytest.approx(2 / 4)  # what pooling would give
    # HAL: attire 0; setting: lamp and cap unmet (0), hat met (.6 with street): 2/3.
    assert rows[HAL, ""].value == pytest.approx(1 / 3)
    assert rows[HAL, ""].value != pytest.approx(2 / 4)
    assert rows[ALIGN, ""].evidence == {
        "tau": 0.5,
        "n_ref": 4,
        "n_pred": 4,
        "n_defined": 2,
        "defined": ["setting", "attire"],
    }


def test_a_dimension_without_references_is_undefined_for_both_and_left_out_of_the_mean():
    rows = score({"attire": ["cap"]}, {"attire": ["cap"], "objects": ["car"]})
    for metric in (ALIGN, HAL):
        row = rows[metric, "objects"]
        assert (row.value, row.reason) == (None, "no_reference")
        assert rows[metric, ""].evidence["n_defined"] == 1
    assert (rows[ALIGN, ""].value, rows[HAL, ""].value) == (1.0, 0.0)


def test_a_dimension_without_predictions_has_align_zero_and_no_hal():
    rows = score({"attire": ["cap"], "objects": ["lamp"]}, {"attire": ["cap"]})
    assert (rows[ALIGN, "objects"].value, rows[ALIGN, "objects"].reason) == (0.0, "")
    assert rows[ALIGN, "objects"].evidence["missing"] == [
        {"token": "lamp", "best_match": None, "similarity": None}
    ]
    assert (rows[HAL, "objects"].value, rows[HAL, "objects"].reason) == (None, "no_prediction")
    assert rows[ALIGN, ""].value == 0.5
    assert (rows[HAL, ""].value, rows[HAL, ""].evidence["n_defined"]) == (0.0, 1)


def test_an_item_described_as_showing_nothing_has_align_zero_and_no_hal():
    rows = score({"attire": ["cap"]}, {})
    assert rows[ALIGN, ""].value == 0.0
    assert (rows[HAL, ""].value, rows[HAL, ""].reason) == (None, "no_prediction")


def test_an_item_that_was_never_described_is_undefined_and_not_zero():
    rows = score({"attire": ["cap"]}, None)
    for metric in (ALIGN, HAL):
        assert (rows[metric, ""].value, rows[metric, ""].reason) == (None, "no_prediction")
        assert rows[metric, "attire"].reason == "no_prediction"
        assert rows[metric, "layout"].reason == "no_reference"


def test_an_item_without_references_is_undefined_for_that_reason():
    for predictions in ({"attire": ["cap"]}, {}, None):
        rows = score({}, predictions)
        met = [row for (output, _), row in rows.items() if output in (ALIGN, HAL)]
        assert len(met) == 12
        assert {(row.value, row.reason) for row in met} == {(None, "no_reference")}


def test_exact_duplicates_count_once_on_both_sides():
    rows = score(
        {"attire": ["cap", "suit", "cap", " cap "]}, {"attire": ["hat", "sari", "sari", "sari"]}
    )
    assert rows[ALIGN, "attire"].value == 0.5
    assert rows[HAL, "attire"].value == 0.5
    assert rows[ALIGN, "attire"].evidence["n_ref"] == 2
    assert rows[ALIGN, "attire"].evidence["n_pred"] == 2


def test_descriptors_match_only_within_their_dimension():
    rows = score({"attire": ["cap"], "objects": ["suit"]}, {"attire": ["suit"], "objects": ["cap"]})
    assert (rows[ALIGN, ""].value, rows[HAL, ""].value) == (0.0, 1.0)


def test_all_texts_are_embedded_in_one_call_and_each_once():
    embedder = PlaneEmbedder()
    references = {"attire": ["cap", "suit"], "objects": ["cap"]}
    item_rows(
        [
            item("a", references, {"attire": ["cap", "hat"], "objects": ["hat"]}),
            item("b", references, {"attire": ["hat"]}),
        ],
        embedder=embedder,
    )
    assert len(embedder.calls) == 1
    assert sorted(embedder.calls[0]) == ["cap", "hat", "suit"]


def test_nothing_is_embedded_where_nothing_is_compared():
    embedder = PlaneEmbedder()
    score({"attire": ["cap"]}, {"objects": ["car"]}, embedder=embedder)
    assert embedder.calls == []


def test_rows_come_item_by_item_with_the_overall_score_first_and_progress_after_each_item():
    told: list[tuple[int, int]] = []
    rows = list(
        AHEAD.score(
            items=[item(key, {}, {}) for key in ("b", "a")],
            descriptors=[],
            backend=backend(),
            parameters={"tau": 0.5},
            on_progress=lambda done, total: told.append((done, total)),
        )
    )
    assert [row.item_key for row in rows] == ["b"] * 20 + ["a"] * 20
    assert [row.dimension for row in rows[:6]] == ["", *DIMENSIONS]
    assert told == [(1, 2), (2, 2)]


def test_the_order_of_items_and_of_descriptors_changes_no_value():
    rng = np.random.default_rng(7)
    words = list(ANGLES)
    for _ in range(20):
        references = {d: list(rng.choice(words, size=3)) for d in DIMENSIONS}
        predictions = {d: list(rng.choice(words, size=4)) for d in DIMENSIONS}
        forward = score(references, predictions)
        backward = score(
            {d: texts[::-1] for d, texts in references.items()},
            {d: texts[::-1] for d, texts in predictions.items()},
        )
        assert {k: row.value for k, row in forward.items()} == {
            k: row.value for k, row in backward.items()
        }


def test_the_values_equal_a_plain_loop_over_pairs():
    rng = np.random.default_rng(11)
    words = list(ANGLES)
    for _ in range(30):
        tau = float(rng.uniform(-0.9, 0.95))
        references = list(dict.fromkeys(rng.choice(words, size=4)))
        predicted = list(dict.fromkeys(rng.choice(words, size=5)))
        rows = score({"layout": references}, {"layout": predicted}, tau=tau)
        met = sum(any(math.cos(ANGLES[p] - ANGLES[r]) > tau for p in predicted) for r in references)
        unmet = sum(
            all(math.cos(ANGLES[p] - ANGLES[r]) <= tau for r in references) for p in predicted
        )
        assert rows[ALIGN, ""].value == met / len(references)
        assert rows[HAL, ""].value == unmet / len(predicted)


@pytest.mark.parametrize("tau", [float("nan"), float("inf"), 1.01, -1.01, True, "x"])
def test_a_tau_that_is_no_number_from_minus_one_to_one_is_refused_at_the_call(tau):
    with pytest.raises(ParameterError, match="from -1 to 1"):
        AHEAD.score(items=[], descriptors=[], backend=backend(), parameters={"tau": tau})


def test_tau_has_no_default():
    for parameters in ({}, {"tau": ""}, {"tau": None}):
        with pytest.raises(ParameterError, match="tau"):
            AHEAD.score(items=[], descriptors=[], backend=backend(), parameters=parameters)


def test_an_unknown_dimension_is_refused():
    with pytest.raises(ValueError, match="colour"):
        score({"colour": ["cap"]}, {})


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (np.ones((3, 2)), "shape"),
        (np.ones(2), "shape"),
        (np.full((2, 2), 0.9), "length 1"),
        (np.zeros((2, 2)), "length 1"),
        (np.full((2, 2), np.nan), "length 1"),
    ],
)
def test_an_embedder_that_returns_no_unit_vectors_is_refused(returned, message):
    class Broken(PlaneEmbedder):
        def embed(self, texts: Sequence[str]) -> np.ndarray:
            return returned

    with pytest.raises(ValueError, match=message):
        score({"attire": ["cap"]}, {"attire": ["hat"]}, embedder=Broken())


def test_a_dimension_that_was_not_looked_at_is_undefined_beside_one_that_was():
    rows = by_output(
        item_rows([item("a", {"attire": ["cap"], "objects": ["lamp"]}, {"attire": ["cap"]})])
    )
    assert rows[ALIGN, ""].value == 1.0
    assert (rows[ALIGN, "objects"].value, rows[ALIGN, "objects"].reason) == (None, "no_prediction")


def test_a_refusal_is_told_from_a_picture_without_descriptors():
    asked = item(
        "a", {"attire": ["cap"], "objects": ["lamp"]}, {"objects": []}, why={"attire": "refused"}
    )
    rows = by_output(item_rows([asked]))
    assert (rows[ALIGN, "attire"].value, rows[ALIGN, "attire"].reason) == (None, "refused")
    assert rows[ALIGN, "objects"].value == 0.0
    assert rows[ALIGN, ""].value == 0.0


def test_align_hal_is_the_mean_of_align_and_the_rest_of_hal_where_both_are_defined():
    rows = score({"attire": ["cap", "suit"]}, {"attire": ["hat", "sari", "lamp"]})
    assert rows[ALIGN_HAL, ""].value == pytest.approx((0.5 + 1 - 1 / 3) / 2)
    nothing = score({"attire": ["cap"]}, {})
    assert (nothing[ALIGN_HAL, ""].value, nothing[ALIGN_HAL, ""].reason) == (None, "no_prediction")


def test_many_pictures_of_one_scene_give_what_each_gives_alone():
    rng = np.random.default_rng(3)
    words = list(ANGLES)
    references = {d: list(rng.choice(words, size=4)) for d in DIMENSIONS}
    items = [
        item(str(n), references, {d: list(rng.choice(words, size=n % 5)) for d in DIMENSIONS})
        for n in range(40)
    ]
    together = item_rows(items)
    alone = [row for one in items for row in item_rows([one])]
    assert together == alone
