"""The admin's way: upload, preview with every problem, confirm once."""

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from studies.importing import checks, work
from studies.models import ImportUpload, Study
from tests.annotation.threads import in_threads
from tests.importing.conftest import png
from tests.importing.pages import (
    PICTURES,
    RIGHT,
    WRONG,
    address_of,
    confirm,
    let_the_worker_work,
    page,
    send,
    upload,
)

pytestmark = pytest.mark.django_db


def test_a_right_upload_is_checked_by_a_worker_previewed_then_written_once(ana, study):
    answer = send(ana, study)
    row = ImportUpload.objects.get()
    preview = address_of(study, row)
    assert (answer.status_code, answer["Location"]) == (302, preview)
    waiting = page(ana.get(preview))
    assert "Waiting to check the file" in waiting
    assert f'hx-get="{preview}progress/"' in waiting
    assert "You may leave this page" in waiting
    let_the_worker_work()
    assert study.items.count() == 0

    text = page(ana.get(preview))
    assert "2 rows are ready." in text
    assert "<dt>New</dt><dd>2</dd>" in text
    assert '<bdi>mood</bdi> → <span class="quiet">kept as metadata</span>' in text
    assert "Import 2 items" in text
    picture = ana.get(f"{preview}picture/0/")
    assert picture["Content-Type"] == "image/png"
    assert b"".join(picture.streaming_content).startswith(b"\x89PNG")

    first = confirm(ana, study, row)
    assert first["Location"] == preview
    done = page(ana.get(preview))
    assert "2 items new, 0 changed, 0 the same." in done
    assert [item.country for item in study.items.all()] == ["NP", "NA"]

    confirm(ana, study, row)
    assert study.items.count() == 2
    assert not row.folder.exists()


def test_the_progress_names_rows_and_files_and_reloads_the_page_at_the_end(ana, study):
    send(ana, study)
    row = ImportUpload.objects.get()
    progress = f"{address_of(study, row)}progress/"
    ImportUpload.objects.update(
        progress={"phase": "files", "rows": [100_000, 100_000], "files": [12_010, 98_400]}
    )
    assert "Checked 100,000 rows · looking at files 12,010 of 98,400" in page(ana.get(progress))
    let_the_worker_work()
    answer = ana.get(progress)
    assert answer["HX-Refresh"] == "true"


def test_an_upload_that_no_worker_takes_says_so(ana, study):
    send(ana, study)
    ImportUpload.objects.update(requested_at=timezone.now() - timedelta(minutes=1))
    row = ImportUpload.objects.get()
    assert "No worker has taken this up yet." in page(ana.get(address_of(study, row)))


def test_a_wrong_upload_names_every_row_and_a_correction_is_written(ana, study):
    text = page(upload(ana, study, WRONG))
    assert "2 rows cannot be imported." in text
    assert '<td class="number">2</td><td>country</td><td><code><bdi>Nepaal</bdi></code>' in text
    assert "Did you mean Nepal (NP)?" in text
    assert '<td class="number">3</td><td>file</td><td><code><bdi>bb.png</bdi></code>' in text
    assert "Nearest name: b.png." in text
    assert "Import 2 items" not in text
    assert study.items.count() == 0

    row = ImportUpload.objects.get()
    confirm(ana, study, row)
    assert study.items.count() == 0

    # The corrected table alone: the pictures are kept from the first upload.
    upload(ana, study, RIGHT, None, f"import/{row.pk}/")
    confirm(ana, study, row)
    assert study.items.count() == 2


def test_missing_pictures_can_be_added_alone(ana, study):
    upload(ana, study, RIGHT, {"a.png": PICTURES["a.png"]})
    row = ImportUpload.objects.get()
    assert row.is_refused
    more = {"folder": [SimpleUploadedFile("b.png", PICTURES["b.png"], "image/png")]}
    ana.post(address_of(study, row), more)
    let_the_worker_work()
    confirm(ana, study, row)
    assert study.items.count() == 2


def test_a_correction_without_a_file_is_asked_for_one(ana, study):
    upload(ana, study, WRONG)
    answer = ana.post(address_of(study, ImportUpload.objects.get()))
    assert answer.status_code == 422
    assert "Choose the corrected table, missing files, or both." in page(answer)


def test_problems_are_filtered_by_kind_and_downloaded_whole(ana, study):
    upload(ana, study, WRONG)
    address = address_of(study, ImportUpload.objects.get())
    filtered = page(ana.get(f"{address}?kind=1"))
    assert "Nepaal" in filtered
    assert "bb.png" not in filtered.split("<tbody>")[1].split("</tbody>")[0]
    download = ana.get(f"{address}problems.csv")
    assert download["Content-Disposition"] == 'attachment; filename="problems.csv"'
    text = b"".join(download.streaming_content).decode("utf-8-sig")
    assert text.splitlines() == [
        "line,field,in the file,what is wrong,what to do",
        "2,country,Nepaal,Not a country,Did you mean Nepal (NP)?",
        "3,file,bb.png,No such file among those you brought,Nearest name: b.png.",
    ]


