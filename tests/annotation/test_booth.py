"""The annotator's way through the pages: steps, refusals, returns, drafts, the code."""

import re

import pytest
from django.test import Client

from annotation.models import Assignment, CheckAnswer, Participation, Rating
from studies.lifecycle import move_study
from studies.models import Study
from tests.annotation.people import form, send, somebody

pytestmark = pytest.mark.django_db
HTMX = {"HTTP_HX_REQUEST": "true"}


def follow(client: Client, url: str):
    return client.get(url, follow=True)


def arrive(client: Client, study: Study) -> str:
    """Open the study's link; the address one lands on."""
    return follow(client, study.entry_path).request["PATH_INFO"]


def enter(client: Client, study: Study, country: str = "NP") -> str:
    """Go through consent, screening and instructions as a browser would; the last address."""
    url = arrive(client, study)
    url = client.post(url, {"answer": "agree"}, follow=True).request["PATH_INFO"]
    screening = {"nationality": country, "residence": country, "first_language": "ne"}
    url = client.post(url, screening, follow=True).request["PATH_INFO"]
    if "instructions" not in url:
        return url
    return client.post(url, follow=True).request["PATH_INFO"]


def current(study: Study) -> Assignment:
    return Assignment.objects.get(submitted_at=None, skipped_at=None)


class TestTheWayIn:
    def test_leads_from_the_link_over_consent_and_screening_to_the_first_picture(
        self, client, live_study
    ):
        assert arrive(client, live_study).endswith("/consent/")
        assert enter(client, live_study).endswith("/1/")
        person = Participation.objects.get()
        assert (person.state, person.code, person.panel.country) == ("rating", "NP-01", "NP")
        assert person.consented_at < person.screened_at < person.instructed_at

    def test_asks_the_screening_first_where_the_study_says_so(self, client, live_study):
        Study.objects.update(consent_first=False)
        assert arrive(client, live_study).endswith("/about-you/")

    def test_ends_kindly_without_consent(self, client, live_study):
        response = client.post(arrive(client, live_study), {"answer": "refuse"}, follow=True)
        assert response.request["PATH_INFO"].endswith("/out/")
        assert "That is fine." in response.content.decode()
        assert Participation.objects.get().outcome == "no-consent"

    def test_ends_kindly_for_people_of_another_country_and_keeps_the_evidence(
        self, client, live_study
    ):
        assert enter(client, live_study, country="PL").endswith("/out/")
        person = Participation.objects.get()
        assert (person.outcome, person.nationality) == ("does-not-fit", "PL")
        page = follow(client, live_study.entry_path).content.decode()
        assert "This study does not fit you" in page
        assert live_study.completion_code not in page

    def test_asks_again_for_a_missing_answer_and_keeps_the_others(self, client, live_study):
        url = client.post(arrive(client, live_study), {"answer": "agree"}, follow=True)
        response = client.post(url.request["PATH_INFO"], {"nationality": "NP", "residence": "NP"})
        assert response.status_code == 422
        page = response.content.decode()
        assert "Choose one from the list." in page
        assert page.count('<option value="NP" selected>') == 2

    def test_never_names_the_wanted_country(self, client, live_study):
        url = client.post(arrive(client, live_study), {"answer": "agree"}, follow=True)
        page = url.content.decode()
        assert page.index(">Afghanistan<") < page.index(">Nepal<") < page.index(">Zimbabwe<")
        assert page.count("Nepal<") == 3

    def test_cannot_jump_over_a_step(self, client, live_study):
        arrive(client, live_study)
        token = Participation.objects.get().token
        for step in ("about-you", "instructions", "1", "now", "end"):
            assert follow(client, f"/a/{token}/{step}/").request["PATH_INFO"].endswith("/consent/")

    def test_takes_nobody_new_when_the_study_is_paused(self, client, live_study):
        move_study(study=live_study, move="pause")
        page = follow(client, live_study.entry_path).content.decode()
        assert "takes nobody new" in page

    def test_takes_who_came_in_a_pause_when_it_is_over(self, client, live_study):
        move_study(study=live_study, move="pause")
        for _ in range(2):
            follow(client, live_study.entry_path)
        assert Participation.objects.count() == 1
        move_study(study=live_study, move="resume")
        assert arrive(client, live_study).endswith("/consent/")

    def test_does_not_exist_before_the_launch(self, client, draft_study):
        assert client.get(draft_study.entry_path).status_code == 404

    def test_says_that_a_broken_link_is_not_complete(self, client, db):
        response = client.get("/a/no-such-token/")
        assert response.status_code == 404
        assert "This link is not complete." in response.content.decode()


