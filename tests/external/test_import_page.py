"""The researcher's page: files, columns as the last time, a preview, errors by row, the import."""

import re
import shlex
from html import unescape
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse

from annotation import views_import
from annotation.external import uploads
from annotation.models import Rating
from studies.models import Study

DATA = Path(__file__).parent.parent / "data/external"
PAGE = "/studies/import/"
TABLE = b"picture,who,score,model\na,ana,4,M1\na,ben,2,M1\nb,ana,5,M2\n"
COLUMNS = {
    "title": "Brought along",
    "shape": "long",
    "item": "picture",
    "rater": "who",
    "value": "score",
    "facts": "system=model",
    "question_is": "quality",
    "scale": "1-5",
    "level": "ordinal",
}


@pytest.fixture
def signed_in(client, researcher):
    client.force_login(researcher)
    return client


@pytest.fixture
def look(signed_in):
    def looked(*files, tool=""):
        chosen = [SimpleUploadedFile(name, content) for name, content in files]
        return signed_in.post(PAGE, {"tool": tool, "files": chosen})

    return looked


@pytest.fixture
def ask(signed_in):
    """Send the second form, with the files that the page carried."""

    def asked(page, step, **fields):
        return signed_in.post(PAGE, {**hidden(page), step: "yes", **fields})

    return asked


def hidden(page):
    found = re.findall(r'type="hidden" name="(tool|carried)" value="([^"]*)"', words(page))
    return {name: unescape(value) for name, value in found}


def words(page):
    return page.content.decode()


def test_a_table_is_looked_at_previewed_and_imported(look, ask, signed_in):
    page = look(("ratings.csv", TABLE))
    assert '<option value="picture">' in words(page)
    page = ask(page, "preview", **COLUMNS)
    assert "3 ratings of 2 items by 2 raters on <bdi>quality</bdi>" in words(page)
    assert "ratings.csv, line 3" in words(page)
    assert not Study.objects.exists()
    done = ask(page, "import", **COLUMNS)
    study = Study.objects.get()
    assert done.url == reverse("scoring:report", args=[study.slug])
    assert (study.title, study.slug, study.state) == ("Brought along", "brought-along", "closed")
    assert sorted(Rating.objects.values_list("value", flat=True)) == [2, 4, 5]
    assert set(study.items.values_list("system__name", flat=True)) == {"M1", "M2"}
    assert signed_in.get(done.url).status_code == 200


def test_columns_are_filled_in_as_the_last_time(look, ask):
    ask(look(("ratings.csv", TABLE)), "import", **COLUMNS)
    page = look(("more.csv", TABLE))
    assert "Filled in as in your last import, <bdi>Brought along</bdi>" in words(page)
    for value in ("picture", "who", "score", "system=model", "quality"):
        assert f'value="{value}"' in words(page)
    assert "quality=1, 2, 3, 4, 5" in words(page)
    again = {**COLUMNS, "title": "Again", "scale": "quality=1, 2, 3, 4, 5"}
    assert ask(page, "import", **again).status_code == 302
    elsewhere = look(("other.csv", b"image,by,stars\na,ana,4\n"))
    assert "Filled in" not in words(elsewhere)


def test_another_person_s_columns_are_not_told(look, ask, colleague, researcher, client):
    ask(look(("ratings.csv", TABLE)), "import", **COLUMNS)
    colleague.is_superuser = True
    colleague.save()
    client.force_login(colleague)
    page = client.post(PAGE, {"tool": "", "files": SimpleUploadedFile("ratings.csv", TABLE)})
    assert "Filled in" not in words(page)


def test_every_wrong_row_is_named_and_nothing_written(look, ask):
    bad = TABLE + b"c,ana,6,M1\nd,,4,M1\n"
    page = ask(look(("ratings.csv", bad)), "import", **COLUMNS)
    assert page.status_code == 422
    text = unescape(words(page))
    assert "ratings.csv, line 5: '6' is no point of quality: 1, 2, 3, 4, 5." in text
    assert "ratings.csv, line 6: no rater." in text
    assert "Import 3" not in text
    assert not Study.objects.exists()