def test_the_same_problem_many_times_is_one_group_and_all_are_in_the_download(ana, study):
    rows = "".join(f"i{n},a.png,Nepaal\n" for n in range(300))
    text = page(upload(ana, study, f"item_id,file,country\n{rows}"))
    assert "country: Not a country, 300 lines" in text
    assert "The first 200 of 300. All are in problems.csv." in text
    address = address_of(study, ImportUpload.objects.get())
    download = ana.get(f"{address}problems.csv")
    assert len(b"".join(download.streaming_content).splitlines()) == 301


def test_the_form_asks_for_a_table(ana, study):
    answer = send(ana, study, None)
    assert answer.status_code == 422
    assert "Choose the table of items." in page(answer)
    assert ImportUpload.objects.count() == 0


def test_an_unsafe_zip_is_refused_with_its_name(ana, study):
    text = page(upload(ana, study, RIGHT, PICTURES | {"../a.png": b"x"}))
    assert "p.zip" in text
    assert "leads outside it" in text
    assert ImportUpload.objects.get().is_refused


def test_two_chosen_files_of_one_name_are_refused(ana, study):
    files = [SimpleUploadedFile(name, png(name)) for name in ("red", "blue")]
    for file in files:
        file.name = "a.png"
    text = page(upload(ana, study, "item_id,file\na,a.png\n", None, folder=files))
    assert "Two of the chosen files have this name" in text


def test_a_closed_study_takes_no_items(ana, study):
    upload(ana, study)
    row = ImportUpload.objects.get()
    Study.objects.update(state=Study.State.CLOSED)
    form = ana.get(f"/admin/studies/study/{study.pk}/import/")
    assert "The study is closed" in page(form)
    assert 'type="file"' not in page(form)
    assert send(ana, study).status_code == 409
    answer = confirm(ana, study, row)
    assert answer.status_code == 409
    assert "The study is closed" in page(answer)
    assert study.items.count() == 0


def test_a_study_that_changed_since_the_check_is_checked_again(ana, study):
    upload(ana, study, "item_id,file,parent\na,a.png,\n")
    confirm(ana, study, ImportUpload.objects.get())
    upload(ana, study, "item_id,file,parent\nb,b.png,a\n")
    row = ImportUpload.objects.get(state="ready")
    study.units.all().delete()
    study.items.all().delete()
    confirm(ana, study, row)
    text = page(ana.get(address_of(study, row)))
    assert "The study has changed since the check. Nothing was written." in text
    assert "No item has this id" in text
    assert study.items.count() == 0


def test_a_failure_while_writing_is_told_and_begun_again(ana, study, monkeypatch):
    upload(ana, study)
    row = ImportUpload.objects.get()

    def fail(**kwargs):
        raise OSError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr(checks, "write_items", fail)
        confirm(ana, study, row)
    row.refresh_from_db()
    assert row.state == ImportUpload.State.FAILED
    assert "disk full" in page(ana.get(address_of(study, row)))
    ana.post(f"{address_of(study, row)}again/")
    let_the_worker_work()
    confirm(ana, study, row)
    assert study.items.count() == 2


def test_work_whose_worker_was_killed_is_taken_up_again(ana, study):
    send(ana, study)
    row = ImportUpload.objects.get()
    ImportUpload.objects.update(heartbeat_at=timezone.now())
    work.run_import(row.pk)  # somebody has it
    row.refresh_from_db()
    assert row.state == ImportUpload.State.CHECKING
    assert work.requeue_stale_imports() == []
    assert work.requeue_stale_imports(alone=True) == [row.pk]
    let_the_worker_work()
    row.refresh_from_db()
    assert row.is_ready


def test_an_upload_that_is_being_written_takes_no_other_files(ana, study):
    upload(ana, study)
    row = ImportUpload.objects.get()
    ImportUpload.objects.update(state=ImportUpload.State.WRITING, heartbeat_at=timezone.now())
    assert "hx-get" in page(ana.get(address_of(study, row)))
    assert send(ana, study, address=f"import/{row.pk}/").status_code == 409
    ana.post(f"{address_of(study, row)}confirm/")
    assert study.items.count() == 0


def test_a_huge_table_is_refused_before_it_is_read(ana, study, monkeypatch):
    monkeypatch.setattr("studies.admin_import.MAX_TABLE_BYTES", 10)
    answer = send(ana, study)
    assert answer.status_code == 422
    assert "Import it in several files." in page(answer)
    assert not ImportUpload.objects.exists()


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_workers_at_the_same_moment_write_once(ana, study, settings):
    """The same upload taken up five times, and another upload of the same table."""
    for _ in range(2):
        upload(ana, study)
    first, second = ImportUpload.objects.order_by("pk")
    for row in (first, second):
        work.request_write(row)
    in_threads(6, lambda i: work.run_import(first.pk if i < 5 else second.pk))
    let_the_worker_work()
    states = set(ImportUpload.objects.values_list("state", flat=True))
    assert "done" in states
    assert states <= {"done", "failed"}  # the second may find the items of the first
    assert (study.items.count(), study.units.count()) == (2, 2)
    files = [path for path in settings.MEDIA_ROOT.rglob("*") if path.is_file()]
    assert len(files) == 2