class TestComingBack:
    def test_the_study_link_opens_the_same_participation_in_the_same_browser(
        self, client, live_study
    ):
        url = enter(client, live_study)
        assert arrive(client, live_study) == url
        assert Participation.objects.count() == 1

    def test_another_browser_is_another_person(self, client, live_study):
        enter(client, live_study)
        assert arrive(Client(), live_study).endswith("/consent/")
        assert Participation.objects.count() == 2

    def test_the_personal_link_goes_on_in_another_browser(self, client, live_study):
        url = enter(client, live_study)
        token = Participation.objects.get().token
        assert follow(Client(), f"/a/{token}/").request["PATH_INFO"] == url

    def test_a_made_up_cookie_opens_nobody_elses_record(self, client, live_study):
        enter(client, live_study)
        thief = Client()
        thief.cookies[f"concord_{live_study.pk}"] = Participation.objects.get().token
        assert arrive(thief, live_study).endswith("/consent/")

    def test_a_draft_is_there_after_a_reload(self, client, live_study):
        url = enter(client, live_study)
        question = live_study.questions.get(key="faithfulness")
        rationale = live_study.questions.get(key="rationale")
        draft = {f"q_{question.pk}": "4", f"q_{rationale.pk}": "half a sen", "counter": "3"}
        assert client.post(f"{url}draft/", draft).status_code == 204
        page = client.get(url).content.decode()
        assert re.search(rf'name="q_{question.pk}" value="4" checked', page)
        assert "half a sen</textarea>" in page
        assert 'data-counter="3"' in page

    def test_an_older_draft_does_not_overwrite_a_newer_one(self, client, live_study):
        url = enter(client, live_study)
        name = f"q_{live_study.questions.first().pk}"
        for counter, text in (("5", "newer"), ("4", "older")):
            client.post(f"{url}draft/", {name: text, "counter": counter})
        assert current(live_study).draft == {name: "newer"}

    def test_a_draft_without_a_counter_is_refused(self, client, live_study):
        url = enter(client, live_study)
        assert client.post(f"{url}draft/", {"q_1": "x"}).status_code == 422


class TestAPagePassed:
    def test_leads_to_the_current_step_which_says_so(self, client, live_study):
        url = enter(client, live_study)
        token = url.split("/")[2]
        for page in ("consent", "about-you", "instructions"):
            reply = follow(client, f"/a/{token}/{page}/")
            assert reply.request["PATH_INFO"] == url
            assert "You have passed this page." in reply.content.decode()
        assert "You have passed this page." not in follow(client, f"/a/{token}/").content.decode()

    def test_a_page_that_comes_later_was_not_passed(self, client, live_study):
        url = arrive(client, live_study)
        reply = follow(client, url.replace("consent", "instructions"))
        assert reply.request["PATH_INFO"] == url
        assert "You have passed this page." not in reply.content.decode()

    def test_a_second_press_of_a_button_is_no_way_back(self, client, live_study):
        url = arrive(client, live_study)
        client.post(url, {"answer": "agree"})
        reply = client.post(url, {"answer": "agree"}, follow=True)
        assert "You have passed this page." not in reply.content.decode()


