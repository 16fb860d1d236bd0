"""Clips, addresses and hostile files on their whole way into a study, and the record they leave."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from PIL import Image

from studies.importing import media_files
from studies.models import Item
from tests.importing.clips import make_clip, make_sound
from tests.importing.conftest import png
from tests.importing.test_fetching import site  # noqa: F401 - a fixture

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(tmp_path) -> Path:
    path = tmp_path / "media-to-import"
    path.mkdir()
    return path


@pytest.fixture
def run(tmp_path, study, folder):
    """Imports a table with the folder; returns what was printed."""

    def run(table: str, **options) -> str:
        (tmp_path / "items.csv").write_text(table)
        out, err = io.StringIO(), io.StringIO()
        options = {"media": folder, "stdout": out, "stderr": err} | options
        try:
            call_command("import_items", "greetings", tmp_path / "items.csv", **options)
        except CommandError as error:
            raise CommandError(f"{err.getvalue()}\n{error}") from error
        return out.getvalue() + err.getvalue()

    return run


def bomb_png() -> bytes:
    """A PNG whose head says 20,000 x 20,000 pixels."""

    def chunk(name: bytes, body: bytes) -> bytes:
        crc = struct.pack(">I", zlib.crc32(name + body))
        return struct.pack(">I", len(body)) + name + body + crc

    head = struct.pack(">IIBBBBB", 20_000, 20_000, 8, 2, 0, 0, 0)
    packed = zlib.compress(bytes(1000))
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")
    )


def test_pictures_clips_and_sounds_come_in_with_what_the_file_shows(run, study, folder):
    (folder / "a.png").write_bytes(png())
    make_clip(folder / "b.mp4", sound="aac", faststart=False)
    make_sound(folder / "c.mp3", codec="libmp3lame")
    assert "3 new" in run("item_id,file\na,a.png\nb,b.mp4\nc,c.mp3\n")
    a, b, c = study.items.all()
    assert (a.kind, a.has_audio, a.duration, a.silent_media.name) == ("image", False, None, "")
    assert (b.kind, b.content_type, b.width, b.height, b.has_audio) == (
        "video",
        "video/mp4",
        64,
        48,
        True,
    )
    assert b.duration == pytest.approx(1.0, abs=0.05)
    assert b.media.storage.exists(b.silent_media.name)
    assert b.silent_media.name.endswith("-silent.mp4")
    assert b.media.storage.exists(b.poster.name)
    assert b.preparation == [
        "remuxed: streams copied, index moved to the front",
        "silent: a copy without its sound stream",
    ]
    assert len(b.source_sha256) == 64
    assert (c.kind, c.content_type, c.width, c.has_audio) == ("audio", "audio/mpeg", None, True)


def test_the_same_clips_again_change_nothing(run, study, folder):
    make_clip(folder / "b.mp4", sound="aac")
    run("item_id,file\nb,b.mp4\n")
    before = list(Item.objects.values())
    assert "0 new, 0 changed, 1 the same" in run("item_id,file\nb,b.mp4\n")
    assert list(Item.objects.values()) == before


def test_every_hostile_file_is_named_with_reason_and_fix(run, study, folder):
    make_clip(folder / "hevc.mp4", codec="libx265")
    make_clip(folder / "ten.mp4", pixels="yuv420p10le")
    make_clip(folder / "chroma.mp4", pixels="yuv444p")
    make_clip(folder / "old.mp4", codec="mpeg4")
    (folder / "zero.mp4").write_bytes(b"")
    (folder / "text.mp4").write_text("Not a clip at all")
    (folder / "text.png").write_text("Not a picture at all")
    whole = make_clip(folder / "cut.mp4", seconds=2).read_bytes()
    (folder / "cut.mp4").write_bytes(whole[: len(whole) // 2])
    (folder / "cut.png").write_bytes(png(size=(300, 200))[:80])
    (folder / "bomb.png").write_bytes(bomb_png())
    expected = {
        "hevc.mp4": ("HEVC", "Convert it to H.264"),
        "ten.mp4": ("10-bit", "Convert it to H.264"),
        "chroma.mp4": ("4:4:4", "Convert it to H.264"),
        "old.mp4": ("MPEG-4 part 2", "Convert it to H.264"),
        "zero.mp4": ("The file is empty", "export"),
        "text.mp4": ("neither picture nor clip", "Give a PNG"),
        "text.png": ("neither picture nor clip", "Give a PNG"),
        "cut.mp4": ("cut short or damaged", "Copy or export it again"),
        "cut.png": ("cut short or damaged", "export"),
        "bomb.png": ("more than 50 million pixels", "Scale it down"),
    }
    table = "item_id,file\n" + "".join(f"{name},{name}\n" for name in expected)
    with pytest.raises(CommandError) as refused:
        run(table)
    lines = str(refused.value).splitlines()
    for number, (name, (wrong, fix)) in enumerate(expected.items(), start=2):
        (line,) = [line for line in lines if line.startswith(f"Line {number}, file:")]
        assert wrong in line, name
        assert name in line
        assert fix in line
    assert not Item.objects.exists()


def test_clips_are_converted_only_when_asked_and_the_item_says_so(run, study, folder):
    make_clip(folder / "hevc.mp4", codec="libx265")
    with pytest.raises(CommandError):
        run("item_id,file\na,hevc.mp4\n")
    printed = run("item_id,file\na,hevc.mp4\n", transcode=True)
    assert "1 clip is converted for browsers, which changes what is rated: a." in printed
    item = study.items.get()
    assert item.preparation == ["transcoded: hevc yuv420p to h264 yuv420p, crf 12"]


def test_what_the_table_says_otherwise_is_a_named_warning(run, study, folder):
    make_clip(folder / "b.mp4")
    printed = run("item_id,file,kind,has_audio,duration\nb,b.mp4,image,yes,9\n")
    assert "b: the column kind says something else than the file is. The file counts." in printed
    assert "b: the column has_audio says something else than the file." in printed
    assert "b: the column duration differs from the real length." in printed
    item = study.items.get()
    assert (item.kind, item.has_audio, item.duration) == ("video", False, 1.0)


def test_the_same_content_under_two_names_is_named(run, folder):
    data = make_clip(folder / "a.mp4").read_bytes()
    (folder / "b.mp4").write_bytes(data)
    assert "a and b are the same clip." in run("item_id,file\na,a.mp4\nb,b.mp4\n")


def test_an_address_is_fetched_once_stored_and_remembered(run, study, site, settings):  # noqa: F811
    settings.IMPORT_FROM_PRIVATE_ADDRESSES = True
    site["/a.png"] = (200, {}, png())
    url = f"{site.address}/a.png"
    run(f"item_id,url\na,{url}\nb,{url}\n")
    assert site.asked == ["/a.png"]
    a, b = study.items.all()
    assert (a.source_url, a.source_name, a.kind) == (url, "", "image")
    assert a.media.storage.exists(a.media.name)
    assert "0 new, 0 changed, 2 the same" in run(f"item_id,url\na,{url}\nb,{url}\n")
    assert site.asked == ["/a.png"]


def test_an_address_inside_the_network_is_refused_by_default(run, site):  # noqa: F811
    site["/a.png"] = (200, {}, png())
    with pytest.raises(CommandError, match="leads into a private network"):
        run(f"item_id,url\na,{site.address}/a.png\n")
    assert site.asked == []


def test_a_check_that_was_killed_goes_on_where_it_stopped(run, study, folder, monkeypatch):
    for name in "abcd":
        (folder / f"{name}.png").write_bytes(png(size=(30, 20 + ord(name))))
    table = "item_id,file\n" + "".join(f"{name},{name}.png\n" for name in "abcd")
    looked = []
    probe = media_files.probe_image

    def probe_two(data):
        looked.append(len(looked))
        if len(looked) == 3:
            raise KeyboardInterrupt
        return probe(data)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(media_files, "probe_image", probe_two)
        run(table)
    again = []
    monkeypatch.setattr(media_files, "probe_image", lambda data: again.append(1) or probe(data))
    assert "4 new" in run(table)
    assert len(again) == 2


def test_writing_that_was_killed_is_finished_without_doubles(run, study, folder, settings):
    from studies.importing import writing

    names = [f"{n}.png" for n in range(9)]
    for n, name in enumerate(names):
        (folder / name).write_bytes(png(size=(30, 20 + n)))
    table = "item_id,file\n" + "".join(f"{name},{name}\n" for name in names)
    write_batch = writing._write_batch
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writing, "BATCH", 3)

        def killed_in_the_second(study, rows, staging):
            if study.items.exists():
                # As a kill would leave it: files in place, nothing in the database, no cleaning.
                item = writing._filled(study, rows[0])
                (staging / "unfinished.json").write_text(f'["{item.public_id}"]')
                writing._save_files(item, rows[0], staging)
                raise KeyboardInterrupt
            write_batch(study, rows, staging)

        patch.setattr(writing, "_write_batch", killed_in_the_second)
        with pytest.raises(KeyboardInterrupt):
            run(table)
    assert study.items.count() == 3
    assert "6 new, 0 changed, 3 the same" in run(table)
    assert (study.items.count(), study.units.count()) == (9, 9)
    files = [path for path in Path(settings.MEDIA_ROOT).rglob("*") if path.is_file()]
    assert len(files) == 9


def test_nothing_of_the_work_is_left_behind(run, folder, settings):
    (folder / "a.png").write_bytes(png())
    run("item_id,file\na,a.png\n")
    assert [path for path in Path(settings.VAR_DIR).rglob("*") if path.is_file()] == []


def test_a_file_of_another_folder_is_not_taken_for_one_that_is_missing(run, folder):
    (folder / "fr").mkdir()
    (folder / "fr" / "a.png").write_bytes(png())
    with pytest.raises(CommandError) as refused:
        run("item_id,file\nnp,np/a.png\nfr,fr/a.png\n")
    assert "No file in this folder: fr/a.png is that of line 3" in str(refused.value)


def test_a_folder_that_files_lost_on_the_way_does_not_matter(run, study, folder):
    (folder / "a.png").write_bytes(png())
    run("item_id,file\nnp,/home/me/pictures/np/a.png\n")
    assert study.items.get().width == 30


def test_a_file_that_was_taken_from_another_folder_is_named(run, study, folder):
    (folder / "model-a").mkdir()
    (folder / "model-a" / "1.png").write_bytes(png())
    told = run("item_id,file\nx,model-b/1.png\n")
    assert "model-b/1.png is not there; model-a/1.png was taken for it." in told
    assert study.items.count() == 1


def test_one_file_is_not_taken_for_those_of_two_folders(run, study, folder):
    """Two models' pictures of one name, and only a third folder came."""
    (folder / "pictures").mkdir()
    (folder / "pictures" / "1.png").write_bytes(png())
    with pytest.raises(CommandError) as refused:
        run("item_id,file\nx,model-a/1.png\ny,model-b/1.png\n")
    assert "No file in this folder: pictures/1.png is that of line 2" in str(refused.value)
    assert not study.items.exists()


def test_a_picture_that_the_page_is_seen_through_is_named(run, folder):
    for name, alpha in (("full", 255), ("half", 128)):
        file = io.BytesIO()
        Image.new("RGBA", (20, 10), (200, 30, 30, alpha)).save(file, "PNG")
        (folder / f"{name}.png").write_bytes(file.getvalue())
    told = run("item_id,file\nfull,full.png\nhalf,half.png\n")
    assert "half: has transparent parts: people see grey through them" in told
    assert "full: has transparent parts" not in told
