"""What stops a launch, and what a launch freezes."""

import pytest

from studies.design import current_design, filled_in, frozen_design
from studies.designs import check_positions, people_needed
from studies.lifecycle import LaunchRefused, WrongState, launch_checks, launch_study, move_study
from studies.models import Panel, Study
from tests.conftest import add_item

pytestmark = pytest.mark.django_db


def stops(study) -> dict[str, str]:
    return {c.name: c.sentence for c in launch_checks(study) if c.mark == "stop"}


def test_a_complete_study_has_no_stops(draft_study):
    assert stops(draft_study) == {}


def test_every_stop_names_its_place_and_a_page_that_fixes_it(researcher):
    empty = Study.objects.create(owner=researcher, title="Empty", slug="empty")
    found = {c.name: c for c in launch_checks(empty) if c.mark == "stop"}
    assert set(found) == {"Consent and instructions", "Questions", "Items", "Panels and seats"}
    assert all(check.url.startswith("/admin/studies/") for check in found.values())


def test_an_unlabelled_point_stops_the_launch_and_is_named(draft_study):
    question = draft_study.questions.get(key="hallucination")
    question.points.filter(value=4).update(label="")
    assert stops(draft_study) == {"Questions": "Hallucination: point 4 has no label"}


def test_a_missing_file_stops_the_launch(draft_study):
    item = draft_study.items.first()
    item.media.storage.delete(item.media.name)
    assert stops(draft_study) == {"Items": "1 of 6 files are missing"}


def test_items_of_a_country_without_a_panel_stop_the_launch(draft_study):
    add_item(draft_study, "ir-1", country="IR")
    assert stops(draft_study) == {"Panels and seats": "1 item without a panel (country IR)"}


def test_too_few_seats_stop_the_launch_with_the_arithmetic(draft_study):
    draft_study.panels.update(seats=2)
    assert "2 seats × 6 units cannot give 18 ratings" in stops(draft_study)["Panels and seats"]


def test_a_return_address_without_https_stops_the_launch(draft_study):
    draft_study.completion_url = "http://example.org/done"
    draft_study.save()
    assert "Completion" in stops(draft_study)


def test_a_study_with_stops_stays_a_draft(draft_study, researcher):
    draft_study.questions.get(key="faithfulness").points.update(label="")
    with pytest.raises(LaunchRefused, match="Faithfulness: point 1 has no label"):
        launch_study(study=draft_study, by=researcher)
    draft_study.refresh_from_db()
    assert (draft_study.state, draft_study.revision) == ("draft", 0)


def test_a_second_launch_is_told_that_the_study_is_live(live_study, researcher):
    with pytest.raises(WrongState, match="is live already"):
        launch_study(study=live_study, by=researcher)
    assert live_study.revisions.count() == 1


def test_launch_freezes_the_words(live_study):
    before = frozen_design(live_study.pk, 1)
    live_study.questions.filter(key="faithfulness").update(text="Changed behind our back")
    frozen_design.cache_clear()
    assert frozen_design(live_study.pk, 1) == before
    assert before.questions[0].text != "Changed behind our back"


def test_a_design_survives_its_way_through_json(draft_study):
    design = current_design(draft_study)
    assert type(design).from_json(design.to_json()) == design


def test_a_study_pauses_resumes_closes_and_reopens_paused(live_study):
    for move, state in (
        ("pause", "paused"),
        ("resume", "live"),
        ("close", "closed"),
        ("reopen", "paused"),
    ):
        move_study(study=live_study, move=move)
        live_study.refresh_from_db()
        assert live_study.state == state
    with pytest.raises(WrongState):
        move_study(study=live_study, move="pause")


def test_texts_fill_in_activity_and_country_and_leave_other_braces():
    about = {"activity": "tea", "country": "IR", "language": "en"}
    filled = filled_in("{activity} in {country} {x}", **about, words={})
    assert filled == "tea in Iran {x}"
    about = {"activity": "", "country": "IR", "language": "fa"}
    assert filled_in("{country}", **about, words={}) == "ایران"
    assert filled_in("{country}", **about, words={"country.IR": "ایرانی"}) == "ایرانی"


def test_a_panel_of_a_country_exists_once(draft_study):
    second = Panel(study=draft_study, country="NP")
    with pytest.raises(Exception, match="already has a panel for that country"):
        second.full_clean()


@pytest.mark.parametrize("n_units", range(0, 30))
@pytest.mark.parametrize("n_checks", range(0, 4))
def test_checks_stand_on_different_inner_screens(n_units, n_checks):
    for seed in range(20):
        positions = check_positions(n_units=n_units, n_checks=n_checks, seed=seed)
        assert len(positions) == min(n_checks, max(n_units - 2, 0))
        assert positions == sorted(set(positions))
        assert all(1 < position < n_units for position in positions)


@pytest.mark.parametrize(
    ("n_units", "k", "session", "people"),
    [(0, 3, 12, 0), (6, 3, 12, 3), (96, 3, 12, 24), (13, 3, 6, 7), (1, 5, 12, 5)],
)
def test_people_needed_give_every_unit_its_ratings(n_units, k, session, people):
    needed = people_needed(n_units=n_units, ratings_per_unit=k, units_per_session=session)
    assert needed == people


def test_every_line_leads_to_something_that_is_on_its_page(client, draft_study, researcher):
    client.force_login(researcher)
    empty = Study.objects.create(
        owner=researcher, title="Empty", slug="empty", completion_url="http://example.org"
    )
    draft_study.questions.get(key="hallucination").points.filter(value=4).update(label="")
    checks = [*launch_checks(empty), *launch_checks(draft_study)]
    assert len(checks) > 12
    for check in checks:
        path, _, anchor = check.url.partition("#")
        page = client.get(path)
        assert page.status_code == 200
        assert not anchor or f'id="{anchor}"' in page.content.decode(), check.url


def test_an_unlabelled_point_leads_to_its_own_question(draft_study):
    question = draft_study.questions.get(key="hallucination")
    question.points.filter(value=4).update(label="")
    (stop,) = (check for check in launch_checks(draft_study) if check.mark == "stop")
    assert stop.url == f"/admin/studies/question/{question.pk}/change/"