def test_a_column_that_is_not_there_is_named_and_the_form_kept(look, ask):
    page = ask(look(("ratings.csv", TABLE)), "preview", **{**COLUMNS, "value": "stars"})
    assert "no column 'stars'" in unescape(words(page))
    assert 'value="stars"' in words(page)
    assert hidden(page)["carried"]


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("scale", "one to five", "is no scale"),
        ("rater", "", "needs the column of rater"),
        ("facts", "model", "write system=COLUMN"),
        ("where", "model", "write COLUMN=VALUE"),
        ("title", "مهرجان", "Write it in Latin letters"),
        ("slug", "import", "is no address"),
    ],
)
def test_what_was_asked_wrongly_is_said(look, ask, field, value, told):
    page = ask(look(("ratings.csv", TABLE)), "import", **{**COLUMNS, field: value})
    assert page.status_code == 422
    assert told in unescape(words(page))
    assert not Study.objects.exists()


def test_a_title_in_another_script_needs_an_address(look, ask):
    fields = {**COLUMNS, "title": "مهرجان", "slug": "festival"}
    ask(look(("ratings.csv", TABLE)), "import", **fields)
    assert Study.objects.get().slug == "festival"


def test_a_second_study_of_the_same_address_is_refused(look, ask):
    ask(look(("ratings.csv", TABLE)), "import", **COLUMNS)
    page = ask(look(("ratings.csv", TABLE)), "import", **COLUMNS)
    assert "There is a study 'brought-along' already" in unescape(words(page))
    assert Study.objects.count() == 1


def test_evil_texts_are_shown_as_text(look, ask):
    evil = b'<script>alert("x")</script>,ana,4,=1+1\n'
    page = look(("ratings.csv", TABLE + evil))
    assert "<script>alert" not in words(page)
    page = ask(page, "preview", **COLUMNS)
    assert "&lt;script&gt;alert" in words(page)
    assert "<script>alert" not in words(page)


def test_bytes_that_are_no_text_survive_the_way_and_are_refused(look, ask):
    page = look(("ratings.csv", bytes(range(128, 256)) + TABLE))
    assert "is no text in UTF-8" in words(page)
    utf16 = TABLE.decode().encode("utf-16")
    page = ask(look(("ratings.csv", utf16)), "import", **COLUMNS)
    assert page.status_code == 302


def test_label_studio_comes_in_by_the_page(look, ask):
    sample = (DATA / "label_studio_export.json").read_bytes()
    page = look(("export.json", sample), tool="label-studio")
    fields = {"title": "Label Studio", "item": "image", "scale": "1-5", "level": "ordinal"}
    page = ask(page, "preview", **fields)
    assert "12 ratings of 12 items by 1 rater on" in words(page)
    assert ask(page, "import", **fields).status_code == 302
    assert Study.objects.get().external_source.columns["from"] == "label-studio"


def test_a_history_beside_potato_s_file_tells_the_last_click(look, ask):
    answers = b'{"instance_id": "i", "user_id": "u", "labels": {"q": {"2": "2", "4": "4"}}}'
    click = (
        b'{"instance_id": "i", "user_id": "u", "schema_name": "q", "label_name": "2", '
        b'"new_value": "2", "timestamp": "2026-11-29T20:00:05"}'
    )
    page = look(("answers.jsonl", answers), ("history.jsonl", click), tool="potato")
    fields = {"title": "Potato", "scale": "1-5", "level": "ordinal"}
    assert "history" in unescape(
        words(ask(look(("a.jsonl", answers), tool="potato"), "preview", **fields))
    )
    ask(page, "import", **fields, history="history.jsonl")
    assert Rating.objects.get().value == 2
    assert [one["name"] for one in Study.objects.get().external_source.files] == ["answers.jsonl"]


