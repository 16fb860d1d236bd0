"""Practice screens: the rating screen, feedback on these very answers, and nothing counted."""

import pytest

from annotation.models import Assignment, Participation, Place, PracticeAnswer, Rating
from annotation.practice import due_practice
from annotation.ratings import rating_counts
from studies.lifecycle import launch_study
from studies.models import Item, Unit, UnitItem
from studies.units import rebuild
from tests.annotation.people import design, rate_all, screened, somebody
from tests.conftest import add_item

pytestmark = pytest.mark.django_db


@pytest.fixture
def practised(draft_study, researcher):
    """Two practice pictures: the first expects 4 to 5, the second 1, each with a sentence."""
    for name, span, words in (
        ("p-1", [4, 5], "All of the dress is from here."),
        ("p-2", [1, 1], "This is another country's dance."),
    ):
        item = add_item(draft_study, name)
        item.purpose, item.expected, item.feedback = "practice", {"faithfulness": span}, words
        item.save()
    rebuild(draft_study)
    launch_study(study=draft_study, by=researcher)
    draft_study.refresh_from_db()
    return draft_study


def url(person, n: int) -> str:
    return f"/a/{person.token}/practice/{n}/"


def fields(study, value: int) -> dict[str, str]:
    return {
        f"q_{question.id}": str(value) if question.kind == "likert" else "The clothes are wrong."
        for question in design(study).questions
    }


def send(client, study, person, n, value, **headers):
    return client.post(url(person, n), fields(study, value), headers=headers)


def test_rating_begins_with_practice_under_its_own_address(client, practised):
    person = somebody(practised)
    assert client.get(f"/a/{person.token}/").url.startswith(url(person, 1))
    assert client.get(f"/a/{person.token}/now/").url == url(person, 1)
    html = client.get(url(person, 1)).content.decode()
    assert "Practice: it counts for nothing" in html
    assert "1 of 2" in html
    assert "Problem?" not in html
    assert not Assignment.objects.exists()


def test_the_feedback_is_about_these_very_answers(client, practised):
    person = somebody(practised)
    response = send(client, practised, person, 1, 2)
    assert response.url == url(person, 1)
    html = client.get(response.url).content.decode()
    assert "Here we expected another answer." in html
    assert "You chose <bdi>2 A little</bdi>. Expected here: <bdi>4 Mostly to 5 Fully</bdi>." in html
    assert "All of the dress is from here." in html
    assert 'id="answers"' in html
    assert "Next" not in html.split('class="foot"')[1].split("</form>")[0]


def test_an_answer_in_the_range_is_said_to_fit(client, practised):
    person = somebody(practised)
    send(client, practised, person, 1, 5)
    html = client.get(url(person, 1)).content.decode()
    assert "That is what we expected here." in html
    assert "You chose <bdi>5 Fully</bdi>. It fits." in html
    assert PracticeAnswer.objects.get().missed == []


def test_scripts_get_the_feedback_as_the_reply(client, practised):
    person = somebody(practised)
    response = send(client, practised, person, 1, 2, **{"HX-Request": "true"})
    html = response.content.decode()
    assert response.status_code == 200
    assert "<html" not in html
    assert "data-feedback" in html
    assert url(person, 2) in html


def test_sending_twice_keeps_the_first_answer_and_its_feedback(client, practised):
    person = somebody(practised)
    send(client, practised, person, 1, 2)
    send(client, practised, person, 1, 5)
    assert PracticeAnswer.objects.get().missed == ["faithfulness"]
    assert "You chose <bdi>2 A little</bdi>" in client.get(url(person, 1)).content.decode()


def test_a_reload_after_sending_shows_the_feedback_again(client, practised):
    person = somebody(practised)
    send(client, practised, person, 1, 2)
    first, again = (client.get(url(person, 1)).content.decode() for _ in range(2))
    assert "Here we expected another answer." in first
    assert "Here we expected another answer." in again


def test_a_gap_is_named_and_nothing_kept(client, practised):
    person = somebody(practised)
    response = client.post(url(person, 1), {})
    assert response.status_code == 422
    assert not PracticeAnswer.objects.exists()


