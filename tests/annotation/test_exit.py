"""What leaves for analysis: one record a judgement, counted screens of the study itself only."""

import pytest

from annotation.answers import Answers
from annotation.assignment import claim_next_unit
from annotation.kinds import Given
from annotation.models import Assignment, Participation
from annotation.ratings import (
    counted_ratings,
    descriptor_completeness,
    descriptor_verdicts,
    mean_ratings,
    not_applicable_counts,
    rankings,
    rating_counts,
    rating_rows,
    rating_table,
    ratings_mark,
    selections,
    surplus_ratings,
    yes_no,
)
from annotation.responding import submit_unit
from studies.models import Descriptor, Question
from tests.annotation.people import rate_all, somebody

pytestmark = pytest.mark.django_db


def submit(screen: Assignment, *given: Given) -> None:
    submit_unit(assignment=screen, key=screen.key, answers=Answers(list(given)), check=None)


@pytest.fixture
def triplet(live_triplets) -> Assignment:
    """One set, rated: the second and third item seen for the first probe, none for the others."""
    screen = claim_next_unit(participation=somebody(live_triplets))
    ids = dict(live_triplets.questions.values_list("key", "id"))
    probes = list(screen.unit.unit_probes.order_by("position").values_list("probe", flat=True))
    a, b, c = screen.item_order
    given = [Given(ids["useful"], probe=probe, value=int(probe == probes[0])) for probe in probes]
    for probe in probes:
        for item in (a, b, c):
            marked = probe == probes[0] and item != a
            given.append(Given(ids["seen"], item=item, probe=probe, value=int(marked)))
    given += [Given(ids["order"], item=pk, value=place) for pk, place in ((a, 3), (b, 1), (c, 2))]
    submit(screen, *given)
    return screen


def test_a_selection_is_a_set_of_item_ids_a_probe(live_triplets, triplet):
    found = list(selections(live_triplets))
    a, b, c = triplet.item_order
    assert [selection.selected for selection in found] == [{b, c}, set(), set()]
    assert all(selection.offered == {a, b, c} for selection in found)
    assert len({selection.probe for selection in found}) == 3
    assert {(row.unit, row.rater, row.country, row.screen) for row in found} == {
        (triplet.unit_id, "NP-01", "NP", triplet.pk)
    }


def test_a_ranking_is_an_order_of_item_ids(live_triplets, triplet):
    a, b, c = triplet.item_order
    assert [ranking.order for ranking in rankings(live_triplets)] == [(b, c, a)]


def test_yes_or_no_is_told_by_probe(live_triplets, triplet):
    assert [(row.yes, row.item) for row in yes_no(live_triplets)] == [
        (True, None),
        (False, None),
        (False, None),
    ]


def test_every_answer_is_a_row_that_names_its_subject(live_triplets, triplet):
    rows = list(rating_rows(live_triplets))
    assert len(rows) == 15
    of_probe = rows[0]
    assert (of_probe.question, of_probe.item, of_probe.system) == ("useful", "", "")
    assert (of_probe.probe, of_probe.probe_dimension) == ("greeting-Identity", "Identity")
    assert of_probe.probe_text == "Can the Identity be seen?"
    assert of_probe.value_label == ""
    ranked = {row.item: row for row in rows if row.question == "order"}
    assert {row.system for row in ranked.values()} == {"x", "y", "z"}
    assert {row.value for row in ranked.values()} == {1, 2, 3}
    assert {row.value_label for row in ranked.values()} == {""}


@pytest.fixture
def picture(live_kinds) -> Assignment:
    screen = claim_next_unit(participation=somebody(live_kinds))
    ids = dict(live_kinds.questions.values_list("key", "id"))
    item = screen.unit.items.get().pk
    verdicts = [
        Given(ids["list"], item=item, descriptor=pk, value=int(token != "fire"))
        for pk, token in Descriptor.objects.values_list("id", "token")
    ]
    submit(
        screen,
        Given(ids["text_rendering"], item=item, not_applicable=True),
        Given(ids["real"], item=item, value=1),
        Given(ids["share"], item=item, value=40),
        Given(ids["list"], item=item, value=4, text="lamps"),
        Given(ids["why"], item=item, text="It looks like home."),
        *verdicts,
    )
    return screen


def test_verdicts_are_told_by_descriptor_and_completeness_by_list(live_kinds, picture):
    tokens = dict(Descriptor.objects.values_list("id", "token"))
    verdicts = {tokens[row.descriptor]: row.right for row in descriptor_verdicts(live_kinds)}
    assert verdicts == {"red sari": True, "nose ring": True, "fire": False}
    said = [(row.coverage, row.missing) for row in descriptor_completeness(live_kinds)]
    assert said == [(4, "lamps")]


def test_does_not_apply_is_counted_and_is_no_value(live_kinds, picture):
    counts = {row.question: row for row in not_applicable_counts(live_kinds)}
    keys = dict(Question.objects.values_list("id", "key"))
    told = {keys[id]: (row.answers, row.not_applicable) for id, row in counts.items()}
    assert told == {"text_rendering": (1, 1), "share": (1, 0)}
    assert mean_ratings(live_kinds) == {}
    assert rating_table(live_kinds).value.size == 0
    row = next(row for row in rating_rows(live_kinds) if row.question == "text_rendering")
    assert (row.value, row.not_applicable) == (None, True)


def test_rows_word_points_of_scales_and_name_descriptors(live_kinds, picture):
    rows = [row for row in rating_rows(live_kinds) if row.question == "list"]
    words = {row.descriptor: (row.value, row.value_label, row.text) for row in rows}
    assert words == {
        "": (4, "Mostly", "lamps"),
        "red sari": (1, "", ""),
        "nose ring": (1, "", ""),
        "fire": (0, "", ""),
    }


def test_counts_tell_values_and_texts_apart(live_kinds, picture):
    counts = rating_counts(live_kinds)
    assert (counts.ratings, counts.answers, counts.texts) == (1, 6, 1)


def test_a_pilot_never_leaves(live_study):
    rate_all(live_study, somebody(live_study))
    mark = ratings_mark(live_study)
    assert counted_ratings(live_study).count() == 18
    Participation.objects.update(pilot=True)
    Assignment.objects.filter(n=1).update(counted=False)
    assert counted_ratings(live_study).count() == 0
    assert surplus_ratings(live_study) == 0
    assert list(rating_rows(live_study)) == []
    assert ratings_mark(live_study) != mark


def test_a_repeated_screen_is_never_counted(live_study):
    rate_all(live_study, somebody(live_study))
    first, second = Assignment.objects.order_by("n")[:2]
    Assignment.objects.filter(pk=second.pk).update(unit=first.unit, repeat_of=first)
    assert counted_ratings(live_study).filter(assignment=second).count() == 0
    assert rating_table(live_study).value.size == 15


def test_a_changed_answer_is_a_change_of_the_data(live_study):
    person = somebody(live_study)
    rate_all(live_study, person)
    before = ratings_mark(live_study)
    screen = Assignment.objects.first()
    screen.ratings.filter(question__key="faithfulness").update(value=5)
    assert ratings_mark(live_study) != before