def test_qualtrics_shows_neither_addresses_nor_names(look, ask):
    export = (
        "ResponseId,Status,Finished,IPAddress,1_Q1,2_Q1\nid,s,f,ip,How?,How?\n"
        '"{""ImportId"":""_recordId""}","{""ImportId"":""status""}","{""ImportId"":""finished""}",'
        '"{""ImportId"":""ipAddress""}","{""ImportId"":""1_QID1""}","{""ImportId"":""2_QID1""}"\n'
        "R_1,0,1,203.0.113.7,4,5\nR_2,1,1,203.0.113.8,1,1\n"
    )
    page = look(("answers.csv", export.encode()), tool="qualtrics")
    assert "203.0.113" not in words(page)
    fields = {"title": "Q", "pattern": "{item}_{question}", "scale": "1-5", "level": "ordinal"}
    page = ask(page, "preview", **fields)
    assert "2 ratings of 2 items by 1 rater on" in words(page)
    assert "Left out: 1 previews." in words(page)
    assert "203.0.113" not in words(page)


def test_too_many_ratings_are_refused_with_a_command_that_works(
    look, ask, monkeypatch, tmp_path, researcher
):
    monkeypatch.setattr(views_import, "MOST_RATINGS", 2)
    page = ask(look(("my ratings.csv", TABLE)), "import", **COLUMNS)
    assert "There are more than 2 ratings" in words(page)
    assert not Study.objects.exists()
    line = unescape(re.search(r"<pre[^>]*><code>(.*?)</code></pre>", words(page), re.S)[1])
    said = shlex.split(line)
    assert said[:4] == ["python", "manage.py", "import_ratings", "my ratings.csv"]
    path = tmp_path / said[3]
    path.write_bytes(TABLE)
    call_command("import_ratings", str(path), *said[4:])
    assert Study.objects.get().title == "Brought along"
    assert Rating.objects.count() == 3


def test_files_too_large_are_refused_with_the_command_s_name(look, monkeypatch):
    monkeypatch.setattr(uploads, "MOST_BYTES", 10)
    page = look(("ratings.csv", TABLE))
    assert page.status_code == 422
    assert "python manage.py import_ratings" in words(page)


def test_files_that_would_not_fit_into_the_form_are_refused(look, monkeypatch):
    monkeypatch.setattr(uploads, "MOST_CARRIED", 10)
    page = look(("ratings.csv", TABLE))
    assert page.status_code == 422
    assert "too large for this page" in words(page)


def test_carried_files_are_the_person_s_own_and_cannot_be_made_up(look, client, colleague):
    page = look(("ratings.csv", TABLE))
    colleague.is_superuser = True
    colleague.save()
    client.force_login(colleague)
    answer = client.post(PAGE, {**hidden(page), "preview": "yes", **COLUMNS})
    assert answer.status_code == 422
    assert "Choose them again" in words(answer)
    answer = client.post(PAGE, {"tool": "", "carried": "made-up", "preview": "yes", **COLUMNS})
    assert "Choose them again" in words(answer)


@pytest.mark.parametrize(
    ("files", "tool", "told"),
    [
        ([], "", "Choose a file."),
        ([("a.csv", TABLE), ("a.csv", TABLE)], "", "Two files are called a.csv"),
        ([("a.csv", TABLE)], "excel", "Choose what the file is."),
        ([(f"{'م' * 200}.csv", TABLE)], "", "Give it a shorter one."),
        ([("a.xlsx", b"PK")], "", "the name of a file ends in"),
    ],
)
def test_files_that_cannot_be_taken_are_refused(look, files, tool, told):
    assert told in words(look(*files, tool=tool))


def test_the_page_is_for_those_who_may_make_studies(client, colleague):
    assert client.get(PAGE).status_code == 302
    client.force_login(colleague)
    assert client.get(PAGE).status_code == 403


def test_the_list_of_studies_and_the_page_of_a_new_one_lead_there(signed_in):
    for address in (reverse("studies:home"), reverse("admin:studies_study_add")):
        assert f'href="{PAGE}"' in words(signed_in.get(address))
