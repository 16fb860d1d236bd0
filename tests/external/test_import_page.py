"""The researcher's page: files, columns as the last time, a preview, errors by row, the import."""

import re
import shlex
from datetime import timedelta
from html import unescape
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from annotation.external import looking, uploads
from annotation.models import Rating, RatingsImport
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


@pytest.fixture(autouse=True)
def _files_in_a_scratch_folder(settings, tmp_path):
    settings.VAR_DIR = tmp_path / "var"


@pytest.fixture
def signed_in(client, researcher):
    client.force_login(researcher)
    return client


@pytest.fixture
def look(signed_in):
    """Bring files; the page where they are described, or the one that refuses them."""

    def looked(*files, tool=""):
        chosen = [SimpleUploadedFile(name, content) for name, content in files]
        return signed_in.post(PAGE, {"tool": tool, "files": chosen}, follow=True)

    return looked


@pytest.fixture
def ask(signed_in):
    """Send the form of a page that describes files."""

    def asked(page, step, **fields):
        return signed_in.post(page.request["PATH_INFO"], {step: "yes", **fields})

    return asked


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
    again |= {"level": "interval", "lower": "quality", "missing": "NA, -99"}
    assert ask(page, "import", **again).status_code == 302
    form = look(("third.csv", TABLE)).context["form"]
    assert (form["level"].value(), form["lower"].value()) == ("interval", "quality")
    assert form["missing"].value() == "NA,-99"
    elsewhere = look(("other.csv", b"image,by,stars\na,ana,4\n"))
    assert "Filled in" not in words(elsewhere)


def test_another_person_s_columns_are_not_told(look, ask, colleague, researcher, client):
    ask(look(("ratings.csv", TABLE)), "import", **COLUMNS)
    colleague.is_superuser = True
    colleague.save()
    client.force_login(colleague)
    files = SimpleUploadedFile("ratings.csv", TABLE)
    page = client.post(PAGE, {"tool": "", "files": files}, follow=True)
    assert 'list="file-columns"' in words(page)
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


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("scale", "one to five", "is no scale"),
        ("rater", "", "needs the column of rater"),
        ("facts", "model", "write system=COLUMN"),
        ("where", "model", "write COLUMN=VALUE"),
        ("lower", "qualities", "no rating is on that. Questions are quality."),
        ("title", "مهرجان", "Write the short address in Latin letters"),
        ("slug", "no blanks", "'no blanks' is no address"),
        ("slug", "import", "is the address of a page of this site"),
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


def test_a_preview_shows_a_command_that_does_the_same(look, ask, tmp_path):
    page = ask(look(("my ratings.csv", TABLE)), "preview", **COLUMNS)
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


def test_json_that_is_too_large_to_be_read_whole_is_refused(look, monkeypatch):
    monkeypatch.setattr(uploads, "MOST_JSON_BYTES", 10)
    page = look(("ratings.json", b'[{"picture": "a"}]'))
    assert page.status_code == 422
    assert "Bring it as JSON lines" in words(page)
    assert not RatingsImport.objects.exists()


def test_files_lie_in_a_private_folder_until_they_are_imported(look, ask, settings):
    page = look(("ratings.csv", TABLE))
    brought = RatingsImport.objects.get()
    assert brought.folder.parent == settings.VAR_DIR / "ratings"
    assert brought.folder.stat().st_mode & 0o077 == 0
    assert (brought.folder / "ratings.csv").read_bytes() == TABLE
    assert ask(page, "import", **COLUMNS).status_code == 302
    assert not brought.folder.exists()


def test_brought_files_are_the_persons_own(look, client, colleague):
    page = look(("ratings.csv", TABLE))
    address = page.request["PATH_INFO"]
    colleague.is_superuser = True
    colleague.save()
    client.force_login(colleague)
    for answer in (
        client.get(address),
        client.get(f"{address}progress/"),
        client.post(address, {"preview": "yes", **COLUMNS}),
        client.post(f"{address}remove/"),
    ):
        assert answer.status_code == 422
        assert "no longer here" in words(answer)
    assert "ratings.csv" not in words(client.get(PAGE))
    assert RatingsImport.objects.get().folder.exists()


def test_brought_files_are_listed_until_they_are_thrown_away(look, signed_in):
    page = look(("ratings.csv", TABLE))
    address = page.request["PATH_INFO"]
    assert f'href="{address}"' in words(signed_in.get(PAGE))
    folder = RatingsImport.objects.get().folder
    assert signed_in.post(f"{address}remove/").url == PAGE
    assert not folder.exists()
    assert address not in words(signed_in.get(PAGE))


def test_files_that_nobody_imported_go_after_a_day_and_so_do_folders_without_a_row(look, settings):
    page = look(("ratings.csv", TABLE))
    old, stray = RatingsImport.objects.get(), settings.VAR_DIR / "ratings" / "stray"
    stray.mkdir()
    at_work = RatingsImport.objects.create(state="reading", files=[])
    at_work.folder.mkdir()
    RatingsImport.objects.update(created_at=timezone.now() - timedelta(days=2))
    uploads.discard_old()
    assert list(RatingsImport.objects.all()) == [at_work]
    assert [folder.name for folder in (settings.VAR_DIR / "ratings").iterdir()] == [at_work.token]
    assert not old.folder.exists()
    assert page.status_code == 200


def test_files_that_are_gone_are_said_to_be(look, ask):
    page = look(("ratings.csv", TABLE))
    RatingsImport.objects.get().discard_files()
    answer = ask(page, "preview", **COLUMNS)
    assert answer.status_code == 422
    assert "Choose them again" in words(answer)


def test_sizes_and_lines_of_files_are_told(look):
    page = look(("ratings.csv", TABLE), ("more.csv", TABLE * 500))
    assert "4 lines" in words(page)
    assert "2,000 lines" in words(page)


def test_the_head_of_many_ratings_is_previewed(look, ask, monkeypatch):
    monkeypatch.setattr(looking, "HEAD", 2)
    page = ask(look(("ratings.csv", TABLE)), "preview", **COLUMNS)
    said = "The first 2 ratings of 1 item by 2 raters on <bdi>quality</bdi> are right"
    assert said in words(page)
    assert "Import all ratings" in words(page)


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
