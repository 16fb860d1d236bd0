"""What each column of the ratings says, on units of one and of several items."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from annotation.answers import Answers
from annotation.assignment import claim_next_unit
from annotation.kinds import Given
from annotation.models import Assignment, Flag, Participation
from annotation.ratings import Layer, RatingRow, rating_rows
from annotation.ratings import screens as reading
from annotation.responding import submit_unit
from scoring.exports import items, ratings, scores
from studies.models import Item
from tests.annotation.people import rate_all, somebody

pytestmark = pytest.mark.django_db
DOCS = Path(__file__).resolve().parents[2] / "docs" / "exports.md"


@pytest.fixture
def triplet(live_triplets) -> Assignment:
    """One set: of the first probe the second and third item shown were marked; then ranked."""
    screen = claim_next_unit(participation=somebody(live_triplets))
    ids = dict(live_triplets.questions.values_list("key", "id"))
    probes = list(screen.unit.unit_probes.order_by("position").values_list("probe", flat=True))
    a, b, c = screen.item_order
    given = [Given(ids["useful"], probe=probe, value=1) for probe in probes]
    for probe in probes:
        for item in (a, b, c):
            marked = probe == probes[0] and item != a
            given.append(Given(ids["seen"], item=item, probe=probe, value=int(marked)))
    given += [Given(ids["order"], item=pk, value=place) for pk, place in ((a, 3), (b, 1), (c, 2))]
    submit_unit(assignment=screen, key=screen.key, answers=Answers(given), check=None)
    return screen


def test_a_set_is_named_on_every_row_of_its_judgement(live_triplets, triplet):
    names = dict(Item.objects.values_list("pk", "external_id"))
    _, b, c = (names[pk] for pk in triplet.item_order)
    rows = [row for row in rating_rows(live_triplets) if row.question == "seen"]
    assert {row.set for row in rows if row.probe == rows[0].probe} == {"|".join(sorted([b, c]))}
    assert {row.set for row in rows if row.probe != rows[0].probe} == {"∅"}
    assert {row.set for row in rating_rows(live_triplets) if row.question != "seen"} == {""}


def test_a_rank_is_told_of_rankings_alone(live_triplets, triplet):
    a, b, c = (Item.objects.get(pk=pk).external_id for pk in triplet.item_order)
    rows = list(rating_rows(live_triplets))
    ranks = {row.item: row.rank for row in rows if row.question == "order"}
    assert ranks == {a: 3, b: 1, c: 2}
    assert {row.rank for row in rows if row.question != "order"} == {None}


def test_the_order_shown_is_the_screens_own(live_triplets, triplet):
    names = [Item.objects.get(pk=pk).external_id for pk in triplet.item_order]
    rows = list(rating_rows(live_triplets))
    assert {row.order_shown for row in rows} == {"|".join(names)}
    places = {row.item: row.place_shown for row in rows if row.item}
    assert places == {name: place for place, name in enumerate(names, start=1)}
    assert {row.place_shown for row in rows if not row.item} == {None}


def test_a_unit_of_several_items_of_one_prompt_has_that_prompts_id(live_triplets, triplet):
    assert {row.prompt_id for row in rating_rows(live_triplets)} == {"NP greeting"}


@pytest.fixture
def rated(live_study):
    """One person's six screens; hallucination is high on the first, with a reason."""
    person = somebody(live_study)
    rate_all(live_study, person)
    return live_study


def test_a_rationale_stands_beside_what_it_explains(rated):
    screen = Assignment.objects.order_by("n").first()
    why = rated.questions.get(key="rationale")
    answer = screen.ratings.get(question__key="hallucination")
    screen.ratings.create(question=why, item=answer.item, subject=answer.subject, text="No fire.")
    said = {
        row.question: row.rationale
        for row in rating_rows(rated)
        if row.n_in_session == screen.n and row.rater == screen.participation.code
    }
    assert said["hallucination"] == said["rationale"] == "No fire."
    assert said["faithfulness"] == ""


