"""Looking at a sent screen again, changing it, and what is kept of the answers before."""

import re

import pytest

from annotation.assignment import claim_next_unit
from annotation.models import AnswerRevision, Assignment, CheckAnswer, Rating
from annotation.responding import skip_unit
from studies.models import DesignRevision, Study
from tests.annotation.people import form, send, somebody

pytestmark = pytest.mark.django_db
HTMX = {"HTTP_HX_REQUEST": "true"}


@pytest.fixture
def person(live_study):
    return somebody(live_study)


def rate(study, person, n: int, value: int = 2) -> list[Assignment]:
    sent = []
    for _ in range(n):
        screen = claim_next_unit(participation=person)
        send(study, screen, value)
        screen.refresh_from_db()
        sent.append(screen)
    return sent


def url(person, n: int) -> str:
    return f"/a/{person.token}/{n}/"


def values(screen: Assignment) -> list[int]:
    rows = screen.ratings.filter(value__isnull=False).order_by("question__position")
    return list(rows.values_list("value", flat=True))


def forbid_changes(study: Study) -> None:
    revision = DesignRevision.objects.get(study=study)
    revision.design["allow_changes"] = False
    revision.save()


def test_the_screen_before_is_one_press_away(client, live_study, person):
    claim_next_unit(participation=person)
    assert 'class="btn btn-quiet back"' not in client.get(url(person, 1)).content.decode()
    rate(live_study, person, 1)
    claim_next_unit(participation=person)
    page = client.get(url(person, 2)).content.decode()
    assert re.search(rf'<a[^>]* href="{url(person, 1)}" data-back', page)


def test_a_sent_screen_comes_back_as_it_was_sent(client, live_study, person):
    screen = rate(live_study, person, 1, value=4)[0]
    claim_next_unit(participation=person)
    page = client.get(url(person, 1)).content.decode()
    assert 'aria-label="Picture 1 of 6, sent"' in page
    assert "1 of 6 · sent" in page
    assert page.count('value="4" checked') == 3
    assert "The clothes are from elsewhere.</textarea>" in page
    assert "Save change" in page
    assert "Go to 2" in page
    assert "data-draft" not in page
    assert screen.unit.items.get().media_url in page


def test_leaving_without_a_change_changes_nothing(client, live_study, person):
    screen = rate(live_study, person, 1)[0]
    before = list(screen.ratings.values())
    client.get(url(person, 1))
    data = form(live_study, screen, value=2, change="1")
    data[f"q_{live_study.questions.get(key='rationale').pk}"] = ""
    assert client.post(url(person, 1), data).status_code == 302
    assert list(screen.ratings.values()) == before
    assert not AnswerRevision.objects.exists()
    screen.refresh_from_db()
    assert screen.changed_at is None


def test_a_change_replaces_the_answers_and_keeps_the_earlier_ones(client, live_study, person):
    screen = rate(live_study, person, 1)[0]
    claim_next_unit(participation=person)
    data = form(live_study, screen, value=5, change="1")
    assert client.post(url(person, 1), data).url == url(person, 2)
    assert values(screen) == [5, 5, 5]
    revision = AnswerRevision.objects.get()
    assert (revision.number, revision.given_at) == (1, screen.submitted_at)
    assert [answer["value"] for answer in revision.answers] == [2, 2, 2]
    assert all(answer["item"] == screen.unit.items.get().pk for answer in revision.answers)
    sent_at = screen.submitted_at
    screen.refresh_from_db()
    assert (screen.counted, screen.submitted_at) == (True, sent_at)
    assert screen.changed_at == revision.replaced_at or screen.changed_at > sent_at


def test_a_second_change_keeps_both_earlier_answers(client, live_study, person):
    screen = rate(live_study, person, 1)[0]
    for value in (3, 4, 4):
        client.post(url(person, 1), form(live_study, screen, value=value, change="1"), **HTMX)
    kept = AnswerRevision.objects.order_by("number")
    firsts = [[row["value"] for row in revision.answers][0] for revision in kept]
    assert (firsts, values(screen)) == ([2, 3], [4, 4, 4])
    screen.refresh_from_db()
    assert kept[1].given_at > kept[0].given_at == screen.submitted_at


def test_a_repeat_of_the_first_post_is_no_change(client, live_study, person):
    screen = claim_next_unit(participation=person)
    client.post(url(person, 1), form(live_study, screen, value=2))
    client.post(url(person, 1), form(live_study, screen, value=5))
    assert values(screen) == [2, 2, 2]
    assert not AnswerRevision.objects.exists()


def test_a_surplus_answer_stays_surplus_when_it_is_changed(client, live_study, person):
    screen = rate(live_study, person, 1)[0]
    Assignment.objects.filter(pk=screen.pk).update(counted=False)
    client.post(url(person, 1), form(live_study, screen, value=5, change="1"))
    screen.refresh_from_db()
    assert (screen.counted, values(screen)) == (False, [5, 5, 5])


