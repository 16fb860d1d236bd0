"""Where the media of an import come from: ZIP files, folders, files chosen one by one.

A :class:`MediaLibrary` finds the file that a table names, by path or by name. Nothing is unpacked
to disk under a name from outside. Django-free.
"""

from __future__ import annotations

import lzma
import shutil
import unicodedata
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Protocol

from studies.importing.nearest import NearestName

MAX_FILE_BYTES = 50 * 2**20  # of a picture
MAX_CLIP_BYTES = 500 * 2**20
MAX_ARCHIVE_BYTES = 64 * 2**30  # unpacked
MAX_ARCHIVE_FILES = 100_000
MAX_RATIO = 200  # unpacked to packed, where a picture's own compression leaves about 1
_CHUNK = 1024 * 1024
_SYSTEM_FILES = frozenset((".ds_store", "thumbs.db", "desktop.ini"))
_ENCRYPTED, _UTF8_NAME = 0x1, 0x800


class UnsafeArchive(Exception):
    """The ZIP cannot be read, or not safely. What is wrong, and what to do."""

    def __init__(self, sentence: str, fix: str) -> None:
        super().__init__(f"{sentence}. {fix}")
        self.sentence = sentence
        self.fix = fix


class UnreadableFile(Exception):
    """One file of the source cannot be read. What is wrong, and what to do."""

    def __init__(self, sentence: str, fix: str) -> None:
        super().__init__(f"{sentence}. {fix}")
        self.sentence = sentence
        self.fix = fix


class MediaSource(Protocol):
    """Files by path: forward slashes, composed Unicode."""

    def names(self) -> Sequence[str]: ...

    def mark(self, name: str) -> str:
        """Differs when the file has changed."""

    def copy(self, name: str, target: Path) -> None:
        """Write the content into ``target``. Raises UnreadableFile."""


class Files:
    """Files on disk by the name under which they are known."""

    def __init__(self, paths: Mapping[str, Path]) -> None:
        self._paths = {tidy(name): path for name, path in paths.items() if not is_litter(name)}

    @classmethod
    def under(cls, folder: Path) -> Files:
        """Every file in ``folder`` and its subfolders, by the path from it."""
        found = (path for path in sorted(folder.rglob("*")) if path.is_file())
        return cls({path.relative_to(folder).as_posix(): path for path in found})

    def names(self) -> Sequence[str]:
        return list(self._paths)

    def mark(self, name: str) -> str:
        facts = self._paths[name].stat()
        return f"{facts.st_size} {facts.st_mtime_ns}"

    def copy(self, name: str, target: Path) -> None:
        path = self._paths[name]
        try:
            if path.stat().st_size > MAX_CLIP_BYTES:
                raise _too_large()
            shutil.copyfile(path, target)
        except OSError as error:
            raise UnreadableFile(
                f"The file cannot be read: {error.strerror}", "Check its rights."
            ) from error


