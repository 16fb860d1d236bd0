"""The annotators' pages in the languages of the interface."""

import json
import re

import pytest
from django.conf import settings
from django.urls import reverse
from django.utils import translation

from annotation import entry
from annotation.models import Participation
from studies.lifecycle import launch_study
from studies.models import Item, Panel
from studies.words.texts import study_texts
from studies.words.translating import save_translations
from tests.annotation.people import somebody
from tests.words.test_interface import LATIN_WORD, PLACEHOLDER, TRANSLATED

LANGUAGES = [code for code, _ in settings.LANGUAGES]
RIGHT_TO_LEFT = {"fa", "ar"}


@pytest.fixture
def study_in(draft_study, researcher):
    """``study_in(code)``: the shared study, live, worded in that language for its panel."""

    def launched(code: str):
        Panel.objects.filter(study=draft_study).update(language=code, more_languages=["en"])
        for language in {code, "fa"} - {"en"}:
            texts = {text.key: text.source for text in study_texts(draft_study)}
            save_translations(study=draft_study, language=language, texts=texts, by=researcher)
        launch_study(study=draft_study, by=researcher)
        draft_study.refresh_from_db()
        return draft_study

    return launched


def html_tag(page: str) -> str:
    return re.search(r"<html[^>]*>", page).group()


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language_is_known_with_its_own_name_and_side(code):
    info = translation.get_language_info(code)

    assert info["name_local"]
    assert info["bidi"] == (code in RIGHT_TO_LEFT)


@pytest.mark.django_db
@pytest.mark.parametrize("code", LANGUAGES)
def test_every_page_before_the_end_loads_in_every_language(client, study_in, code):
    study = study_in(code)
    stranger = entry.arrive(study=study, language=code)
    person = somebody(study)
    addresses = [
        f"/a/{stranger.token}/",
        *(
            reverse(f"annotation:{name}", args=[person.token])
            for name in ("unit_now", "help", "withdraw")
        ),
    ]
    side = "rtl" if code in RIGHT_TO_LEFT else "ltr"
    for address in addresses:
        response = client.get(address, follow=True)
        assert response.status_code == 200
        tag = html_tag(response.content.decode())
        assert f'lang="{code}"' in tag
        assert f'dir="{side}"' in tag


@pytest.mark.django_db
@pytest.mark.parametrize("code", LANGUAGES)
def test_people_switch_to_every_language_and_back(client, study_in, code):
    study = study_in(code)
    if code == "en":
        Panel.objects.filter(study=study).update(more_languages=["fa"])
    other = "fa" if code == "en" else "en"
    person = entry.arrive(study=study, language=other)
    switch = reverse("annotation:language", args=[person.token])
    for wanted in (code, other):
        response = client.post(switch, {"language": wanted}, follow=True)
        assert response.status_code == 200
        assert f'lang="{wanted}"' in html_tag(response.content.decode())
        assert Participation.objects.get(pk=person.pk).language == wanted


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("code", "sentence"), [("am", "ከዝርዝሩ አንዱን ይምረጡ።"), ("fa", "یکی را از فهرست انتخاب کنید.")]
)
def test_a_refused_form_speaks_the_language(client, study_in, code, sentence):
    person = entry.arrive(study=study_in(code), language=code)
    entry.record_consent(participation=person, agreed=True)
    address = reverse("annotation:about_you", args=[person.token])

    response = client.post(
        address, {"nationality": "nowhere", "residence": "", "first_language": ""}
    )

    assert response.status_code == 422
    assert response.content.decode().count(sentence) == 3


@pytest.mark.django_db
def test_what_machines_read_on_a_persian_page_is_in_plain_digits(client, study_in):
    study = study_in("fa")
    person = somebody(study)

    page = client.get(f"/a/{person.token}/", follow=True).content.decode()

    assert '<span class="point-face">۵</span>' in page
    assert "۱ از ۶" in page
    machine = re.findall(
        r"\s(?:data-(?:number|key|counter|count|watch-share|points|min|least|most)|value|name|id|min"
        r'|max|width|height|href|src|for)="([^"]*)"',
        page,
    )
    assert len(machine) > 50
    assert [text for text in machine if not text.isascii()] == []
    assert not re.search(r'data-(?:number|key|counter|count)="[^"0-9]', page)


@pytest.mark.django_db
@pytest.mark.parametrize("code", TRANSLATED)
def test_what_the_scripts_say_is_translated(client, study_in, code):
    person = somebody(study_in(code))

    page = client.get(f"/a/{person.token}/", follow=True).content.decode()

    words = re.search(r'<div id="words".*?</div>', page, re.DOTALL).group()
    sentences = {
        name: text
        for name, text in re.findall(r'data-([a-z-]+)="([^"]*)"', words)
        if not name.endswith("-script")
    }
    assert len(sentences) > 40
    for name, text in sentences.items():
        assert not LATIN_WORD.search(PLACEHOLDER.sub("", text)), f"{name}: {text}"
        assert "{n}" not in text or PLACEHOLDER.search(text)


@pytest.mark.django_db
def test_decimal_numbers_for_machines_have_a_point_in_every_language(client, study_in):
    study = study_in("de")
    study.items.update(kind=Item.Kind.VIDEO, width=None, height=None)
    person = somebody(study)

    page = client.get(f"/a/{person.token}/", follow=True).content.decode()

    share = re.search(r'data-watch-share="([^"]*)"', page).group(1)
    assert json.loads(share) == pytest.approx(float(share))


# ---- words that were not translated


@pytest.mark.django_db
def test_a_question_without_translation_carries_the_language_it_is_written_in(client, study_in):
    study = study_in("am")
    Panel.objects.filter(study=study).update(language="ar")  # read by people who came later
    person = somebody(study)

    page = client.get(f"/a/{person.token}/", follow=True).content.decode()

    assert 'lang="ar" dir="rtl"' in html_tag(page)
    legends = re.findall(r"<legend[^>]*>.*?</legend>", page, re.DOTALL)
    assert len(legends) >= 3
    assert all('<bdi lang="en">' in legend for legend in legends)
