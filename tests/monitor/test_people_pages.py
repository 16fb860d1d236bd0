"""The table of people, and one annotator's answers in order."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.answers import read_answers
from annotation.assignment import claim_next_unit
from annotation.kinds import Fields
from annotation.models import Assignment, CheckAnswer, Identity, Participation, Rating
from annotation.monitor.people import answered_twice, people_of, person_rows
from annotation.monitor.person import in_words, screens_of
from annotation.responding import change_answers, skip_unit
from annotation.sheet import sheet_of
from studies.lifecycle import launch_study
from tests.annotation.people import answers, design, rate_all, somebody

pytestmark = pytest.mark.django_db


def rows(client, address, **query) -> list[str]:
    page = client.get(address("people/"), query)
    assert page.status_code == 200
    return [row.code for row in page.context["rows"]]


class TestTheTable:
    def test_shows_who_began_and_nobody_who_only_looked(self, signed_in, address, rated):
        Participation.objects.create(study=rated(1).study)
        assert rows(signed_in, address) == ["NP-01"]

    def test_filters_by_panel_and_state(self, signed_in, address, live_study, rated):
        rated(1)
        rate_all(live_study, somebody(live_study))
        panel = live_study.panels.get().pk
        assert rows(signed_in, address, state="rating") == ["NP-01"]
        assert rows(signed_in, address, state="complete", panel=panel) == ["NP-02"]
        assert rows(signed_in, address, panel=panel + 1) == []

    def test_finds_the_stuck(self, signed_in, address, rated):
        rated(1)
        waits = rated(2)
        Participation.objects.filter(pk=waits.pk).update(
            last_seen_at=timezone.now() - timedelta(minutes=11, seconds=5)
        )
        page = signed_in.get(address("people/"), {"state": "stuck"})
        assert [(row.code, row.stuck_minutes, row.now_at) for row in page.context["rows"]] == [
            ("NP-02", 11, 3)
        ]
        assert "stuck 11 min on unit 3" in page.content.decode()

    def test_finds_who_failed_a_check(self, signed_in, address, rated):
        rated(1)
        failed = rated(1)
        CheckAnswer.objects.create(assignment=failed.assignments.first(), value=1, passed=False)
        assert rows(signed_in, address, state="failed") == ["NP-02"]

    def test_searches_by_a_part_of_the_code(self, signed_in, address, rated):
        for _ in range(2):
            rated(1)
        assert rows(signed_in, address, code="p-02") == ["NP-02"]
        assert rows(signed_in, address, code="XX") == []

    def test_sorts_by_code_both_ways_and_by_last_seen_at_first(self, signed_in, address, rated):
        for _ in range(3):
            rated(1)
        assert rows(signed_in, address, sort="code") == ["NP-01", "NP-02", "NP-03"]
        assert rows(signed_in, address, sort="-code") == ["NP-03", "NP-02", "NP-01"]
        Participation.objects.filter(code="NP-02").update(
            last_seen_at=timezone.now() + timedelta(minutes=1)
        )
        assert rows(signed_in, address)[0] == "NP-02"

    @pytest.mark.parametrize(
        "query",
        [{"sort": "token"}, {"panel": "x"}, {"state": "drop"}, {"page": "999"}, {"code": "%_'"}],
    )
    def test_takes_odd_wishes_calmly(self, signed_in, address, rated, query):
        rated(1)
        assert signed_in.get(address("people/"), query).status_code == 200

    def test_is_read_page_by_page(self, signed_in, address, live_study):
        panel = live_study.panels.get()
        for n in range(1, 61):
            Participation.objects.create(
                study=live_study, panel=panel, code=f"NP-{n:02d}", state="complete"
            )
        assert len(rows(signed_in, address)) == 50
        assert rows(signed_in, address, page=2, sort="code") == [f"NP-{n}" for n in range(51, 61)]

    def test_heads_say_how_they_sort(self, signed_in, address, rated):
        rated(1)
        page = signed_in.get(address("people/"), {"sort": "code"}).content.decode()
        assert 'aria-sort="ascending"' in page
        assert "sort=-code" in page


def test_minutes_are_what_was_measured_and_unknown_without(live_study, rated):
    person = rated(2)
    (row,) = person_rows([person], live_study)
    assert row.active_minutes is None
    person.assignments.filter(n=1).update(timing={"active": 90.0})
    person.assignments.filter(n=2).update(timing={"active": "x", "clips": []})
    (row,) = person_rows([person], live_study)
    assert row.active_minutes == 1.5


@pytest.fixture
def repeated(draft_study, researcher):
    """Somebody who saw two of four units twice; answers differ by one on one line of one."""
    draft_study.repeats, draft_study.repeat_gap, draft_study.units_per_session = 2, 2, 4
    draft_study.save()
    launch_study(study=draft_study, by=researcher, note="A test.")
    draft_study.refresh_from_db()
    person = somebody(draft_study)
    rate_all(draft_study, person)
    again = person.assignments.exclude(repeat_of=None).order_by("n").first()
    Rating.objects.filter(assignment=again, question__key="faithfulness").update(value=4)
    person.refresh_from_db()
    return person


class TestAnsweredTwice:
    def test_counts_the_same_among_all(self, repeated):
        again = list(repeated.assignments.exclude(repeat_of=None).order_by("n"))
        assert answered_twice(again) == {again[0].pk: (2, 3), again[1].pk: (3, 3)}

    def test_is_a_share_in_the_table(self, repeated):
        (row,) = person_rows(list(people_of(repeated.study)), repeated.study)
        assert (row.same, row.twice, row.same_percent) == (5, 6, 83)

    def test_stands_beside_the_first_answer(self, repeated):
        screens = {screen.n: screen for screen in screens_of(repeated)}
        again = next(screen for screen in screens.values() if screen.repeats)
        first = screens[again.repeats]
        assert first.repeated_as == again.n
        told = {line.label: (line.answer, line.other) for line in again.lines}
        assert told["Faithfulness"] == ("4 · Mostly", "2 · A little")
        assert told["Hallucination"] == ("2 · A little", "")
        assert {line.label: line.other for line in first.lines}["Faithfulness"] == "4 · Mostly"


class TestOnePerson:
    def test_has_every_unit_in_order_with_answers_in_words(self, signed_in, address, rated):
        person = rated(2, value=4)
        page = signed_in.get(address("people/NP-01/"))
        screens = page.context["screens"]
        assert [(screen.n, screen.state) for screen in screens] == [
            (1, "sent"),
            (2, "sent"),
            (3, "open"),
        ]
        told = {line.label: line.answer for line in screens[0].lines}
        assert told["Faithfulness"] == "4 · Mostly"
        assert told["Rationale"] == "The clothes are from elsewhere."
        text = page.content.decode()
        assert person.assignments.get(n=1).unit.items.get().media_url in text
        assert "On the screen now, not sent." in text

    def test_shows_checks_where_they_stood(self, live_study, signed_in, address):
        rate_all(live_study, somebody(live_study))
        check = CheckAnswer.objects.get()
        CheckAnswer.objects.update(passed=False, value=5)
        page = signed_in.get(address("people/NP-01/"))
        screen = page.context["screens"][check.assignment.n - 1]
        assert [result.passed for result in screen.checks] == [False]
        assert [line.answer for line in screen.lines if line.is_check] == ["5 · Fully"]
        assert "Attention check failed" in page.content.decode()

    def test_folds_away_what_was_answered_before(self, signed_in, address, live_study, rated):
        person = rated(1)
        screen = person.assignments.get(n=1)
        change_answers(
            assignment=screen, key=screen.key, answers=answers(live_study, screen, 5), check=None
        )
        page = signed_in.get(address("people/NP-01/"))
        (earlier,) = page.context["screens"][0].earlier
        assert earlier.lines[0].answer == "2 · A little"
        assert page.context["screens"][0].lines[0].answer == "5 · Fully"
        assert "Changed 1 time: earlier answers" in page.content.decode()

    def test_tells_seconds_and_the_share_that_was_watched(self, rated):
        person = rated(1)
        screen = person.assignments.get(n=1)
        public = screen.unit.items.get().public_id
        timing = {"active": 12.4, "wall": 20, "clips": {public: {"seen": 0.874}}}
        Assignment.objects.filter(pk=screen.pk).update(timing=timing)
        shown = screens_of(person)[0]
        assert (shown.active_seconds, shown.wall_seconds) == (12.4, 20.0)
        assert shown.pictures[0].seen_percent == 87

    @pytest.mark.parametrize(
        "timing", [{}, {"active": "fast", "clips": [1]}, {"clips": {"x": 3}}, {"active": True}]
    )
    def test_takes_any_word_of_a_browser_for_not_measured(self, rated, timing):
        person = rated(1)
        person.assignments.filter(n=1).update(timing=timing)
        shown = screens_of(person)[0]
        assert (shown.active_seconds, shown.pictures[0].seen_percent) == (None, None)

    def test_says_why_a_unit_was_skipped(self, signed_in, address, rated):
        person = rated(1)
        skip_unit(assignment=claim_next_unit(participation=person), reason="not_loading")
        assert "Skipped: not loading." in signed_in.get(address("people/NP-01/")).content.decode()

    def test_leads_to_the_person_before_and_after(self, signed_in, address, rated):
        for _ in range(3):
            rated(1)
        page = signed_in.get(address("people/NP-02/"))
        assert (page.context["before"], page.context["after"]) == ("NP-01", "NP-03")
        text = page.content.decode()
        assert 'rel="prev" href="/studies/weddings/people/NP-01/"' in text
        assert 'rel="next" href="/studies/weddings/people/NP-03/"' in text

    def test_leads_to_the_submission_of_who_came_from_prolific(self, signed_in, address, rated):
        rated(1)
        came = Identity.objects.create(
            study=rated(1).study,
            source="prolific",
            external_id="5f",
            participation=Participation.objects.get(code="NP-02"),
        )
        there = f'href="/studies/weddings/arrivals/{came.pk}/"'
        assert there in signed_in.get(address("people/NP-02/")).content.decode()
        assert there in signed_in.get(address("monitor/")).content.decode()
        alone = signed_in.get(address("people/NP-01/")).content.decode()
        assert not re.search(r"/arrivals/\d", alone)

    def test_who_wrote_markup_wrote_text(self, signed_in, address, rated):
        rated(1, value=4)
        Rating.objects.exclude(text="").update(text="<script>alert(1)</script>")
        text = signed_in.get(address("people/NP-01/")).content.decode()
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text

    def test_of_another_study_is_not_found(self, signed_in, address, rated):
        rated(1)
        assert signed_in.get(address("people/NP-09/")).status_code == 404

    def test_a_long_session_is_read_in_parts(self, signed_in, address, rated, monkeypatch):
        for module in ("annotation.monitor.person", "annotation.views_people"):
            monkeypatch.setattr(f"{module}.EACH_PAGE", 2)
        rated(4)
        page = signed_in.get(address("people/NP-01/"), {"from": "3"})
        assert [screen.n for screen in page.context["screens"]] == [3, 4]
        assert (page.context["earlier_from"], page.context["later_from"]) == (1, 5)


class TestEveryKind:
    def test_is_told_in_words(self, live_triplets):
        person = somebody(live_triplets)
        screen = claim_next_unit(participation=person)
        sheet = sheet_of(assignment=screen, design=design(live_triplets))
        letters = sheet.facts.letters
        ids = [item.public_id for item in sheet.facts.items]
        data = {}
        for row in sheet.rows:
            if row.question.kind == "yes_no":
                data[row.name] = ["1"]
            elif row.question.kind == "multi":
                data[row.name] = ids[:2]
            else:
                data |= {f"{row.name}_i{public}": [str(n)] for n, public in enumerate(ids[::-1], 1)}
        read = read_answers(sheet.rows, Fields(data))
        assert read.errors == {}
        told = [(line.label, line.answer) for line in in_words(sheet, read.given, None)]
        assert list(letters.values()) == ["A", "B", "C"]
        assert told[0] == ("Useful", "Yes")
        assert ("Order", "C · B · A") in told
        assert any(label == "Seen" and "A" in answer and "B" in answer for label, answer in told)
