"""The monitoring page: who may see it, what a poll answers, how much it asks of the database."""

import gzip
import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation import entry
from annotation.models import MonitorFigures, Participation
from annotation.monitor.overview import progress_of
from studies.lifecycle import start_pilot
from studies.models import Study
from tests.annotation.people import rate_all, screened, somebody
from tests.conftest import add_item

pytestmark = pytest.mark.django_db
HTMX = {"HTTP_HX_REQUEST": "true"}
PAGES = ("monitor/", "monitor/live/", "monitor/panels/", "people/", "people/NP-01/")


@pytest.mark.parametrize("page", PAGES)
class TestWhoMaySeeIt:
    def test_the_owner_and_a_superuser(self, client, live_study, colleague, researcher, page):
        rate_all(live_study, somebody(live_study))
        client.force_login(researcher)
        assert client.get(f"/studies/weddings/{page}").status_code == 200
        Study.objects.update(owner=colleague)
        assert client.get(f"/studies/weddings/{page}").status_code == 200
        client.force_login(colleague)
        assert client.get(f"/studies/weddings/{page}").status_code == 200

    def test_to_a_colleague_the_study_does_not_exist(self, client, live_study, colleague, page):
        somebody(live_study)
        client.force_login(colleague)
        assert client.get(f"/studies/weddings/{page}").status_code == 404

    def test_a_stranger_is_asked_to_sign_in(self, client, live_study, page):
        answer = client.get(f"/studies/weddings/{page}")
        assert (answer.status_code, answer.url.split("?")[0]) == (302, "/admin/login/")


def test_a_draft_says_what_the_launch_needs(signed_in, draft_study):
    page = signed_in.get("/studies/weddings/monitor/")
    assert b"Nobody can take part before the launch" in page.content


def test_before_the_first_arrival_the_link_stands_there(signed_in, live_study, address):
    page = signed_in.get(address("monitor/")).content.decode()
    assert "Nobody has arrived yet. This is your link:" in page
    assert live_study.entry_link in page


def test_who_only_looked_is_an_arrival(signed_in, live_study, address):
    entry.arrive(study=live_study)
    page = signed_in.get(address("monitor/")).content.decode()
    assert "On course: 0 of 18 ratings (0 %). Too early to tell the pace." in page


class TestAPoll:
    def test_brings_nothing_while_nothing_is_new(self, signed_in, address, rated):
        rated(2)
        mark = signed_in.get(address("monitor/")).context["mark"]
        answer = signed_in.get(address("monitor/live/"), {"seen": mark}, **HTMX)
        assert (answer.status_code, answer.content) == (204, b"")
        assert re.fullmatch(r"\d\d:\d\d:\d\d", answer["X-Counted-At"])

    def test_brings_the_figures_once_somebody_answered(self, signed_in, address, rated):
        rated(2)
        mark = signed_in.get(address("monitor/")).context["mark"]
        rated(1)
        answer = signed_in.get(address("monitor/live/"), {"seen": mark}, **HTMX)
        assert answer.status_code == 200
        assert "3&nbsp;of&nbsp;18" in answer.content.decode()
        assert answer["Cache-Control"] == "no-store"

    def test_keeps_rows_where_they_stand_and_names_those_who_are_new(
        self, signed_in, address, live_study, rated
    ):
        for _ in range(3):
            rated(1)
        shown = signed_in.get(address("monitor/")).context["monitor"].people.codes
        assert shown == "NP-03,NP-02,NP-01"
        Participation.objects.filter(code="NP-01").update(
            last_seen_at=timezone.now() + timedelta(minutes=1)
        )
        rated(1)
        people = self.people(signed_in, address, rows=shown)
        assert ([row.code for row in people.rows], people.new) == (shown.split(","), 1)
        assert [row.code for row in self.people(signed_in, address).rows][:2] == ["NP-01", "NP-04"]

    def test_says_how_many_are_new(self, signed_in, address, rated):
        rated(1)
        rated(1)
        page = signed_in.get(address("monitor/live/"), {"rows": "NP-01"}, **HTMX)
        assert "1 new, show" in page.content.decode()

    def test_takes_no_word_for_a_row_that_does_not_exist(self, signed_in, address, rated):
        rated(1)
        people = self.people(signed_in, address, rows="XX-99,<script>")
        assert [row.code for row in people.rows] == ["NP-01"]

    def test_asks_to_sign_in_where_that_has_run_out(self, client, address, live_study):
        answer = client.get(address("monitor/live/"), **HTMX)
        assert (answer.status_code, answer["HX-Refresh"]) == (204, "true")

    def people(self, client, address, **query):
        return client.get(address("monitor/live/"), query, **HTMX).context["monitor"].people


def queries(client, url: str) -> int:
    with CaptureQueriesContext(
        connection,
    ) as captured:
        assert client.get(url).status_code == 200
    assert len(captured) > 5
    return len(captured)