def test_no_practice_screen_is_skipped_by_its_address(client, practised):
    person = somebody(practised)
    assert client.get(url(person, 2)).url.startswith(url(person, 1))
    assert send(client, practised, person, 2, 1).url == url(person, 1)
    assert client.get(url(person, 3)).url == url(person, 1)
    assert not PracticeAnswer.objects.exists()


def test_after_the_last_one_rating_begins_and_practice_is_passed(client, practised):
    person = somebody(practised)
    send(client, practised, person, 1, 5)
    send(client, practised, person, 2, 1)
    html = client.get(url(person, 2)).content.decode()
    assert f'href="/a/{person.token}/now/"' in html
    assert "Begin" in html
    assert client.get(f"/a/{person.token}/now/").url == f"/a/{person.token}/1/"
    assert "passed" in client.get(url(person, 1)).url


def test_a_picture_that_does_not_load_is_passed_over(client, practised):
    person = somebody(practised)
    response = client.post(url(person, 1), {"reason": "not_loading"})
    assert response.url == url(person, 2)
    assert PracticeAnswer.objects.get().fields == {}


def test_practice_is_in_no_place_no_rating_and_no_count(client, practised):
    person = somebody(practised)
    send(client, practised, person, 1, 5)
    send(client, practised, person, 2, 5)
    assert not Rating.objects.exists()
    assert person.n_units == 6
    assert rate_all(practised, person) == 6
    assert not Place.objects.filter(unit__purpose="practice").exists()
    assert not person.assignments.filter(unit__purpose="practice").exists()
    assert rating_counts(practised).ratings == 6


def test_practice_of_another_country_is_not_shown(draft_study, researcher):
    item = add_item(draft_study, "ir", "IR")
    item.purpose = Item.Purpose.PRACTICE
    item.save()
    rebuild(draft_study)
    launch_study(study=draft_study, by=researcher)
    draft_study.refresh_from_db()
    assert due_practice(somebody(draft_study)) is None


def test_who_practises_keeps_the_place_that_is_left(practised):
    practised.panels.update(ratings_per_unit=1)
    others = Unit.objects.filter(study=practised, purpose="rated").exclude(key="np-1")
    UnitItem.objects.filter(unit__in=others).delete()
    others.delete()
    person = somebody(practised)
    assert person.state == Participation.State.RATING
    late = screened(practised)
    assert late.outcome == Participation.Outcome.FULL
    assert rate_all(practised, person) == 1


def test_a_study_without_practice_asks_the_database_nothing(live_study, django_assert_num_queries):
    person = Participation.objects.select_related("panel").get(pk=somebody(live_study).pk)
    due_practice(person)
    with django_assert_num_queries(0):
        assert due_practice(person) is None


def test_who_left_does_not_practise(client, practised):
    person = somebody(practised)
    client.post(f"/a/{person.token}/withdraw/")
    assert client.get(url(person, 1)).url == f"/a/{person.token}/out/"
    assert send(client, practised, person, 1, 5).url == f"/a/{person.token}/out/"
    assert not PracticeAnswer.objects.exists()


def test_the_preview_goes_through_practice_and_keeps_nothing(client, practised, researcher):
    client.force_login(researcher)
    start = client.post(f"/studies/{practised.slug}/preview/").url
    assert "/preview/practice/1/" in start
    assert "Practice: it counts for nothing" in client.get(start).content.decode()
    assert client.post(start, {}).status_code == 422
    html = client.post(start, fields(practised, 2)).content.decode()
    assert "Here we expected another answer." in html
    assert "/preview/practice/2/" in html
    second = start.replace("/1/", "/2/")
    assert "/preview/1/" in client.post(second, fields(practised, 1)).content.decode()
    assert client.get(start.replace("/1/", "/3/")).status_code == 302
    assert not PracticeAnswer.objects.exists()
    assert not Participation.objects.exists()


def test_the_help_page_leads_back_to_practice(client, practised):
    person = somebody(practised)
    assert f'href="{url(person, 1)}"' in client.get(f"/a/{person.token}/help/").content.decode()
