"""What is counted of a collection, held to what was done."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation import entry
from annotation.assignment import claim_next_unit
from annotation.models import (
    Assignment,
    Attempt,
    Flag,
    Identity,
    MonitorFigures,
    Participation,
)
from annotation.monitor.counts import collection
from annotation.monitor.figures import count_figures
from annotation.monitor.home import needs_of_all
from annotation.monitor.keeping import FEW, count_for_page, figures_for
from annotation.monitor.page import monitor_of
from annotation.monitor.people import Wish, person_rows, wished_people
from annotation.quality.exclusions import exclude
from scoring.stats.agreement import Coefficient, estimate_agreement
from scoring.stats.counts import ratings_from_labels
from scoring.stats.scale import declare_scale
from studies.lifecycle import move_study
from studies.models import Study
from tests.annotation.people import expire_leases, rate_all, screened, send, somebody

pytestmark = pytest.mark.django_db


def long_ago(person: Participation, minutes: float) -> None:
    moment = timezone.now() - timedelta(minutes=minutes)
    Participation.objects.filter(pk=person.pk).update(last_seen_at=moment)


def test_people_are_counted_where_they_are(live_study, rated):
    for agreed in (False, True):
        entry.record_consent(participation=entry.arrive(study=live_study), agreed=agreed)
    stranger = entry.arrive(study=live_study)
    entry.record_consent(participation=stranger, agreed=True)
    entry.record_screening(
        participation=stranger, nationality="DE", residence="DE", first_language="de"
    )
    screened(live_study)
    rated(2)
    rate_all(live_study, somebody(live_study))
    now = collection(live_study)
    assert (now.arrived, now.consented, now.fits, now.rating, now.complete) == (6, 5, 3, 1, 1)
    assert now.left == {"no-consent": 1, "does-not-fit": 1}


def test_a_panel_counts_places_by_state_and_who_works(live_study, rated):
    rated(2)
    (panel,) = collection(live_study).panels
    assert (panel.wanted, panel.done, panel.leased, panel.open) == (18, 2, 1, 15)
    assert (panel.working, panel.people_lately, panel.done_lately) == (1, 1, 2)


def test_working_is_an_action_in_the_last_three_minutes_and_stuck_none_for_ten(live_study, rated):
    found = []
    person = rated(1)
    for minutes in (2.9, 3.1, 9.9, 10.1, 44.9, 45.1):
        long_ago(person, minutes)
        now = collection(live_study)
        found.append((now.panels[0].working, now.stuck, now.gone))
    assert found == [(1, 0, 0), (0, 0, 0), (0, 0, 0), (0, 1, 0), (0, 1, 0), (0, 0, 1)]


def test_ratings_of_more_than_an_hour_ago_say_nothing_about_the_pace(live_study, rated):
    person = rated(3)
    first = person.assignments.first()
    Assignment.objects.filter(pk=first.pk).update(
        submitted_at=timezone.now() - timedelta(minutes=61)
    )
    assert collection(live_study).done_lately == 2


def test_surplus_is_named_and_no_unit_is_over(live_study):
    live_study.panels.update(ratings_per_unit=1)
    slow = somebody(live_study)
    late = claim_next_unit(participation=slow)
    expire_leases()
    rate_all(live_study, somebody(live_study))
    assert send(live_study, late).counted is False
    page = monitor_of(live_study)
    assert (page.now.surplus, page.over, page.now.done, page.now.wanted) == (1, 0, 6, 6)
    assert page.verdict.sentence == "Complete: every unit has its 1 rating."


def test_submissions_that_ended_on_prolific_are_among_those_who_left(live_study):
    for n, status in enumerate(["RETURNED", "RETURNED", "TIMED-OUT", "APPROVED"]):
        identity = Identity.objects.create(study=live_study, source="prolific", external_id=f"{n}")
        Attempt.objects.create(
            identity=identity, study=live_study, session_id=f"s{n}", status=status
        )
    left = {step.label: step.n for step in monitor_of(live_study).left}
    assert left == {"returned on Prolific": 2, "timed out on Prolific": 1}


def test_units_are_spread_by_how_many_ratings_they_have(live_study, rated):
    rated(4)
    rated(2)
    page = monitor_of(live_study)
    assert sum(bar.ratings * bar.units for bar in page.spread) == 6
    assert sum(bar.units for bar in page.spread) == 6
    assert [bar.ratings for bar in page.spread] == [0, 1, 2, 3]


def test_the_median_is_of_those_who_finished_from_arrival_to_the_end(live_study):
    for minutes in (10, 14, 30):
        person = somebody(live_study)
        rate_all(live_study, person)
        now = timezone.now()
        Participation.objects.filter(pk=person.pk).update(
            arrived_at=now - timedelta(minutes=minutes), finished_at=now
        )
    figures = count_figures(study=live_study, now=collection(live_study))
    (panel,) = figures["panels"].values()
    assert (panel["median_seconds"], panel["finished"]) == (14 * 60, 3)


def test_agreement_so_far_is_the_coefficient_of_the_answers_there_are(live_study):
    values = {}
    for value in (1, 2, 4):
        person = somebody(live_study)
        while (screen := claim_next_unit(participation=person)) is not None:
            given = value if screen.n % 2 else 3
            send(live_study, screen, given)
            values[screen.unit_id, person.pk] = given
    figures = count_figures(study=live_study, now=collection(live_study))
    agreement = next(iter(figures["panels"].values()))["agreement"]
    scale = declare_scale(level="ordinal", categories=[1, 2, 3, 4, 5])
    ratings = ratings_from_labels(
        units=[unit for unit, _ in values],
        raters=[person for _, person in values],
        values=list(values.values()),
        scale=scale,
    )
    alpha = Coefficient("krippendorff_alpha", "ordinal")
    (expected,) = estimate_agreement(ratings=ratings, coefficients=[alpha])
    assert agreement["value"] == pytest.approx(expected.value)
    assert (agreement["n_units"], agreement["n_raters"], agreement["n_ratings"]) == (6, 3, 18)
    assert (figures["question"], figures["coefficient"]) == ("Faithfulness", "krippendorff_alpha")


def test_the_same_answers_give_the_same_interval(live_study):
    for value in (1, 2, 3):
        person = somebody(live_study)
        while (screen := claim_next_unit(participation=person)) is not None:
            send(live_study, screen, 1 + (value * screen.n) % 2)
    now = collection(live_study)
    first, again = (count_figures(study=live_study, now=now)["panels"] for _ in range(2))
    assert first == again


def test_one_rating_has_no_agreement_and_says_why(live_study, rated):
    rated(1)
    (row,) = monitor_of(live_study).panels
    assert (row.agreement, row.undefined) == ("", "no unit has two ratings yet")


def fail(person: Participation, screens: int) -> None:
    for n, screen in enumerate(person.assignments.filter(submitted_at__isnull=False)[:screens]):
        screen.check_outcomes.create(kind="gold", passed=False, first_passed=False, check_id=n)


def failed_two(study) -> int:
    return count_figures(study=study, now=collection(study))["failed_two"]


def test_who_failed_two_checks_is_counted_once(live_study, rated):
    fail(rated(3), 2)
    assert failed_two(live_study) == 1


def test_a_screen_that_failed_two_checks_is_one_failure(live_study, rated):
    person = rated(3)
    fail(person, 1)
    screen = person.assignments.first()
    screen.check_outcomes.create(kind="contradiction", passed=False, first_passed=False)
    assert failed_two(live_study) == 0


def test_who_failed_two_checks_needs_nobody_once_it_is_decided(live_study, rated, researcher):
    kept, excluded, returned, waiting = (rated(2) for _ in range(4))
    for person in (kept, excluded, returned, waiting):
        fail(person, 2)
    Participation.objects.filter(pk=returned.pk).update(set_aside_at=timezone.now())
    assert failed_two(live_study) == 3
    monitor_of(live_study)
    Flag.objects.create(participation=kept, kind="checks", sentence="Two.", decision="kept")
    exclude(participation=excluded, reason="Answered at random.", by=researcher, reopen=False)
    lines = {line.need.sentence: line.url for line in monitor_of(live_study).lines}
    url = lines["1 person failed two checks."]
    wish = Wish.of({"state": url.partition("state=")[2]})
    assert [person.pk for person in wished_people(live_study, wish)] == [waiting.pk]


def test_home_names_nobody_who_was_decided_on_since_the_figures_were_counted(
    live_study, rated, researcher
):
    person = rated(2)
    fail(person, 2)
    monitor_of(live_study)
    said = "1 person failed two checks."
    mine = Study.objects.filter(pk=live_study.pk)
    assert said in [line.need.sentence for line in needs_of_all(mine)]
    exclude(participation=person, reason="Answered at random.", by=researcher, reopen=False)
    assert said not in [line.need.sentence for line in needs_of_all(mine)]


def test_the_list_of_who_is_stuck_has_as_many_as_are_counted(live_study, rated):
    here, aside = rated(1), rated(1)
    for person in (here, aside):
        long_ago(person, 20)
    Participation.objects.filter(pk=aside.pk).update(set_aside_at=timezone.now())
    listed = wished_people(live_study, Wish(state="stuck"))
    assert [person.pk for person in listed] == [here.pk]
    assert collection(live_study).stuck == 1
    assert [row.stuck_minutes for row in person_rows([aside], live_study)] == [None]


def test_submissions_of_the_pilots_people_are_not_among_those_of_the_study(live_study, rated):
    for n, pilot in enumerate([True, False]):
        person = rated(1)
        Participation.objects.filter(pk=person.pk).update(pilot=pilot)
        identity = Identity.objects.create(
            study=live_study, source="prolific", external_id=f"{n}", participation=person
        )
        Attempt.objects.create(
            identity=identity, study=live_study, session_id=f"s{n}", status="TIMED-OUT"
        )
    assert collection(live_study).prolific == {"TIMED-OUT": 1}


class TestKeeping:
    def test_figures_are_counted_once_for_the_same_answers(self, live_study, rated):
        rated(2)
        first = figures_for(live_study, collection(live_study))
        MonitorFigures.objects.update(figures={"kept": True})
        again = figures_for(live_study, collection(live_study))
        assert first.current
        assert again.figures == {"kept": True}

    def test_another_answer_is_counted_anew(self, live_study, rated):
        rated(2)
        figures_for(live_study, collection(live_study))
        rated(1)
        kept = figures_for(live_study, collection(live_study))
        assert sum(kept.figures["timeline"]["counts"][str(live_study.panels.get().pk)]) == 3

    def test_many_ratings_are_a_workers_to_count(self, live_study, rated, monkeypatch, commits):
        asked = []
        monkeypatch.setattr("annotation.monitor.keeping.FEW", 1)
        monkeypatch.setattr(
            "annotation.tasks.count_monitor_figures.delay", lambda study: asked.append(study)
        )
        rated(2)
        with commits(execute=True):
            for _ in range(3):
                kept = figures_for(live_study, collection(live_study))
        assert (kept.figures, kept.current, asked) == (None, False, [live_study.pk])
        count_for_page(study_id=live_study.pk)
        assert figures_for(live_study, collection(live_study)).current

    def test_old_figures_are_shown_with_their_time_while_a_worker_counts(
        self, live_study, rated, monkeypatch
    ):
        rated(2)
        first = figures_for(live_study, collection(live_study))
        monkeypatch.setattr("annotation.monitor.keeping.FEW", 1)
        rated(1)
        kept = figures_for(live_study, collection(live_study))
        assert (kept.current, kept.at, kept.figures) == (False, first.at, first.figures)

    def test_a_study_that_is_gone_needs_no_figures(self, db):
        count_for_page(study_id=12345)
        assert not MonitorFigures.objects.exists()

    def test_few_is_what_a_page_can_wait_for(self):
        assert FEW <= 2_000


def test_a_closed_study_is_not_called_stuck(live_study, rated):
    long_ago(rated(2), 600)
    move_study(study=live_study, move="close")
    live_study.refresh_from_db()
    page = monitor_of(live_study)
    assert page.verdict.course == "closed"
    assert [line.need.mark for line in page.lines] == []


@pytest.fixture
def commits(django_capture_on_commit_callbacks):
    return django_capture_on_commit_callbacks