class ZipArchive:
    """The files of a ZIP, read one at a time and never unpacked.

    Raises UnsafeArchive for what is no ZIP, is encrypted, points outside itself, or unpacks to far
    more than a folder of pictures could.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            raise UnsafeArchive(
                "The ZIP cannot be opened: it is damaged or no ZIP at all", "Make it again."
            ) from error
        try:
            entries = [entry for entry in self._zip.infolist() if not entry.is_dir()]
            _judge_archive(entries)
        except UnsafeArchive:
            self._zip.close()
            raise
        named = [(tidy(_entry_name(entry)), entry) for entry in entries]
        named = [(name, entry) for name, entry in named if not is_litter(name)]
        self._entries = dict(named)
        counts = Counter(name for name, _ in named)
        self._twice = {name for name, n in counts.items() if n > 1}

    def names(self) -> Sequence[str]:
        return list(self._entries)

    def mark(self, name: str) -> str:
        entry = self._entries[name]
        return f"{entry.file_size} {entry.CRC:08x}"

    def copy(self, name: str, target: Path) -> None:
        if name in self._twice:
            raise UnreadableFile("The ZIP holds two files of this name", "Make the ZIP again.")
        try:
            with self._zip.open(self._entries[name]) as stream, target.open("wb") as out:
                # The size in the directory may lie: never write more than is allowed.
                left = MAX_CLIP_BYTES
                while chunk := stream.read(_CHUNK):
                    left -= len(chunk)
                    if left < 0:
                        raise _too_large()
                    out.write(chunk)
        except (
            zipfile.BadZipFile,
            zlib.error,
            lzma.LZMAError,
            EOFError,
            OSError,
            ValueError,
        ) as error:
            raise UnreadableFile("Damaged inside the ZIP", "Make the ZIP again.") from error
        except NotImplementedError as error:
            raise UnreadableFile(
                "Compressed in a way that is not understood", "Make an ordinary ZIP."
            ) from error

    def close(self) -> None:
        self._zip.close()


@dataclass(frozen=True, slots=True)
class Found:
    """``path`` in ``source`` is the file that was named; ``loosely``: in another folder."""

    source: MediaSource
    path: str
    loosely: bool = False


@dataclass(frozen=True, slots=True)
class NotFound:
    """No file, or more than one. What is wrong, and what to do."""

    sentence: str
    fix: str


class MediaLibrary:
    """All files of some sources; where two sources hold the same path, the later one counts."""

    def __init__(self, sources: Iterable[MediaSource]) -> None:
        self._places = {name: source for source in sources for name in source.names()}
        self._by_base: dict[str, list[str]] = {}
        self._by_stem: dict[str, list[str]] = {}
        for path in self._places:
            base = _base(path)
            self._by_base.setdefault(base, []).append(path)
            self._by_stem.setdefault(base.rpartition(".")[0], []).append(path)
        self._names = NearestName(self._by_base)

    def __len__(self) -> int:
        return len(self._places)

    def paths(self) -> Sequence[str]:
        return sorted(self._places)

    def find(self, wanted: str, *, advise: bool = True) -> Found | NotFound:
        """By whole path, by the end of the path, by the file's name, or by its name without ending,
        if only one has it.

        Capitals count: two systems may write a.png and A.png. A name that differs in capitals only
        is suggested.
        """
        wanted = tidy(wanted)
        if wanted in self._places:
            return Found(self._places[wanted], wanted)
        base = _base(wanted)
        same_base = self._by_base.get(base) or self._by_stem.get(base, [])
        ends = [path for path in same_base if path.endswith(f"/{wanted}")]
        matches = ends or same_base
        if len(matches) == 1:
            path = matches[0]
            whole = path if base in self._by_base else path.rpartition(".")[0]
            fits = f"/{whole}".endswith(f"/{wanted}") or f"/{wanted}".endswith(f"/{whole}")
            return Found(self._places[path], path, loosely=not fits)
        if matches:
            listed = ", ".join(sorted(matches)[:3])
            return NotFound(f"{len(matches)} files have this name", f"Write the folder: {listed}.")
        advice = self._advice(wanted) if advise else ""
        return NotFound("No such file among those you brought", advice)

    def _advice(self, wanted: str) -> str:
        base = _base(wanted)
        if other := self._names.same_but_capitals(base):
            return f"Only capitals differ: {other}."
        if other := self._names.nearest(base):
            return f"Nearest name: {other}."
        return "Add the file, or mend the name."


def tidy(path: str) -> str:
    """One spelling for a path: forward slashes, composed Unicode, no leading ``./``."""
    path = unicodedata.normalize("NFC", path.strip()).replace("\\", "/")
    return "/".join(part for part in path.split("/") if part not in ("", "."))


def is_litter(name: str) -> bool:
    """What operating systems leave in folders and archives."""
    parts = tidy(name).casefold().split("/")
    return "__macosx" in parts or parts[-1] in _SYSTEM_FILES or parts[-1].startswith("._")


def _base(path: str) -> str:
    return path.rsplit("/", 1)[-1]


def _entry_name(entry: zipfile.ZipInfo) -> str:
    """Many programs write UTF-8 without saying so; Python then reads the old IBM code page."""
    if entry.flag_bits & _UTF8_NAME:
        return entry.filename
    try:
        return entry.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return entry.filename


def _judge_archive(entries: Sequence[zipfile.ZipInfo]) -> None:
    if len(entries) > MAX_ARCHIVE_FILES:
        raise UnsafeArchive(
            f"The ZIP holds {len(entries):,} files; {MAX_ARCHIVE_FILES:,} are allowed",
            "Import the items in several parts.",
        )
    for entry in entries:
        # orig_filename keeps what ZipFile cuts off or turns round in filename.
        path = entry.orig_filename.replace("\\", "/")
        if path.startswith("/") or ".." in PurePosixPath(path).parts or path[1:2] == ":":
            raise UnsafeArchive(
                f"The ZIP holds a path that leads outside it: {path[:80]}",
                "Make the ZIP from the folder itself.",
            )
        if entry.flag_bits & _ENCRYPTED:
            raise UnsafeArchive("The ZIP has a password", "Make it again without one.")
    unpacked = sum(entry.file_size for entry in entries)
    packed = sum(entry.compress_size for entry in entries)
    if unpacked > MAX_ARCHIVE_BYTES or unpacked > MAX_FILE_BYTES + MAX_RATIO * packed:
        raise UnsafeArchive(
            f"The ZIP would unpack to {unpacked / 2**20:,.0f} MB from {packed / 2**20:,.1f} MB, "
            "which no folder of media does",
            "Make the ZIP again from the files, or import them in several parts.",
        )


def _too_large() -> UnreadableFile:
    return UnreadableFile(
        f"The file is larger than {MAX_CLIP_BYTES // 2**20} MB",
        "Cut the clip, or scale it down: 1280 × 720 is enough for rating.",
    )