class TestAScreen:
    def test_shows_the_picture_under_an_opaque_address_and_names_nothing(self, client, live_study):
        page = client.get(enter(client, live_study)).content.decode()
        item = current(live_study).unit.items.get()
        assert f'src="{item.media_url}"' in page
        for secret in (item.external_id + ".png", f">{item.external_id}<", live_study.title):
            assert secret not in page
        media = client.get(item.media_url)
        assert media["Content-Disposition"] == "inline"
        assert media["X-Content-Type-Options"] == "nosniff"

    def test_names_every_gap_and_keeps_what_was_answered(self, client, live_study):
        url = enter(client, live_study)
        data = form(live_study, current(live_study), value=3)
        faithfulness = f"q_{live_study.questions.get(key='faithfulness').pk}"
        rationale = f"q_{live_study.questions.get(key='rationale').pk}"
        data[rationale] = "too short"
        del data[faithfulness]
        response = client.post(url, data, **HTMX)
        page = response.content.decode()
        assert response.status_code == 422
        assert page.lstrip().startswith('<main id="unit"')
        assert "Choose a point." in page
        assert "11 more letters." in page
        assert "too short</textarea>" in page
        assert "2 answers are missing" in page
        assert not Rating.objects.exists()

    def test_needs_no_rationale_where_nothing_is_wrong(self, client, live_study):
        url = enter(client, live_study)
        rationale = f"q_{live_study.questions.get(key='rationale').pk}"
        data = form(live_study, current(live_study), value=2, **{rationale: ""})
        assert client.post(url, data).status_code == 302
        assert Rating.objects.count() == 3

    def test_answers_a_sent_screen_with_the_next_one(self, client, live_study):
        url = enter(client, live_study)
        response = client.post(url, form(live_study, current(live_study)), **HTMX)
        assert response["HX-Push-Url"] == url.replace("/1/", "/2/")
        assert 'aria-label="Picture 2 of 6"' in response.content.decode()

    def test_works_without_scripts(self, client, live_study):
        url = enter(client, live_study)
        response = client.post(url, form(live_study, current(live_study)), follow=True)
        assert response.request["PATH_INFO"] == url.replace("/1/", "/2/")

    def test_sent_twice_is_saved_once_and_answered_alike(self, client, live_study):
        url = enter(client, live_study)
        data = form(live_study, current(live_study))
        first = client.post(url, data, **HTMX)
        second = client.post(url, data, **HTMX)
        assert second["HX-Push-Url"] == first["HX-Push-Url"]
        assert Rating.objects.count() == 4

    def test_refuses_a_form_of_another_screen(self, client, live_study):
        url = enter(client, live_study)
        data = form(live_study, current(live_study), key="somebody-elses")
        assert client.post(url, data, **HTMX)["HX-Redirect"] == url
        assert not Rating.objects.exists()

    def test_refuses_points_that_are_not_on_the_scale(self, client, live_study):
        url = enter(client, live_study)
        field = f"q_{live_study.questions.get(key='faithfulness').pk}"
        for value in ("6", "0", "4.5", "٤", "x"):
            data = form(live_study, current(live_study), **{field: value})
            assert client.post(url, data).status_code == 422
        assert not Rating.objects.exists()

    def test_keeps_a_rationale_letter_by_letter(self, client, live_study):
        url = enter(client, live_study)
        field = f"q_{live_study.questions.get(key='rationale').pk}"
        text = "=SUM(A1) “quoted”\nلباس عروس 👰 and more"
        client.post(url, form(live_study, current(live_study), value=5, **{field: text + "\x00"}))
        assert Rating.objects.exclude(text="").get().text == text

    def test_shows_one_attention_check_in_a_session_neither_first_nor_last(
        self, client, live_study
    ):
        url = enter(client, live_study)
        for _ in range(6):
            assignment = current(live_study)
            url = client.post(url, form(live_study, assignment), follow=True).request["PATH_INFO"]
        checked = Assignment.objects.exclude(attention_check=None)
        assert [1 < assignment.n < 6 for assignment in checked] == [True]
        assert CheckAnswer.objects.get().passed is True

    def test_keeps_a_failed_check_and_goes_on(self, client, live_study):
        url = enter(client, live_study)
        for _ in range(6):
            assignment = current(live_study)
            data = form(live_study, assignment)
            if assignment.attention_check_id:
                data[f"c_{assignment.attention_check_id}"] = "5"
            url = client.post(url, data, follow=True).request["PATH_INFO"]
        answer = CheckAnswer.objects.get()
        assert (answer.value, answer.passed) == (5, False)
        assert url.endswith("/end/")


