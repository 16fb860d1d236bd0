"""Descriptors of all kinds, sorted out for the scores."""

from __future__ import annotations

import pytest

from scoring.metrics.ahead.descriptors import gather, seen_whole, union
from scoring.metrics.base import Descriptor


def reference(token, activity="greeting", country="NP", dimension="attire"):
    return Descriptor("reference", dimension, token, activity=activity, country=country)


def test_references_of_a_scene_are_found_without_regard_to_case_and_blanks():
    found = gather([reference("cap", activity=" Greeting "), reference("suit", country="np")])
    assert found.references_of("greeting", "NP")["attire"] == ("cap", "suit")
    assert found.references_of("greeting", "DE")["attire"] == ()


def test_an_item_with_imported_predictions_was_looked_at_in_every_dimension():
    found = gather([Descriptor("predicted", "attire", "hat", item_key="a")])
    assert found.seen["a"].tokens["attire"] == ("hat",)
    assert found.seen["a"].tokens["layout"] == ()
    assert "b" not in found.seen


def test_described_with_nothing_seen_differs_from_never_described():
    found = gather([Descriptor("described", "attire", "", item_key="a")])
    assert found.seen["a"].tokens == {"attire": ()}
    assert found.seen["a"].reason("layout") == "no_prediction"


def test_a_refusal_is_kept_as_the_reason_of_its_dimension():
    found = gather(
        [
            Descriptor("refused", "attire", "", item_key="a"),
            Descriptor("described", "setting", "", item_key="a"),
            Descriptor("predicted", "setting", "street", item_key="a"),
        ]
    )
    assert found.seen["a"].tokens == {"setting": ("street",)}
    assert found.seen["a"].reason("attire") == "refused"


def test_stereotypes_are_those_of_the_country_and_those_of_the_activity_in_it():
    found = gather(
        [
            Descriptor("stereotype", "", "car", country="NP"),
            Descriptor("stereotype", "", "lamp", activity="Greeting", country="NP"),
            Descriptor("stereotype", "", "suit", activity="wedding", country="NP"),
            Descriptor("stereotype", "", "hat", country="DE"),
        ]
    )
    assert found.stereotypes_of("greeting", "NP") == ("car", "lamp")


def test_the_union_of_pictures_holds_each_text_once_and_every_dimension_that_one_was_looked_at_in():
    whole = union([seen_whole({"attire": ["cap", "hat"]}), seen_whole({"attire": ["hat", "suit"]})])
    assert whole.tokens["attire"] == ("cap", "hat", "suit")
    assert whole.tokens["layout"] == ()


def test_an_unknown_dimension_is_refused():
    with pytest.raises(ValueError, match="colour"):
        gather([reference("cap", dimension="colour")])
