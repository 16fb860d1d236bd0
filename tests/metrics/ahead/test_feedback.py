"""What an item's page says of it, read from the evidence of its scores."""

from __future__ import annotations

import pytest

from scoring.metrics.ahead.feedback import bottom, feedback, top
from tests.metrics.ahead.plane import everywhere, item, item_rows


def feedback_of(references, seen):
    rows = item_rows([item("a", references, everywhere(seen))])
    return feedback((row.metric, row.dimension, row.evidence) for row in rows)


def test_every_descriptor_stands_in_its_list_with_its_nearest_and_its_similarity():
    found = feedback_of(
        {"attire": ["cap", "suit"], "layout": ["lamp"]}, {"attire": ["hat", "sari"]}
    )
    assert [(one.token, one.best_match) for one in found.aligned] == [("cap", "hat")]
    assert [(m.dimension, m.token, m.best_match, m.similarity) for m in found.missing] == [
        ("attire", "suit", "sari", pytest.approx(0.0)),
        ("layout", "lamp", None, None),
    ]
    assert [one.token for one in found.hallucinated] == ["sari"]
    assert found.tau == 0.5
    assert [one.token for one in found.of("layout").missing] == ["lamp"]


def test_top_are_the_nearest_and_bottom_the_farthest_with_the_unmatched_first():
    found = feedback_of(
        {"attire": ["cap", "suit", "sari"], "layout": ["lamp"]}, {"attire": ["hat"]}
    )
    everything = [*found.aligned, *found.missing]
    assert [one.token for one in top(everything, 2)] == ["cap", "sari"]
    assert [one.token for one in bottom(everything, 2)] == ["lamp", "suit"]
