"""Who has come with what: a phone where a computer is needed, and whether the sound is heard."""

import io
import wave

import pytest

from annotation.beeps import beeps_wav
from annotation.entry import record_hearing
from annotation.hearing import beeps_of
from annotation.models import Assignment, Participation
from studies.lifecycle import launch_study
from studies.models import Study
from tests.annotation.people import screened, somebody

PHONE = {
    "User-Agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15"
}
TABLET = {"User-Agent": "Mozilla/5.0 (Linux; Android 15; SM-X710) AppleWebKit/537.36 Chrome/140.0"}
HINT = {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0", "Sec-CH-UA-Mobile": "?1"}
COMPUTER = {
    "User-Agent": "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/140.0",
    "Sec-CH-UA-Mobile": "?0",
}
NEEDS = "This study needs a larger screen."


@pytest.mark.django_db
class TestDevices:
    @pytest.fixture
    def study(self, draft_study, researcher):
        draft_study.devices = Study.Devices.COMPUTER
        draft_study.save()
        launch_study(study=draft_study, by=researcher)
        draft_study.refresh_from_db()
        return draft_study

    @pytest.mark.parametrize("headers", [PHONE, TABLET, HINT], ids=["phone", "tablet", "hint"])
    def test_a_small_screen_is_told_before_anything_is_taken(self, client, study, headers):
        response = client.get(study.entry_path, headers=headers)
        page = response.content.decode()
        assert NEEDS in page
        assert "Open the same link on a laptop or desktop computer." in page
        assert f"http://testserver{study.entry_path}" in page
        assert not Participation.objects.exists()
        assert not response.cookies

    def test_the_same_link_begins_on_a_computer(self, client, study):
        client.get(study.entry_path, headers=PHONE)
        response = client.get(study.entry_path, headers=COMPUTER)
        assert response["Location"].endswith("/consent/")

    def test_a_session_goes_on_by_its_own_link_and_is_unharmed(self, client, study):
        person = somebody(study)
        client.get(f"/a/{person.token}/now/", headers=COMPUTER)
        page = client.get(f"/a/{person.token}/1/", headers=PHONE).content.decode()
        assert NEEDS in page
        assert f"/a/{person.token}/" in page
        answer = client.post(f"/a/{person.token}/1/", {"key": "x"}, headers=PHONE)
        assert answer.status_code == 403
        person.refresh_from_db()
        assert (person.state, Assignment.objects.get().submitted_at) == ("rating", None)
        again = client.get(f"/a/{person.token}/", headers=COMPUTER, follow=True)
        assert "1 of 6" in again.content.decode()

    def test_the_code_can_be_seen_on_any_device(self, client, study):
        person = somebody(study)
        Participation.objects.filter(pk=person.pk).update(
            state="complete", finished_at=person.arrived_at
        )
        page = client.get(f"/a/{person.token}/end/", headers=PHONE).content.decode()
        assert "DONE42" in page

    def test_phones_are_welcome_where_the_study_has_no_rule(self, client, live_study):
        assert client.get(live_study.entry_path, headers=PHONE).status_code == 303


@pytest.mark.django_db
class TestSound:
    @pytest.fixture
    def person(self, draft_study, researcher):
        draft_study.sound = Study.Sound.JUDGED
        draft_study.save()
        launch_study(study=draft_study, by=researcher)
        draft_study.refresh_from_db()
        return screened(draft_study)

    def send(self, client, person, right: bool):
        person.refresh_from_db()
        beeps = beeps_of(person)
        answer = {"beeps": beeps if right else beeps - 1, "try": person.hearing_tries + 1}
        return client.post(f"/a/{person.token}/sound/", answer)

    def test_is_asked_before_the_instructions(self, client, person):
        assert client.get(f"/a/{person.token}/")["Location"].endswith("/sound/")
        page = client.get(f"/a/{person.token}/sound/").content.decode()
        assert "How many beeps?" in page
        assert "Step 3 of 4" in page

    def test_the_right_number_leads_on_and_is_kept(self, client, person):
        assert self.send(client, person, right=True)["Location"].endswith("/instructions/")
        person.refresh_from_db()
        assert (person.hearing, person.hearing_tries) == ("heard", 1)

    def test_a_miss_may_be_made_good_with_other_beeps(self, client, person):
        response = self.send(client, person, right=False)
        assert response.status_code == 422
        assert "Listen once more" in response.content.decode()
        assert self.send(client, person, right=True).status_code == 302
        person.refresh_from_db()
        assert (person.hearing, person.hearing_tries) == ("heard", 2)

    def test_a_miss_that_is_sent_twice_is_one_miss(self, client, person):
        """A double click; the second would be held against beeps that nobody has heard."""
        page = client.get(f"/a/{person.token}/sound/").content.decode()
        assert '<input type="hidden" name="try" value="1">' in page
        missed = {"beeps": "1" if beeps_of(person) != 1 else "6", "try": "1"}
        client.post(f"/a/{person.token}/sound/", missed)
        again = client.post(f"/a/{person.token}/sound/", missed)
        person.refresh_from_db()
        assert (person.hearing, person.hearing_tries) == ("", 1)
        assert again["Location"].endswith("/sound/")

    def test_two_misses_lead_to_headphones_and_take_nothing(self, client, person):
        self.send(client, person, right=False)
        self.send(client, person, right=False)
        page = client.get(f"/a/{person.token}/sound/").content.decode()
        assert "Put on headphones" in page
        assert "please return the submission" in page
        person.refresh_from_db()
        assert (person.state, person.hearing, person.code) == ("arrived", "not-heard", "")
        # A third answer from an old tab does not count.
        record_hearing(participation=person, beeps=beeps_of(person), number=3)
        assert person.hearing == "not-heard"

    def test_with_headphones_on_it_is_tried_again(self, client, person):
        self.send(client, person, right=False)
        self.send(client, person, right=False)
        client.post(f"/a/{person.token}/sound/", {"again": "1"})
        assert "How many beeps?" in client.get(f"/a/{person.token}/sound/").content.decode()
        self.send(client, person, right=True)
        person.refresh_from_db()
        assert (person.hearing, person.hearing_tries) == ("heard", 3)

    def test_nonsense_is_no_try(self, client, person):
        response = client.post(f"/a/{person.token}/sound/", {"beeps": "many"})
        assert response.status_code == 422
        person.refresh_from_db()
        assert person.hearing_tries == 0

    def test_rating_cannot_begin_without_it(self, client, person):
        response = client.post(f"/a/{person.token}/instructions/")
        assert response["Location"].endswith("/sound/")

    def test_the_file_has_as_many_beeps_as_are_asked_for(self, client, person):
        response = client.get(f"/a/{person.token}/sound/beeps.wav")
        assert response["Content-Type"] == "audio/wav"
        assert response.content == beeps_wav(beeps_of(person))

    def test_a_player_may_ask_for_a_part(self, client, person):
        url = f"/a/{person.token}/sound/beeps.wav"
        whole = client.get(url).content
        part = client.get(url, headers={"Range": "bytes=0-99"})
        assert (part.status_code, part.content) == (206, whole[:100])
        assert part["Content-Range"] == f"bytes 0-99/{len(whole)}"
        assert client.get(url, headers={"Range": "bytes=99999999-"}).status_code == 416

    def test_is_not_asked_where_sound_is_not_judged(self, client, live_study):
        person = screened(live_study)
        assert client.get(f"/a/{person.token}/")["Location"].endswith("/instructions/")
        assert "Step 3 of 3" in client.get(f"/a/{person.token}/instructions/").content.decode()


@pytest.mark.parametrize("n", [1, 2, 5])
def test_beeps_can_be_counted_in_the_samples(n):
    with wave.open(io.BytesIO(beeps_wav(n))) as sound:
        assert (sound.getnchannels(), sound.getsampwidth(), sound.getframerate()) == (1, 2, 16_000)
        data = memoryview(sound.readframes(sound.getnframes())).cast("h")
    tenths = [max(map(abs, data[i : i + 1600])) > 8000 for i in range(0, len(data), 1600)]
    rises = sum(loud and not before for before, loud in zip([False, *tenths], tenths, strict=False))
    assert rises == n
