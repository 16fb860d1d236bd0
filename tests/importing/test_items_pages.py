"""Who may see the pages of items and imports, what the list shows, and descriptors."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from studies.lifecycle import archive_study
from studies.models import ImportUpload, Study
from tests.importing.clips import make_clip
from tests.importing.conftest import png
from tests.importing.pages import (
    address_of,
    confirm,
    let_the_worker_work,
    page,
    upload,
)

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "address",
    [
        "items/",
        "items/example/",
        "import/",
        "items/remove/",
        "prompts/",
        "import/descriptors/",
        "import/probes/",
        "import/gold/",
        "import/scenarios/",
        "import/{}/",
        "import/{}/progress/",
        "import/{}/problems.csv",
        "import/{}/picture/0/",
    ],
)
def test_a_stranger_finds_no_page(ana, study, colleague, address):
    upload(ana, study)
    address = f"/admin/studies/study/{study.pk}/" + address.format(ImportUpload.objects.get().pk)
    assert ana.get(address).status_code == 200
    ana.force_login(colleague)
    assert ana.get(address).status_code == 404
    ana.logout()
    assert ana.get(address)["Location"].startswith("/admin/login/")


def test_an_owner_without_the_right_to_change_is_refused(client, study, colleague):
    Study.objects.update(owner=colleague)
    client.force_login(colleague)
    assert client.get(f"/admin/studies/study/{study.pk}/items/").status_code == 403
    colleague.user_permissions.add(Permission.objects.get(codename="change_study"))
    assert client.get(f"/admin/studies/study/{study.pk}/items/").status_code == 200


def test_an_upload_belongs_to_its_study(ana, study, researcher):
    other = Study.objects.create(owner=researcher, title="Other", slug="other", public_title="O")
    upload(ana, study)
    row = ImportUpload.objects.get()
    assert ana.get(f"/admin/studies/study/{other.pk}/import/{row.pk}/").status_code == 404
    assert confirm(ana, other, row).status_code == 404
    assert ana.get(f"/admin/studies/study/{study.pk}/import/{row.pk}/confirm/").status_code == 405


def test_uploads_of_yesterday_are_removed_when_a_new_one_comes(ana, study):
    upload(ana, study)
    old = ImportUpload.objects.get()
    ImportUpload.objects.update(created_at=timezone.now() - timedelta(hours=25))
    upload(ana, study)
    assert ImportUpload.objects.filter(pk=old.pk).count() == 0
    assert not old.folder.exists()
    gone = ana.get(f"/admin/studies/study/{study.pk}/import/{old.pk}/")
    assert gone.status_code == 404


def test_names_of_uploaded_files_stay_out_of_the_file_system(ana, study):
    upload(ana, study)
    folder = ImportUpload.objects.get().folder
    names = {path.name for path in folder.rglob("*") if path.is_file()}
    assert "p.zip" not in names
    assert "a.png" not in names


def test_the_items_page_is_empty_then_shows_24_a_page(ana, study):
    address = f"/admin/studies/study/{study.pk}/items/"
    empty = page(ana.get(address))
    assert "No items yet. Bring a table and a folder of files." in empty
    assert "See an example file" in empty
    rows = "".join(f"i{n:02},a.png,NP,tea,M{n % 2},real\n" for n in range(30))
    upload(ana, study, f"item_id,file,country,category,system,origin\n{rows}")
    confirm(ana, study, ImportUpload.objects.get())
    text = page(ana.get(address))
    assert "30 items, 1–24 shown" in text
    assert text.count('<img src="/media/') == 24
    assert "Nepal · tea · M1" in text
    assert text.count(">Real<") == 24
    assert page(ana.get(f"{address}?page=2")).count('<img src="/media/') == 6


def test_the_items_page_asks_few_questions(ana, study, django_assert_max_num_queries):
    rows = "".join(f"i{n:02},a.png,M{n}\n" for n in range(24))
    upload(ana, study, f"item_id,file,system\n{rows}")
    confirm(ana, study, ImportUpload.objects.get())
    with django_assert_max_num_queries(12):
        ana.get(f"/admin/studies/study/{study.pk}/items/")


def test_the_example_file_is_downloaded(ana, study):
    answer = ana.get(f"/admin/studies/study/{study.pk}/items/example/")
    assert 'filename="example_items.csv"' in answer["Content-Disposition"]
    assert b"".join(answer.streaming_content).startswith(b"item_id,file,")


# ---- descriptors

STEREOTYPE = '{"kind": "stereotype", "country": "NP", "token": "snow"}\n'


def descriptors(client, study, text, address="import/descriptors/"):
    file = SimpleUploadedFile("d.jsonl", text.encode())
    client.post(f"/admin/studies/study/{study.pk}/{address}", {"table": file})
    let_the_worker_work()
    return ImportUpload.objects.first()


def test_descriptors_are_previewed_corrected_and_added(ana, study):
    row = descriptors(ana, study, STEREOTYPE + '{"kind": "stereotype", "token": "goat"}\n')
    text = page(ana.get(address_of(study, row)))
    assert '<td class="number">2</td><td>country</td>' in text
    assert "1 row cannot be imported." in text
    assert study.descriptors.count() == 0
    descriptors(ana, study, STEREOTYPE, f"import/{row.pk}/")
    assert "1 row is ready." in page(ana.get(address_of(study, row)))
    confirm(ana, study, row)
    assert "1 descriptor new, 0 the same." in page(ana.get(address_of(study, row)))
    assert "1 stereotype" in page(ana.get(f"/admin/studies/study/{study.pk}/items/"))


def test_descriptors_that_are_there_are_not_doubled(ana, study):
    for _ in range(2):
        confirm(ana, study, descriptors(ana, study, STEREOTYPE))
    assert study.descriptors.count() == 1


def test_a_launched_study_still_takes_descriptors(ana, study):
    Study.objects.update(state=Study.State.LIVE)
    assert descriptors(ana, study, STEREOTYPE).is_ready


# ---- other kinds

KINDS = {
    "probes": (
        "probe_id,scenario,dimension,text\np,tea,Identity,Is it tea?\n",
        "Import 1 probe",
        "probes",
    ),
    "scenarios": ("scenario,base\ntea,A tea ceremony\n", "Import 1 prompt", "scenarios"),
    "gold": ("item_id,label_set,label\na,drinks,tea\n", "Import 1 gold label", "gold_labels"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_of_each_kind_is_previewed_and_written_once(ana, study, kind):
    table, button, related = KINDS[kind]
    study.items.create(external_id="a", sha256="a")
    address = f"/admin/studies/study/{study.pk}/import/{kind}/"
    assert "What it looks like" in page(ana.get(address))
    for expected in (1, 1):
        ana.post(address, {"table": SimpleUploadedFile("t.csv", table.encode())})
        let_the_worker_work()
        row = ImportUpload.objects.first()
        text = page(ana.get(address_of(study, row)))
        assert (button in text) == (getattr(study, related).count() == 0)
        confirm(ana, study, row)
        assert getattr(study, related).count() == expected


def test_a_clip_is_previewed_by_its_first_frame(ana, study, tmp_path):
    clip = make_clip(tmp_path / "a.mp4", sound="aac").read_bytes()
    text = page(upload(ana, study, "item_id,file\na,a.mp4\n", {"a.mp4": clip}))
    assert "Video · 1.0 s · with sound" in text
    row = ImportUpload.objects.get()
    frame = ana.get(f"{address_of(study, row)}picture/0/")
    assert frame["Content-Type"] == "image/jpeg"
    assert b"".join(frame.streaming_content).startswith(b"\xff\xd8\xff")


def test_a_tick_has_clips_converted_and_can_be_set_on_the_preview(ana, study, tmp_path):
    clip = make_clip(tmp_path / "a.mp4", codec="mpeg4").read_bytes()
    table = "item_id,file\na,a.mp4\n"
    assert "MPEG-4 part 2 video" in page(upload(ana, study, table, {"a.mp4": clip}))
    row = ImportUpload.objects.get()
    ana.post(address_of(study, row), {"transcode": "on"})
    let_the_worker_work()
    assert "1 clip is converted for browsers" in page(ana.get(address_of(study, row)))
    confirm(ana, study, row)
    assert study.items.get().preparation[0].startswith("transcoded: mpeg4")
    listed = page(ana.get(f"/admin/studies/study/{study.pk}/items/"))
    assert "Video · 1.0 s · no sound · converted" in listed


def test_prompts_are_downloaded_and_their_files_need_no_table(ana, study):
    book = study.scenarios.create(key="tea", country="JP")
    book.prompts.create(variant="base", text="A tea ceremony")
    address = f"/admin/studies/study/{study.pk}/prompts/"
    answer = ana.post(address, {"systems": "wan\n", "replicates": "2"})
    assert answer["Content-Disposition"] == 'attachment; filename="prompts.csv"'
    assert "tea__base__wan__2" in answer.content.decode()
    assert ana.post(address, {"systems": "", "replicates": "2"}).status_code == 422
    text = page(upload(ana, study, None, {"tea__base__wan__2.png": png()}))
    assert "matched to the prompt book" in text
    confirm(ana, study, ImportUpload.objects.get())
    item = study.items.get()
    assert (item.scenario, item.system.name, item.replicate) == ("tea", "wan", "2")


@pytest.mark.parametrize("kind", ["descriptors", "probes", "gold", "scenarios"])
def test_nothing_is_imported_into_the_archive(ana, draft_study, kind):
    archive_study(study=draft_study)
    table = SimpleUploadedFile("t.csv", b"activity,country,dimension,token\nw,NP,attire,sari\n")
    address = f"/admin/studies/study/{draft_study.pk}/import/{kind}/"
    answer = ana.post(address, {"table": table}, follow=True)
    assert "is in the archive" in page(answer)
    assert not ImportUpload.objects.exists()
