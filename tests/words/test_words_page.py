"""The words page in the admin."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from studies.design import frozen_design
from studies.lifecycle import archive_study, launch_study
from studies.models import Descriptor, Question
from studies.words.texts import study_texts
from studies.words.translating import entries, save_translations

pytestmark = pytest.mark.django_db


@pytest.fixture
def address(two_languages):
    return f"/admin/studies/study/{two_languages.pk}/words/"


def persian(study):
    return {entry.text.key: entry.translation for entry in entries(study, "fa")}


def test_it_opens_on_the_first_language_with_each_text_beside_a_box(ana, address, two_languages):
    response = ana.get(address, follow=True)
    page = response.content.decode()
    assert response.redirect_chain[-1][0] == f"{address}fa/"
    assert "Pictures of weddings" in page
    assert 'dir="rtl"' in page
    n_wanted = sum(not text.has_usual for text in study_texts(two_languages))
    assert f"0 of {n_wanted} texts are in Persian" in page


def test_a_study_in_one_language_says_that_there_is_nothing_to_translate(ana, draft_study):
    page = ana.get(f"/admin/studies/study/{draft_study.pk}/words/").content.decode()
    assert "there is nothing to translate" in page


def test_typed_texts_are_saved_and_counted(ana, address, two_languages):
    data = {"key": ["study.public_title", "check.1.text"], "text": ["عروسی", ""]}
    page = ana.post(f"{address}fa/", data, follow=True).content.decode()
    assert "1 text saved." in page
    assert persian(two_languages)["study.public_title"] == "عروسی"


def test_what_is_refused_stays_in_its_box_with_the_reason(ana, address, two_languages):
    data = {"key": ["question.faithfulness.text"], "text": ["چقدر؟"]}
    response = ana.post(f"{address}fa/", data)
    page = response.content.decode()
    assert response.status_code == 422
    assert "چقدر؟" in page
    assert "{activity} is missing" in page
    assert persian(two_languages)["question.faithfulness.text"] == ""


def test_only_what_is_missing_or_stale_can_be_shown(ana, address, two_languages, researcher):
    texts = {text.key: text.source for text in study_texts(two_languages)}
    save_translations(study=two_languages, language="fa", texts=texts, by=researcher)
    assert "No text is missing" in ana.get(f"{address}fa/?show=missing").content.decode()
    two_languages.public_title = "Other"
    two_languages.save()
    page = ana.get(f"{address}fa/?show=stale").content.decode()
    assert page.count("<textarea") == 1
    assert "original changed" in page


@pytest.mark.parametrize("ending", ["csv", "xlf"])
def test_a_downloaded_file_comes_back_filled_in(ana, address, two_languages, ending):
    response = ana.get(f"{address}fa/texts.{ending}")
    content = response.content.decode("utf-8-sig")
    assert f'filename="weddings-fa.{ending}"' in response["Content-Disposition"]
    if ending == "csv":
        filled = content.replace("Pictures of weddings,", "Pictures of weddings,عروسی")
    else:
        start = content.index("Pictures of weddings")
        filled = content[:start] + content[start:].replace(
            '<target state="needs-translation" />', '<target state="translated">عروسی</target>', 1
        )
    file = SimpleUploadedFile(f"back.{ending}", filled.encode())
    page = ana.post(f"{address}fa/import/", {"file": file}, follow=True).content.decode()
    assert "1 text of the file is new or changed." in page
    assert persian(two_languages)["study.public_title"] == "عروسی"


def test_a_file_takes_nothing_away_and_names_what_it_cannot_give(ana, address, two_languages):
    ana.post(f"{address}fa/", {"key": ["study.public_title"], "text": ["عروسی"]})
    table = "key,translation\nstudy.public_title,\nquestion.gone.text,x\ncheck.1.text,۲\n"
    file = SimpleUploadedFile("t.csv", table.encode())
    response = ana.post(f"{address}fa/import/", {"file": file})
    assert response.status_code == 422
    assert "question.gone.text" in response.content.decode()
    assert persian(two_languages)["study.public_title"] == "عروسی"
    assert persian(two_languages)["check.1.text"] == "۲"


def test_an_unreadable_file_is_refused_beside_its_field(ana, address):
    file = SimpleUploadedFile("t.csv", b"one,two\n1,2\n")
    response = ana.post(f"{address}fa/import/", {"file": file})
    assert response.status_code == 422
    assert "columns key and translation" in response.content.decode()


def test_a_language_that_no_panel_reads_is_not_found(ana, address):
    assert ana.get(f"{address}de/").status_code == 404


def test_only_the_owner_sees_the_words(client, address, colleague):
    client.force_login(colleague)
    assert client.get(f"{address}fa/").status_code == 404


def test_new_words_of_a_live_study_are_a_new_revision(ana, address, two_languages, researcher):
    texts = {
        language: {text.key: text.source for text in study_texts(two_languages)}
        for language in ("fa", "prs")
    }
    for language, words in texts.items():
        save_translations(study=two_languages, language=language, texts=words, by=researcher)
    two_languages.units.update(country="")
    launch_study(study=two_languages, by=researcher)
    ana.post(f"{address}fa/", {"key": ["study.public_title"], "text": ["عروسی"]})
    two_languages.refresh_from_db()
    assert two_languages.revision == 2
    first, second = (frozen_design(two_languages.pk, number) for number in (1, 2))
    assert first.translations["fa"]["study.public_title"] == "Pictures of weddings"
    assert second.translations["fa"]["study.public_title"] == "عروسی"


def a_stale_text(study, researcher) -> str:
    """A Persian title whose original has changed since; its key."""
    texts = {"study.public_title": "عروسی", "check.1.text": "۲"}
    save_translations(study=study, language="fa", texts=texts, by=researcher)
    study.public_title = "Pictures of feasts"
    study.save()
    return "study.public_title"


def stale(study) -> list[str]:
    return [entry.text.key for entry in entries(study, "fa") if entry.is_stale]


def test_saving_a_page_leaves_what_nobody_touched_marked_as_changed(
    ana, address, two_languages, researcher
):
    key = a_stale_text(two_languages, researcher)
    page = ana.get(f"{address}fa/").content.decode()
    assert "Translated from:" in page
    data = {
        "key": [key, "check.1.text"],
        "was": ["عروسی", "۲"],
        "text": ["عروسی", "سه"],
    }
    assert "1 text saved." in ana.post(f"{address}fa/", data, follow=True).content.decode()
    assert stale(two_languages) == [key]


def test_a_translation_that_is_still_right_can_be_said_to_be_so(
    ana, address, two_languages, researcher
):
    key = a_stale_text(two_languages, researcher)
    data = {"key": [key], "was": ["عروسی"], "text": ["عروسی"], "right": [key]}
    assert "1 text saved." in ana.post(f"{address}fa/", data, follow=True).content.decode()
    assert stale(two_languages) == []
    assert persian(two_languages)[key] == "عروسی"


def test_a_box_that_nobody_touched_does_not_undo_what_came_meanwhile(
    ana, address, two_languages, researcher
):
    save_translations(
        study=two_languages, language="fa", texts={"check.1.text": "۲"}, by=researcher
    )
    data = {
        "key": ["study.public_title", "check.1.text"],
        "was": ["", ""],
        "text": ["عروسی", ""],
    }
    ana.post(f"{address}fa/", data)
    assert persian(two_languages)["check.1.text"] == "۲"
    assert persian(two_languages)["study.public_title"] == "عروسی"


@pytest.mark.parametrize(("state", "left"), [("needs-review-translation", 1), ("final", 0)])
def test_a_returned_file_says_which_old_translations_still_hold(
    ana, address, two_languages, researcher, state, left
):
    a_stale_text(two_languages, researcher)
    content = ana.get(f"{address}fa/texts.xlf").content.decode()
    assert content.count("needs-review-translation") == 1
    file = SimpleUploadedFile("t.xlf", content.replace("needs-review-translation", state).encode())
    ana.post(f"{address}fa/import/", {"file": file})
    assert len(stale(two_languages)) == left


def test_thousands_of_texts_take_no_more_questions_to_the_database(
    ana, address, two_languages, django_assert_max_num_queries
):
    study = two_languages
    Question.objects.create(study=study, key="list", kind="descriptors", text="Which belong?")
    Descriptor.objects.bulk_create(
        Descriptor(study=study, kind="reference", activity="wedding", country="NP", token=f"t{n}")
        for n in range(1500)
    )
    texts = {f"descriptor.t{n}": f"ت{n}" for n in range(1500)}
    with django_assert_max_num_queries(30):
        changed, _ = save_translations(study=study, language="fa", texts=texts, by=None)
    assert changed == 1500
    with django_assert_max_num_queries(30):
        page = ana.get(f"{address}fa/").content.decode()
    assert "1500 of" in page


def test_what_is_in_the_archive_is_read_only(ana, address, two_languages):
    archive_study(study=two_languages)
    data = {"key": ["study.public_title"], "text": ["عروسی"]}
    page = ana.post(f"{address}fa/", data, follow=True).content.decode()
    assert "is in the archive" in page
    assert persian(two_languages)["study.public_title"] == ""


def test_words_are_kept_where_something_else_keeps_a_live_study_from_a_revision(
    ana, address, two_languages, researcher
):
    texts = {text.key: text.source for text in study_texts(two_languages)}
    for language in ("fa", "prs"):
        save_translations(study=two_languages, language=language, texts=texts, by=researcher)
    two_languages.units.update(country="")
    launch_study(study=two_languages, by=researcher)
    two_languages.questions.get(key="faithfulness").points.filter(value=2).update(label="")
    data = {"key": ["study.public_title"], "text": ["عروسی"]}
    response = ana.post(f"{address}fa/", data, follow=True)
    page = response.content.decode()
    assert response.status_code == 200
    assert "The words are kept, but people do not read them yet." in page
    assert "point 2 has no label" in page
    assert persian(two_languages)["study.public_title"] == "عروسی"


def test_an_old_translation_of_a_check_says_what_people_read_meanwhile(
    ana, address, two_languages, researcher
):
    texts = {"check.1.text": "۲", "study.public_title": "عروسی"}
    save_translations(study=two_languages, language="fa", texts=texts, by=researcher)
    two_languages.public_title = "Other"
    two_languages.save()
    told = "people read it in English until it is written anew or confirmed here"
    assert told not in ana.get(f"{address}fa/").content.decode()
    two_languages.attention_checks.update(text="For this line choose 4.", expected=4)
    assert ana.get(f"{address}fa/").content.decode().count(told) == 1
    data = {"key": ["check.1.text"], "text": ["۲"], "was": ["۲"], "right": ["check.1.text"]}
    assert told not in ana.post(f"{address}fa/", data, follow=True).content.decode()