class TestTheEnd:
    def finish(self, client, study) -> str:
        url = enter(client, study)
        while "/end/" not in url:
            url = client.post(url, form(study, current(study)), follow=True).request["PATH_INFO"]
        return url

    def test_shows_the_code_and_again_at_every_visit(self, client, live_study):
        url = self.finish(client, live_study)
        assert live_study.completion_code in client.get(url).content.decode()
        page = follow(client, live_study.entry_path).content.decode()
        assert live_study.completion_code in page
        assert "You rated 6 pictures." in page

    def test_the_code_stands_on_no_page_before(self, client, live_study):
        url = enter(client, live_study)
        token = Participation.objects.get().token
        pages = [url, f"{url}problem/", f"/a/{token}/help/", f"/a/{token}/withdraw/"]
        for page in pages:
            assert live_study.completion_code not in client.get(page).content.decode()

    def test_tells_htmx_to_go_to_the_end_page(self, client, live_study):
        url = enter(client, live_study)
        for _ in range(6):
            response = client.post(url, form(live_study, current(live_study)), **HTMX)
            url = response.get("HX-Push-Url", url)
        assert response["HX-Redirect"].endswith("/end/")

    def test_somebody_whose_study_closed_meanwhile_gets_their_code(self, client, live_study):
        url = enter(client, live_study)
        client.post(url, form(live_study, current(live_study)))
        move_study(study=live_study, move="close")
        page = follow(client, live_study.entry_path).content.decode()
        assert "What you sent is saved." in page
        assert live_study.completion_code in page

    def test_people_inside_a_paused_study_can_finish(self, client, live_study):
        url = enter(client, live_study)
        move_study(study=live_study, move="pause")
        assert client.post(url, form(live_study, current(live_study))).status_code == 302
        assert Rating.objects.count() == 4


class TestStopping:
    def test_skipping_needs_a_reason_and_goes_on(self, client, live_study):
        url = enter(client, live_study)
        assert client.post(f"{url}problem/", {}).status_code == 422
        response = client.post(f"{url}problem/", {"reason": "not_loading"}, follow=True)
        assert response.request["PATH_INFO"] == url.replace("/1/", "/2/")

    def test_withdrawing_keeps_what_was_sent(self, client, live_study):
        url = enter(client, live_study)
        client.post(url, form(live_study, current(live_study)))
        token = Participation.objects.get().token
        page = client.post(f"/a/{token}/withdraw/", follow=True).content.decode()
        assert "Your answers so far are kept." in page
        assert Rating.objects.count() == 4
        assert Participation.objects.get().outcome == "withdrew"

    def test_shortcuts_can_be_switched_off(self, client, live_study):
        url = enter(client, live_study)
        token = Participation.objects.get().token
        client.post(f"/a/{token}/help/", {"shortcuts": "off"})
        assert 'data-shortcuts="off"' in client.get(url).content.decode()


def test_serving_and_sending_take_a_constant_number_of_queries(
    client, live_study, django_assert_max_num_queries
):
    """However many people have rated: 3 before, then 1; the bound is the same."""
    url = enter(client, live_study)
    with django_assert_max_num_queries(24):
        response = client.post(url, form(live_study, current(live_study)), **HTMX)
    assert response.status_code == 200
    for _ in range(2):
        person = somebody(live_study)
        from annotation.assignment import claim_next_unit

        while (assignment := claim_next_unit(participation=person)) is not None:
            send(live_study, assignment)
    url = response["HX-Push-Url"]
    with django_assert_max_num_queries(24):
        assert client.post(url, form(live_study, current(live_study)), **HTMX).status_code == 200
