"""Variants held against ratings."""

from __future__ import annotations

import pytest

from scoring.metrics.ahead.ablations import Variant, ablation_table, part_variants

PARTS = {
    "a": {"align": 0.1, "hal": 0.9, "exag": 0.5},
    "b": {"align": 0.2, "hal": 0.5, "exag": 0.1},
    "c": {"align": 0.5, "hal": 0.4, "exag": None},
    "d": {"align": 0.9, "hal": 0.1, "exag": 0.2},
}
RATINGS = {"a": 1.0, "b": 2.0, "c": 3.0, "d": 5.0}
CLUSTERS = dict.fromkeys(PARTS, "one") | {"d": "other"}


def table(variants, ratings=RATINGS):
    lines = ablation_table(variants, ratings, clusters=CLUSTERS, replicates=0)
    return {line.name: line for line in lines}


def test_every_choice_of_parts_is_held_against_the_ratings_over_the_items_that_have_both():
    lines = table(part_variants(PARTS))
    assert len(lines) == 7
    assert lines["ALIGN"].rho == pytest.approx(1.0)
    assert lines["ALIGN"].mean == pytest.approx(0.425)
    whole = lines["ALIGN, 1 − HAL, 1 − EXAG"]
    assert (whole.n_defined, whole.n_both, whole.is_main) == (3, 3, True)
    assert lines["1 − EXAG"].rho == pytest.approx(0.5)  # ranks 1 3 2 against 1 2 3


def test_a_variant_without_enough_items_has_a_reason_and_no_number():
    line = table([Variant("form", "judge", {"a": 0.5, "b": None})])["judge"]
    assert (line.rho, line.rho_reason, line.mean) == (None, "one_item", 0.5)
    nothing = table([Variant("form", "judge", {})])["judge"]
    assert (nothing.rho, nothing.mean, nothing.n_defined) == (None, None, 0)


def test_an_item_without_ratings_is_left_out_of_the_correlation_alone():
    line = table([Variant("tau", "0.5", {k: p["align"] for k, p in PARTS.items()})], {"a": 1.0})
    assert (line["0.5"].n_defined, line["0.5"].n_both) == (4, 1)
