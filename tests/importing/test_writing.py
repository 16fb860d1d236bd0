"""Checked items are written whole or not at all, and a second import doubles nothing."""

import io
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError
from django.utils import timezone
from PIL import Image, PngImagePlugin

from studies.importing import writing
from studies.models import Item, Study, System, Unit, UnitItem
from tests.importing.conftest import png, zipped

pytestmark = pytest.mark.django_db

TABLE = (
    "item_id,file,country,system,parent,note\n"
    "a,a.png,NP,Model A,,first\n"
    "b,b.png,IR,Model B,a,\n"
    "c,c.png,,,,\n"
)
PICTURES = {"a.png": png("red"), "b.png": png("green"), "c.png": png("blue")}


@pytest.fixture
def run(tmp_path, study):
    """Runs the command; returns what it printed."""

    def run(table: str = TABLE, pictures: dict[str, bytes] | None = None, **options) -> str:
        (tmp_path / "items.csv").write_text(table)
        (tmp_path / "pictures.zip").write_bytes(zipped(PICTURES if pictures is None else pictures))
        out, err = io.StringIO(), io.StringIO()
        options = {"media": tmp_path / "pictures.zip", "stdout": out, "stderr": err} | options
        call_command("import_items", "greetings", tmp_path / "items.csv", **options)
        return out.getvalue() + err.getvalue()

    return run


def stored_files(settings) -> list[str]:
    return sorted(path.name for path in Path(settings.MEDIA_ROOT).rglob("*") if path.is_file())


def test_items_systems_parents_and_units_are_written(run, study, settings):
    assert "3 new, 0 changed, 0 the same" in run()
    a, b, c = study.items.select_related("system", "parent")
    assert (a.country, a.system.name, a.metadata, a.origin) == (
        "NP",
        "Model A",
        {"note": "first"},
        "generated",
    )
    assert (b.parent, b.origin, c.system, c.country) == (a, "edited", None, "")
    assert (a.width, a.height, a.content_type, a.source_name) == (30, 20, "image/png", "a.png")
    assert [system.name for system in study.systems.all()] == ["Model A", "Model B"]
    assert list(study.units.values_list("key", "country", "items")) == [
        ("a", "NP", a.pk),
        ("b", "IR", b.pk),
        ("c", "", c.pk),
    ]
    assert stored_files(settings) == sorted(f"{item.public_id}.png" for item in (a, b, c))


def test_a_folder_of_pictures_does_too(run, study, tmp_path):
    folder = tmp_path / "folder" / "inside"
    folder.mkdir(parents=True)
    for name, data in PICTURES.items():
        (folder / name).write_bytes(data)
    assert "3 new" in run(media=folder.parent)
    assert study.items.count() == 3


def test_the_same_file_again_changes_nothing(run, study, settings):
    run()
    before = list(Item.objects.values())
    files = stored_files(settings)
    assert "0 new, 0 changed, 3 the same" in run()
    assert list(Item.objects.values()) == before
    assert stored_files(settings) == files
    assert (System.objects.count(), Unit.objects.count(), UnitItem.objects.count()) == (2, 3, 3)


def test_a_corrected_row_changes_its_item_alone(run, study):
    run()
    ids = dict(study.items.values_list("external_id", "public_id"))
    corrected = TABLE.replace("a,a.png,NP", "a,a.png,IN").replace("Model B,a", "Model B,")
    assert "1 new, 2 changed, 1 the same" in run(
        corrected + "d,d.png,NP,,,\n", PICTURES | {"d.png": png("white")}
    )
    a = study.items.get(external_id="a")
    assert (a.country, a.units.get().country) == ("IN", "IN")
    assert study.items.get(external_id="b").parent is None
    assert study.items.get(external_id="a").public_id == ids["a"]
    assert study.units.count() == 4


def test_a_table_alone_corrects_items_whose_pictures_are_there(run, study):
    run()
    assert "0 new, 1 changed, 2 the same" in run(TABLE.replace("first", "second"), {})
    a = study.items.get(external_id="a")
    assert a.metadata == {"note": "second"}
    assert a.media.storage.exists(a.media.name)


def test_a_new_picture_takes_the_place_of_the_old(
    run, study, settings, django_capture_on_commit_callbacks
):
    run()
    old = study.items.get(external_id="a")
    with django_capture_on_commit_callbacks(execute=True):
        assert "1 changed" in run(pictures=PICTURES | {"a.png": png("pink", (50, 40))})
    new = study.items.get(external_id="a")
    assert (new.width, new.height) == (50, 40)
    assert new.sha256 != old.sha256
    assert new.media_url != old.media_url
    assert new.media.storage.exists(new.media.name)
    assert not new.media.storage.exists(old.media.name)
    assert len(stored_files(settings)) == 3


def test_pictures_are_stored_without_what_names_their_maker(run, study):
    info = PngImagePlugin.PngInfo()
    info.add_text("parameters", "made by Dreamforge XL")
    buffer = io.BytesIO()
    Image.new("RGB", (30, 20)).save(buffer, "PNG", pnginfo=info)
    assert b"Dreamforge" in buffer.getvalue()
    run(pictures=PICTURES | {"a.png": buffer.getvalue()})
    with study.items.get(external_id="a").media.open() as stored:
        assert b"Dreamforge" not in stored.read()


