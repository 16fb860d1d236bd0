"""What rules found and what was decided, where people are looked at."""

import pytest

from annotation.assignment import claim_next_unit
from annotation.models import Flag
from annotation.monitor.counts import collection
from annotation.monitor.figures import count_figures
from annotation.monitor.keeping import mark_of
from annotation.monitor.page import monitor_of
from annotation.quality.exclusions import exclude, lift
from tests.annotation.people import send, somebody

pytestmark = pytest.mark.django_db


def flag(person, kind: str = "fast", **fields) -> Flag:
    given = {"sentence": "Median 1.2 s; the study's is 9 s.", "screens": [1, 2]}
    return Flag.objects.create(participation=person, kind=kind, **given | fields)


def test_the_table_names_flags_and_which_are_decided(signed_in, address, rated):
    person = rated(2)
    flag(person)
    flag(person, "short-text", decision="kept")
    (row,) = signed_in.get(address("people/")).context["rows"]
    assert (row.flags, row.flags_decided) == (("very fast",), ("short rationales",))
    page = signed_in.get(address("monitor/")).content.decode()
    assert "very fast" in page
    assert "short rationales (decided)" in page


def test_the_table_finds_who_waits_for_a_decision_and_who_is_left_out(
    signed_in, address, rated, researcher
):
    people = [rated(1) for _ in range(3)]
    flag(people[0])
    flag(people[1], decision="kept")
    exclude(participation=people[2], reason="Answered at random.", by=researcher)
    for state, code in (("flagged", "NP-01"), ("excluded", "NP-03")):
        page = signed_in.get(address("people/"), {"state": state})
        assert [row.code for row in page.context["rows"]] == [code]


def test_flags_without_a_decision_need_somebody(live_study, rated):
    one, other = rated(1), rated(1)
    flag(one)
    flag(one, "straight")
    flag(other, decision="excluded")
    lines = [(line.need.sentence, line.url) for line in monitor_of(live_study).lines]
    assert (
        "1 person has flags that nobody decided on.",
        "/studies/weddings/people/?state=flagged",
    ) in lines


def test_a_persons_page_says_what_was_found_on_which_units(signed_in, address, rated):
    flag(rated(2))
    page = signed_in.get(address("people/NP-01/")).content.decode()
    assert "Very fast: Median 1.2 s; the study&#x27;s is 9 s." in page
    assert 'href="#unit-2"' in page
    assert "not decided" in page


def test_a_persons_page_says_why_they_are_left_out_until_that_is_lifted(
    signed_in, address, rated, researcher
):
    person = rated(2)
    exclusion = exclude(
        participation=person, reason="Answered at random.", by=researcher, reopen=False
    )
    page = signed_in.get(address("people/NP-01/"))
    assert "Answered at random." in page.content.decode()
    assert [screen.excluded for screen in page.context["screens"]] == [True] * 3
    lift(exclusion=exclusion, by=researcher, reason="They explained it.")
    page = signed_in.get(address("people/NP-01/"))
    assert "Left out of results" not in page.content.decode()


def test_agreement_so_far_leaves_out_what_results_leave_out(live_study, researcher):
    people = []
    for value in (2, 3, 5):
        person = somebody(live_study)
        people.append(person)
        while (screen := claim_next_unit(participation=person)) is not None:
            send(live_study, screen, 1 + (value + screen.n) % 4)
    before = collection(live_study)
    exclude(participation=people[2], reason="A test.", by=researcher, reopen=False)
    after = collection(live_study)
    (panel,) = count_figures(study=live_study, now=after)["panels"].values()
    assert (panel["agreement"]["n_raters"], panel["agreement"]["n_ratings"]) == (2, 12)
    assert before.done == after.done
    assert mark_of(live_study, before) != mark_of(live_study, after)


def test_work_that_is_set_aside_is_no_surplus(live_study, rated, researcher):
    exclude(participation=rated(3), reason="A test.", by=researcher, reopen=True)
    now = collection(live_study)
    assert (now.surplus, now.done) == (0, 0)


def test_a_flag_of_somebody_who_is_left_out_anyway_waits_for_nobody(
    live_study, signed_in, address, rated, researcher
):
    person = rated(1)
    exclusion = exclude(participation=person, reason="Answered at random.", by=researcher)
    flag(person)  # found by a later review
    sentence = "1 person has flags that nobody decided on."
    assert sentence not in [line.need.sentence for line in monitor_of(live_study).lines]
    assert signed_in.get(address("quality/")).context["n_waiting"] == 0
    lift(exclusion=exclusion, by=researcher, reason="They know the place well.")
    assert sentence in [line.need.sentence for line in monitor_of(live_study).lines]
    assert signed_in.get(address("quality/")).context["n_waiting"] == 1
