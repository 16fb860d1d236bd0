"""Finding the named picture; ZIP files that lie, hide or swell are refused."""

import io
import struct
import tempfile
import zipfile
from pathlib import Path

import pytest

from studies.importing.archives import (
    Files,
    Found,
    MediaLibrary,
    NotFound,
    UnreadableFile,
    UnsafeArchive,
    ZipArchive,
)
from tests.importing.conftest import png, zipped


@pytest.fixture
def opened(tmp_path):
    """Writes bytes as a ZIP file and opens it."""
    archives = []

    def open_zip(content: bytes) -> ZipArchive:
        path = tmp_path / f"{len(archives)}.zip"
        path.write_bytes(content)
        archives.append(ZipArchive(path))
        return archives[-1]

    yield open_zip
    for archive in archives:
        archive.close()


def copied(source, name: str) -> bytes:
    """What a source writes for a name."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "x"
        source.copy(name, target)
        return target.read_bytes()


def library(opened, *names: str) -> MediaLibrary:
    return MediaLibrary([opened(zipped({name: name.encode() for name in names}))])


@pytest.mark.parametrize(
    ("wanted", "path"),
    [
        ("set/a/1.png", "set/a/1.png"),
        ("a/1.png", "set/a/1.png"),
        ("only.png", "set/b/only.png"),
        ("elsewhere/only.png", "set/b/only.png"),
        ("a\\1.png", "set/a/1.png"),
        ("./a/1.png", "set/a/1.png"),
    ],
)
def test_a_file_is_found_by_path_end_of_path_or_unique_name(opened, wanted, path):
    found = library(opened, "set/a/1.png", "set/b/1.png", "set/b/only.png").find(wanted)
    assert isinstance(found, Found)
    assert found.path == path
    assert copied(found.source, found.path) == path.encode()


def test_a_name_in_two_folders_is_ambiguous(opened):
    found = library(opened, "a/1.png", "b/1.png").find("1.png")
    assert isinstance(found, NotFound)
    assert found.sentence == "2 files have this name"
    assert "a/1.png, b/1.png" in found.fix


@pytest.mark.parametrize(
    ("wanted", "fix"),
    [
        ("wed_np_017.jpg", "Nearest name: wed_np_0017.jpg."),
        ("WED_NP_0017.JPG", "Only capitals differ: wed_np_0017.jpg."),
        ("zzz", "Add the file, or mend the name."),
    ],
)
def test_a_missing_file_gets_its_nearest_name(opened, wanted, fix):
    found = library(opened, "wed_np_0017.jpg", "other.png").find(wanted)
    assert found == NotFound("No such file among those you brought", fix)


def test_the_nearest_name_has_the_same_figures(opened):
    names = [f"wed_np_{n:04}.jpg" for n in range(1, 40)]
    found = library(opened, *names).find("wed_np_005.jpg")
    assert found.fix == "Nearest name: wed_np_0005.jpg."


def test_composed_and_decomposed_accents_are_one_name(opened):
    assert isinstance(library(opened, "cafe\u0301.png").find("caf\u00e9.png"), Found)


def test_what_systems_leave_behind_is_passed_over(opened):
    found = library(opened, "a.png", "__MACOSX/._a.png", ".DS_Store", "x/Thumbs.db", "x/._b.png")
    assert list(found.paths()) == ["a.png"]


def test_a_folder_is_searched_through(tmp_path):
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "a.png").write_bytes(b"a")
    (tmp_path / ".DS_Store").write_bytes(b"")
    files = Files.under(tmp_path)
    assert list(files.names()) == ["x/a.png"]
    assert copied(files, "x/a.png") == b"a"


def test_the_later_source_counts(tmp_path):
    (tmp_path / "old").write_bytes(b"old")
    (tmp_path / "new").write_bytes(b"new")
    both = MediaLibrary([Files({"a": tmp_path / "old"}), Files({"a": tmp_path / "new"})])
    found = both.find("a")
    assert copied(found.source, "a") == b"new"


@pytest.mark.parametrize(
    "content",
    [b"", b"no zip", zipped({"a.png": b"x"})[:-30]],
    ids=["empty", "not a ZIP", "cut off"],
)
def test_a_damaged_zip_is_refused(opened, content):
    with pytest.raises(UnsafeArchive, match="cannot be opened"):
        opened(content)


@pytest.mark.parametrize("name", ["../a.png", "x/../../a.png", "/etc/a.png", "C:\\a.png", "..\\a"])
def test_a_path_that_leads_outside_is_refused(opened, name):
    with pytest.raises(UnsafeArchive, match="leads outside"):
        opened(zipped({name: b"x"}))


def test_a_zip_with_a_password_is_refused(opened):
    content = bytearray(zipped({"a.png": b"x"}))
    central = content.rindex(b"PK\x01\x02")
    struct.pack_into("<H", content, central + 8, 0x1)
    with pytest.raises(UnsafeArchive, match="password"):
        opened(bytes(content))


def test_a_zip_bomb_is_refused_before_it_is_unpacked(opened):
    bomb = zipped({f"{n}.png": bytes(30 * 2**20) for n in range(4)}, zipfile.ZIP_DEFLATED)
    assert len(bomb) < 200_000
    with pytest.raises(UnsafeArchive, match="would unpack to 120 MB"):
        opened(bomb)


def test_a_damaged_file_inside_is_named_when_read(opened):
    content = bytearray(zipped({"a.png": b"x" * 1000}))
    content[100] ^= 0xFF
    archive = opened(bytes(content))
    with pytest.raises(UnreadableFile, match="Damaged inside the ZIP"):
        copied(archive, "a.png")


def test_a_file_over_the_limit_is_refused_whatever_the_directory_says(opened, monkeypatch):
    monkeypatch.setattr("studies.importing.archives.MAX_CLIP_BYTES", 10)
    archive = opened(zipped({"a.png": png()}))
    with pytest.raises(UnreadableFile, match="larger than"):
        copied(archive, "a.png")


def test_utf8_names_without_the_flag_are_read(opened):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("caXY.png", b"x")
    content = buffer.getvalue().replace(b"caXY.png", "caé.png".encode())
    assert list(opened(content).names()) == ["caé.png"]


def test_thousands_of_missing_files_get_few_slow_suggestions(opened, monkeypatch):
    compared = []
    monkeypatch.setattr(
        "studies.importing.nearest.difflib.get_close_matches",
        lambda name, *args, **options: compared.append(name) or [],
    )
    files = MediaLibrary([opened(zipped({f"{n}.png": b"x" for n in range(2000)}))])
    for n in range(3000):
        assert isinstance(files.find(f"missing-{n}.png"), NotFound)
    assert len(compared) == 100


def test_two_files_of_one_name_in_a_zip_are_not_chosen_between(opened):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("a.png", b"one")
        archive.writestr("a.png", b"two")
    with pytest.raises(UnreadableFile, match="two files of this name"):
        copied(opened(buffer.getvalue()), "a.png")