def test_time_and_watching_are_told_as_measured_and_never_as_0(rated):
    first, second, third = Assignment.objects.order_by("n")[:3]
    item = first.unit.items.get()
    clips = {item.public_id: {"seen": 0.97}, "elsewhere": {"seen": 0.1}}
    Assignment.objects.filter(pk=first.pk).update(timing={"active": 30.5, "clips": clips})
    odd = {"active": "long", "clips": [1, 2]}
    Assignment.objects.filter(pk=second.pk).update(timing=odd)
    Assignment.objects.filter(pk=third.pk).update(timing={})
    told = {row.n_in_session: (row.active_seconds, row.watched_share) for row in rating_rows(rated)}
    assert told[first.n] == (30.5, 0.97)
    assert told[second.n] == told[third.n] == (None, None)


def test_flags_name_the_screens_they_mean(rated):
    person = Participation.objects.get(code="NP-01")
    Flag.objects.create(participation=person, kind="fast", sentence="Fast.", screens=[2])
    Flag.objects.create(participation=person, kind="straight", sentence="Straight.")
    told = {row.n_in_session: row.flags for row in rating_rows(rated)}
    assert told[2] == "fast|straight"
    assert told[1] == "straight"


def test_everything_holds_repeats_and_surplus_marked_so(rated):
    first, second, third = Assignment.objects.order_by("n")[:3]
    Assignment.objects.filter(pk=second.pk).update(unit=first.unit, repeat_of=first, counted=None)
    Assignment.objects.filter(pk=third.pk).update(counted=False)
    counted = list(rating_rows(rated))
    everything = list(rating_rows(rated, everything=True))
    assert {row.n_in_session for row in everything} - {row.n_in_session for row in counted} == {
        second.n,
        third.n,
    }
    told = {row.n_in_session: (row.repeat, row.counted) for row in everything}
    assert told[second.n] == (True, False)
    assert told[third.n] == (False, False)
    assert told[first.n] == (False, True)


def test_the_exclusion_layer_is_the_strictest_in_which_a_row_counts(rated):
    screens = list(Assignment.objects.order_by("n"))
    changes = [
        {},
        {"excluded": "person"},
        {"excluded": "rule"},
        {"excluded": "rule", "counted": False, "set_aside": True},
        {"counted": False},
    ]
    for screen, values in zip(screens, changes, strict=False):
        if values:
            Assignment.objects.filter(pk=screen.pk).update(**values)
    everything = list(rating_rows(rated, everything=True))
    told = {row.n_in_session: row.exclusion_layer for row in everything}
    assert [told[n] for n in (1, 2, 3, 4, 5)] == ["after-all", "after-rules", "all", "all", ""]
    order = [Layer.ALL, Layer.AFTER_RULES, Layer.AFTER_ALL]
    for layer in Layer:
        counts = {row.n_in_session for row in rating_rows(rated, layer)}
        expected = {
            row.n_in_session
            for row in everything
            if row.exclusion_layer and order.index(Layer(row.exclusion_layer)) >= order.index(layer)
        }
        assert counts == expected


def test_lots_of_screens_follow_each_other_without_a_gap(rated, monkeypatch):
    rate_all(rated, somebody(rated))
    whole = list(rating_rows(rated))
    monkeypatch.setattr(reading, "LOT", 4)
    assert list(rating_rows(rated)) == whole
    assert len(whole) == 36


def test_the_count_is_that_of_the_rows(rated):
    for table in (
        ratings.ratings_table(rated),
        ratings.ratings_table(rated, everything=True),
        items.items_table(rated),
        scores.scores_table(rated, all_runs=True),
    ):
        assert table.count() == len(list(table.rows()))


def test_every_column_is_explained_in_the_code_book_and_in_the_docs():
    assert [column.name for column in ratings.COLUMNS] == [
        field.name for field in dataclasses.fields(RatingRow)
    ]
    text = DOCS.read_text("utf-8")
    for module in (ratings, items, scores):
        for column in module.COLUMNS:
            assert column.about
            assert f"`{column.name}`" in text, column.name