def test_every_problem_is_printed_and_nothing_written(run, study, settings):
    table = (
        "item_id,file,country\n"
        "a,a.png,Nepaal\n"
        "b,bb.png,NP\n"
        "c,c.png,NP\n"
        "c,C.PNG,NP\n"
        "d,broken.png,NP\n"
    )
    err = io.StringIO()
    with pytest.raises(CommandError, match="6 problems; nothing was written"):
        run(table, PICTURES | {"broken.png": png()[:40]}, stderr=err)
    lines = err.getvalue().splitlines()
    assert "Line 2, country: Not a country (found “Nepaal”). Did you mean Nepal (NP)?" in lines
    assert any(
        line.startswith("Line 3, file: No such file among those you brought") for line in lines
    )
    assert any(line.startswith("Line 4, item_id: Also on line 5") for line in lines)
    assert any(line.startswith("Line 5, file:") and "Only capitals" in line for line in lines)
    assert any(line.startswith("Line 6, file: The file begins like a PNG") for line in lines)
    assert study.items.count() == 0
    assert stored_files(settings) == []


def test_a_check_alone_writes_nothing(run, study):
    assert "3 new" in run(check=True)
    assert study.items.count() == 0


def test_warnings_name_same_pictures_and_unused_files(run):
    printed = run(pictures=PICTURES | {"c.png": PICTURES["a.png"], "z.png": png()})
    assert "a and c are the same picture." in printed
    assert "1 file is named by no row and will not be imported: z.png." in printed


def test_a_closed_or_archived_study_is_refused(run, study):
    Study.objects.update(state=Study.State.CLOSED)
    with pytest.raises(CommandError, match="The study is closed"):
        run()
    Study.objects.update(state=Study.State.DRAFT, archived_at=timezone.now())
    with pytest.raises(CommandError, match="The study is closed"):
        run()


def test_a_failure_while_writing_leaves_no_item_and_no_file(run, study, settings, monkeypatch):
    def fail(*args, **kwargs):
        raise DatabaseError("disk full")

    monkeypatch.setattr(writing, "_write_units", fail)
    with pytest.raises(DatabaseError):
        run()
    assert (Item.objects.count(), Unit.objects.count(), System.objects.count()) == (0, 0, 0)
    assert stored_files(settings) == []


def test_a_failed_change_keeps_the_old_picture(run, study, settings, monkeypatch):
    run()
    files = stored_files(settings)

    def fail(*args, **kwargs):
        raise DatabaseError("disk full")

    with monkeypatch.context() as patch, pytest.raises(DatabaseError):
        patch.setattr(writing, "_write_units", fail)
        run(pictures=PICTURES | {"a.png": png("pink")})
    assert stored_files(settings) == files
    a = study.items.get(external_id="a")
    assert a.media.storage.exists(a.media.name)


def test_a_closing_between_check_and_writing_is_noticed(run, study, settings, monkeypatch):
    filled = writing._filled

    def close_meanwhile(*args):
        Study.objects.update(state=Study.State.CLOSED)
        return filled(*args)

    monkeypatch.setattr(writing, "_filled", close_meanwhile)
    with pytest.raises(CommandError, match="The study is closed"):
        run()
    assert Item.objects.count() == 0
    assert stored_files(settings) == []


def test_an_import_by_somebody_else_between_check_and_writing_is_noticed(
    run, study, settings, monkeypatch
):
    run()
    filled = writing._filled

    def change_meanwhile(*args):
        Item.objects.filter(external_id="a").update(media="items/other.png")
        return filled(*args)

    monkeypatch.setattr(writing, "_filled", change_meanwhile)
    with pytest.raises(CommandError, match="changed by somebody else"):
        run(TABLE.replace("first", "second"))
    assert study.items.get(external_id="a").metadata == {"note": "first"}


def test_an_unknown_study_is_named(run, study):
    with pytest.raises(CommandError, match="no study “nowhere”. Studies: greetings"):
        call_command("import_items", "nowhere", "x.csv")


def test_descriptors_are_added_once(study, run, tmp_path):
    run()
    lines = [
        {"kind": "stereotype", "country": "NP", "token": "snow"},
        {"kind": "predicted", "item_id": "a", "dimension": "attire", "token": "cap"},
    ]
    file = tmp_path / "d.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in lines))
    out = io.StringIO()
    call_command("import_descriptors", "greetings", file, stdout=out)
    call_command("import_descriptors", "greetings", file, stdout=out)
    assert out.getvalue().splitlines() == ["2 new, 0 already there", "0 new, 2 already there"]
    assert study.descriptors.get(kind="predicted").item.external_id == "a"


def test_wrong_descriptors_are_printed_and_none_is_written(study, tmp_path):
    file = tmp_path / "d.jsonl"
    file.write_text(
        '{"kind": "stereotype", "country": "NP", "token": "snow"}\n'
        '{"kind": "predicted", "item_id": "zz", "dimension": "attire", "token": "cap"}\n'
    )
    err = io.StringIO()
    with pytest.raises(CommandError, match="1 problem; nothing was written"):
        call_command("import_descriptors", "greetings", file, stderr=err)
    assert err.getvalue().startswith("Line 2, item_id: No item of the study has this id")
    assert study.descriptors.count() == 0