@pytest.mark.parametrize("page", PAGES)
def test_more_people_units_and_answers_cost_no_more_queries(
    signed_in, live_study, address, rated, page
):
    rated(2)
    rate_all(live_study, somebody(live_study))
    signed_in.get(address(page))
    MonitorFigures.objects.update(mark="")
    before = queries(signed_in, address(page))
    for n in range(7, 20):
        add_item(live_study, f"np-{n}")
    live_study.panels.update(ratings_per_unit=9)
    for _ in range(6):
        rate_all(live_study, somebody(live_study))
        rated(3)
        screened(live_study)
    MonitorFigures.objects.update(mark="")
    assert queries(signed_in, address(page)) <= before


def test_a_poll_of_a_full_table_weighs_less_than_15_kb(signed_in, live_study, address, rated):
    live_study.panels.update(ratings_per_unit=20)
    for _ in range(18):
        rated(2)
    answer = signed_in.get(address("monitor/live/"), **HTMX)
    assert len(answer.context["monitor"].people.rows) == 15
    assert len(gzip.compress(answer.content)) < 15 * 1024


def test_the_page_carries_no_script_and_no_style_of_its_own(signed_in, address, rated):
    rated(2)
    page = signed_in.get(address("monitor/")).content.decode()
    assert " style=" not in page
    assert "<script>" not in page


def test_the_pilot_is_watched_as_a_pilot(signed_in, draft_study, researcher):
    start_pilot(study=draft_study, by=researcher)
    draft_study.refresh_from_db()
    rate_all(draft_study, somebody(draft_study))
    page = signed_in.get("/studies/weddings/monitor/")
    assert page.context["monitor"].now.done == 6
    assert '<span class="tag warn">Pilot</span>' in page.content.decode()


class TestHome:
    def test_says_what_each_study_needs_the_worst_first(self, signed_in, live_study, rated):
        Participation.objects.filter(pk=rated(1).pk).update(
            last_seen_at=timezone.now() - timedelta(minutes=42)
        )
        lines = signed_in.get("/needs/", **HTMX).context["needs"]
        assert [(line.need.mark, line.need.sentence) for line in lines] == [
            ("bad", "Nobody has come for 42 min; 16 places open."),
            ("info", "1 person has not acted for over 10 min."),
        ]

    def test_each_need_leads_to_the_page_that_deals_with_it(self, signed_in, live_study, rated):
        Participation.objects.filter(pk=rated(1).pk).update(
            last_seen_at=timezone.now() - timedelta(minutes=42)
        )
        page = signed_in.get("/needs/", **HTMX).content.decode()
        assert 'href="/studies/weddings/arrivals/">See arrivals' in page

    def test_lists_how_far_a_study_is_and_when_somebody_was_last_seen(
        self, signed_in, live_study, rated
    ):
        person = rated(2)
        page = signed_in.get("/").content.decode()
        assert "2&nbsp;of&nbsp;18" in page
        assert f"{person.last_seen_at:%H:%M}</time>" in page

    def test_says_of_a_draft_that_it_is_not_launched(self, signed_in, draft_study):
        page = signed_in.get("/").content.decode()
        assert "not launched" in page
        assert "nobody yet" in page

    def test_asks_the_database_as_often_for_one_study_as_for_many(
        self, signed_in, live_study, rated, django_assert_num_queries
    ):
        rated(1)
        with django_assert_num_queries(2):
            progress_of([live_study])
        others = [
            Study.objects.create(owner=live_study.owner, title=name, slug=name, state="live")
            for name in ("one", "two")
        ]
        with django_assert_num_queries(2):
            found = progress_of([live_study, *others])
        assert [found[study.pk].done for study in (live_study, *others)] == [1, 0, 0]

    def test_says_that_nothing_does(self, signed_in, live_study):
        page = signed_in.get("/needs/", **HTMX).content.decode()
        assert "Nothing needs you today." in page

    def test_shows_nobody_the_studies_of_others(self, client, colleague, rated):
        Participation.objects.filter(pk=rated(1).pk).update(
            last_seen_at=timezone.now() - timedelta(minutes=42)
        )
        client.force_login(colleague)
        assert client.get("/needs/", **HTMX).context["needs"] == []

    def test_loads_them_into_its_page(self, signed_in, live_study):
        assert 'hx-get="/needs/"' in signed_in.get("/").content.decode()


def test_the_study_page_of_the_admin_embeds_the_panels(signed_in, live_study, rated):
    rated(2)
    page = signed_in.get("/studies/weddings/monitor/panels/", **HTMX).content.decode()
    assert "2&nbsp;of&nbsp;18" in page
    assert "<html" not in page
    assert "Pay per hour" not in page
    study_page = signed_in.get(f"/admin/studies/study/{live_study.pk}/change/").content.decode()
    assert 'hx-get="/studies/weddings/monitor/panels/"' in study_page
