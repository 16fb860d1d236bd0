"""Reference pictures of cultural elements: they come with the items, and stand beside them."""

import io

import pytest
from django.core.files.storage import default_storage
from django.core.management import call_command

from annotation.assignment import claim_next_unit
from studies.item_checks import item_checks
from studies.lifecycle import delete_draft, duplicate_study, launch_study
from studies.models import ElementPicture, Study
from tests.annotation.people import somebody
from tests.importing.conftest import png

pytestmark = pytest.mark.django_db
TABLE = "item_id,file,country,category,cultural_element,element_picture\n"


@pytest.fixture
def study(draft_study) -> Study:
    draft_study.show_element = True
    draft_study.save()
    return draft_study


@pytest.fixture
def bring(tmp_path, study):
    """``bring({"np-21": "veil.png"}, ["veil.png"])``: items, and reference pictures beside them."""

    def brought(items: dict[str, str], pictures: list[str], width: int = 90) -> str:
        folder = tmp_path / "brought"
        folder.mkdir(exist_ok=True)
        rows = []
        for n, (name, element) in enumerate(items.items()):
            (folder / f"{name}.png").write_bytes(png(size=(50, 30 + n)))
            rows.append(f"{name},{name}.png,NP,wedding,the veil,{element}\n")
        for name in pictures:
            (folder / name).write_bytes(png(size=(width, 60)))
        (tmp_path / "items.csv").write_text(TABLE + "".join(rows))
        out = io.StringIO()
        call_command(
            "import_items",
            study.slug,
            tmp_path / "items.csv",
            media=folder,
            stdout=out,
            stderr=out,
        )
        return out.getvalue()

    return brought


def test_one_picture_serves_all_items_that_name_it(bring, study):
    told = bring({"np-21": "veil.png", "np-22": "veil.png", "np-23": ""}, ["veil.png"])
    assert "no row" not in told  # the reference picture is no file left over
    picture = study.element_pictures.get()
    assert (picture.name, picture.width, picture.height) == ("veil.png", 90, 60)
    assert "veil" not in picture.media.name
    assert default_storage.exists(picture.media.name)


def test_what_did_not_come_or_is_no_picture_is_told_and_stops_nothing(bring, study, tmp_path):
    (tmp_path / "brought").mkdir()
    (tmp_path / "brought" / "notes.png").write_text("these are notes")
    told = bring({"np-21": "veil.png", "np-22": "notes.png"}, [])
    assert "Reference picture veil.png: No such file" in told
    assert "Reference picture notes.png: The file is neither picture nor clip" in told
    assert study.items.filter(external_id__in=["np-21", "np-22"]).count() == 2
    (line,) = item_checks(study)
    assert "2 reference pictures of elements named and not brought" in line.sentence


def test_brought_again_the_same_is_kept_and_another_takes_its_place(bring, study):
    bring({"np-21": "veil.png"}, ["veil.png"])
    first = study.element_pictures.get()
    bring({"np-21": "veil.png"}, ["veil.png"])
    assert study.element_pictures.get().sha256 == first.sha256
    bring({"np-21": "veil.png"}, ["veil.png"], width=120)
    second = study.element_pictures.get()
    assert (second.pk, second.width) == (first.pk, 120)


def test_what_people_saw_beside_an_item_stays(bring, study, researcher):
    bring({"np-21": "veil.png"}, ["veil.png"])
    study.items.exclude(external_id="np-21").update(element_picture="veil.png")
    launch_study(study=study, by=researcher, note="A test.")
    study.refresh_from_db()
    claim_next_unit(participation=somebody(study))
    told = bring({"np-31": "veil.png"}, ["veil.png"], width=120)
    assert "Reference pictures stay as people saw them: veil.png." in told
    assert study.element_pictures.get().width == 90


def test_the_screen_shows_it_under_an_opaque_address(bring, study, researcher, client):
    bring({"np-21": "veil.png"}, ["veil.png"])
    study.items.update(element_picture="veil.png", cultural_element="the veil")
    launch_study(study=study, by=researcher, note="A test.")
    study.refresh_from_db()
    person = somebody(study)
    claim_next_unit(participation=person)
    page = client.get(f"/a/{person.token}/1/").content.decode()
    picture = study.element_pictures.get()
    assert f'src="{picture.media_url}"' in page
    assert "veil.png" not in page
    answer = client.get(picture.media_url)
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/png")


def test_a_copy_has_a_file_of_its_own_and_a_deleted_draft_leaves_none(
    bring, study, researcher, django_capture_on_commit_callbacks
):
    bring({"np-21": "veil.png"}, ["veil.png"])
    copy = duplicate_study(study=study, owner=researcher, title="Again", with_items=True)
    names = [study.element_pictures.get().media.name, copy.element_pictures.get().media.name]
    assert len(set(names)) == 2
    with django_capture_on_commit_callbacks(execute=True):
        delete_draft(study=study)
    assert [default_storage.exists(name) for name in names] == [False, True]
    assert ElementPicture.objects.get().study == copy