def test_a_change_with_gaps_is_refused_and_nothing_is_lost(client, live_study, person):
    screen = rate(live_study, person, 1)[0]
    data = form(live_study, screen, value=5, change="1")
    gap = f"q_{live_study.questions.get(key='exaggeration').pk}"
    del data[gap]
    response = client.post(url(person, 1), data, **HTMX)
    page = response.content.decode()
    assert response.status_code == 422
    assert "1 of 6 · sent" in page
    assert "1 answer is missing" in page
    assert page.count('value="5" checked') == 2
    assert values(screen) == [2, 2, 2]


def test_a_change_with_another_screens_key_is_refused(client, live_study, person):
    one, two = rate(live_study, person, 2)
    data = form(live_study, two, value=5, change="1")
    assert client.post(url(person, 1), data, **HTMX)["HX-Redirect"] == url(person, 1)
    assert values(one) == [2, 2, 2]


def test_an_attention_check_can_be_put_right_and_its_first_answer_is_kept(
    client, live_study, person
):
    rate(live_study, person, 5)
    screen = Assignment.objects.exclude(attention_check=None).get()
    CheckAnswer.objects.update(value=5, passed=False)
    check = f"c_{screen.attention_check_id}"
    page = client.get(url(person, screen.n)).content.decode()
    assert re.search(rf'name="{check}" value="5" checked', page)
    data = form(live_study, screen, value=2, change="1")
    data[f"q_{live_study.questions.get(key='rationale').pk}"] = ""
    client.post(url(person, screen.n), data)
    answer = CheckAnswer.objects.get()
    assert (answer.value, answer.passed) == (2, True)
    kept = AnswerRevision.objects.get().answers
    assert kept[-1] == {"attention_check": screen.attention_check_id, "value": 5}


class TestWithoutChanges:
    @pytest.fixture(autouse=True)
    def _no_changes(self, live_study):
        forbid_changes(live_study)

    def test_a_sent_screen_can_be_read_only(self, client, live_study, person):
        rate(live_study, person, 1)
        claim_next_unit(participation=person)
        page = client.get(url(person, 1)).content.decode()
        assert "Sent. This study does not allow changes." in page
        assert re.search(r'<fieldset class="questions"[^>]* disabled', page)
        assert "Save change" not in page
        assert "Go to 2" in page

    def test_a_change_that_is_posted_all_the_same_is_not_taken(self, client, live_study, person):
        screen = rate(live_study, person, 1)[0]
        client.post(url(person, 1), form(live_study, screen, value=5, change="1"))
        assert values(screen) == [2, 2, 2]


def test_back_passes_over_a_skipped_screen(client, live_study, person):
    rate(live_study, person, 1)
    skip_unit(assignment=claim_next_unit(participation=person), reason="other")
    rate(live_study, person, 1)
    claim_next_unit(participation=person)
    page = client.get(url(person, 3)).content.decode()
    assert re.search(rf'href="{url(person, 1)}" data-back', page)
    page = client.get(url(person, 1)).content.decode()
    assert "Go to 3" in page
    assert client.get(url(person, 2)).url == url(person, 4)


def test_after_the_end_there_is_only_the_end(client, live_study, person):
    screens = rate(live_study, person, 6)
    assert claim_next_unit(participation=person) is None
    end = f"/a/{person.token}/end/"
    assert client.get(url(person, 3)).url == end
    data = form(live_study, screens[2], value=5, change="1")
    path = client.post(url(person, 3), data, follow=True).request["PATH_INFO"]
    assert (path, values(screens[2])) == (end, [2, 2, 2])


def test_somebody_who_has_left_changes_nothing(client, live_study, person):
    screen = rate(live_study, person, 1)[0]
    client.post(f"/a/{person.token}/withdraw/")
    client.post(url(person, 1), form(live_study, screen, value=5, change="1"))
    assert values(screen) == [2, 2, 2]


def test_a_set_comes_back_with_every_step_unfolded(client, live_triplets):
    from tests.annotation.test_steps import address, public_ids, reach, whole

    person = somebody(live_triplets)
    screen = claim_next_unit(participation=person)
    reach(client, screen, 3)
    client.post(address(screen), whole(screen))
    page = client.get(address(screen)).content.decode()
    assert 'aria-label="Set 1 of 3, sent"' in page
    assert len(re.findall(r'data-state="done" open', page)) == 3
    assert re.findall(r'data-medium="([^"]+)"', page) == public_ids(screen)
    assert page.count('value="none" checked') == 3
    places = re.findall(r'name="q_\d+_i[^"]+" value="(\d)"[^>]* checked', page)
    assert places == ["1", "2", "3"]
    changed = {"change": "1"} | whole(screen)
    client.post(address(screen), changed)
    assert not AnswerRevision.objects.exists()
    order = next(name for name in changed if "_i" in name)
    other = [name for name in changed if "_i" in name][1]
    changed[order], changed[other] = changed[other], changed[order]
    client.post(address(screen), changed)
    best = Rating.objects.get(assignment=screen, question__kind="ranking", value=1)
    assert best.item_id == screen.item_order[1]
    assert len(AnswerRevision.objects.get().answers) == 15


def test_looking_back_takes_a_constant_number_of_queries(
    client, live_study, person, django_assert_max_num_queries
):
    rate(live_study, person, 5)
    claim_next_unit(participation=person)
    for n in (1, 5):
        with django_assert_max_num_queries(12):
            assert client.get(url(person, n)).status_code == 200
