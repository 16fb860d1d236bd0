"""tau from real images, worked out by hand."""

from __future__ import annotations

import pytest

from scoring.metrics.ahead.calibration import NothingToCalibrateError, calibrate
from scoring.metrics.ahead.descriptors import NEVER_SEEN, distinct_sets, seen_whole
from tests.metrics.ahead.plane import PlaneEmbedder

REFERENCES = distinct_sets({"attire": ["cap", "sari"], "setting": ["street", "suit"]})


def subject(seen):
    return (REFERENCES, seen_whole(seen))


def test_the_quartiles_are_of_the_best_match_of_every_expected_descriptor_of_every_image():
    found = calibrate(
        [subject({"attire": ["hat", "suit"]}), subject({"attire": ["cap"], "setting": ["sari"]})],
        PlaneEmbedder(),
    )
    # First: cap .8 (hat), sari .6 (hat). Second: cap 1, sari 0; street 1 (sari), suit 0.
    assert found.values == pytest.approx([0, 0, 0.6, 0.8, 1, 1], abs=1e-6)
    assert (found.q1, found.median, found.q3) == pytest.approx((0.15, 0.7, 0.95), abs=1e-6)
    assert found.n_images == 2
    assert found.n_unmatched == 2  # street and suit of the first, where nothing was seen


def test_all_pairs_are_another_distribution():
    found = calibrate([subject({"attire": ["hat", "suit"]})], PlaneEmbedder(), values_of="pairs")
    # hat: cap .8, sari .6; suit: cap -1, sari 0.
    assert found.values == pytest.approx([-1, 0, 0.6, 0.8], abs=1e-6)


def test_a_quarter_of_the_best_matches_lies_above_q3_by_construction():
    words = ["cap", "hat", "sari", "suit", "temple", "street", "car", "lamp"]
    subjects = [subject({"attire": [word]}) for word in words]
    found = calibrate(subjects, PlaneEmbedder())
    assert found.share_above_q3 == pytest.approx(0.25)


def test_the_mean_align_of_the_same_images_is_told():
    found = calibrate([subject({"attire": ["hat", "suit"]})], PlaneEmbedder())
    # Best .8 and .6, Q3 .75: attire 1/2; setting was looked at with nothing seen: 0.
    assert found.q3 == pytest.approx(0.75, abs=1e-6)
    assert found.align == pytest.approx(0.25)


def test_without_a_described_real_image_with_references_it_says_so():
    for subjects in ([], [(REFERENCES, NEVER_SEEN)], [(distinct_sets({}), seen_whole({}))]):
        with pytest.raises(NothingToCalibrateError, match="real images"):
            calibrate(subjects, PlaneEmbedder())
