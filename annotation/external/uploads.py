"""Files of ratings as they come: laid aside in a private folder, until they are a study."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.utils import timezone

from annotation.models import RatingsImport
from studies.external.records import ImportRefusedError

MOST_BYTES = 100 * 2**20
MOST_JSON_BYTES = 10 * 2**20  # a JSON file is read whole, into memory
LONGEST_NAME = 255  # bytes, as file systems have it
KEPT_FOR = timedelta(days=1)
LINES = (".csv", ".tsv", ".txt", ".jsonl", ".ndjson")


class TooLargeForThePageError(ImportRefusedError):
    """The command takes files of any size."""


def receive(files: Sequence[UploadedFile], *, tool: str, by: Any) -> RatingsImport:
    """A row with the files in its folder. Raises ``ImportRefusedError`` for no files, files of one
    name, and files too large."""
    names = _checked(files)
    discard_old()
    sizes = [{"name": name, "size": file.size} for name, file in zip(names, files, strict=True)]
    brought = RatingsImport.objects.create(tool=tool, files=sizes, created_by=by)
    brought.folder.mkdir(parents=True, mode=0o700)
    for name, file in zip(names, files, strict=True):
        with (brought.folder / name).open("wb") as out:
            for chunk in file.chunks():
                out.write(chunk)
    return brought


def paths_of(brought: RatingsImport) -> list[Path]:
    """The files, in the order they came. Raises ``ImportRefusedError`` where they are gone."""
    paths = [brought.folder / name for name in brought.names]
    if not all(path.exists() for path in paths):
        raise ImportRefusedError(["The files are no longer here. Choose them again."])
    return paths


def count_lines(path: Path) -> int | None:
    """How many lines a table has; None where lines say nothing of how much is in it."""
    if path.suffix.lower() not in LINES:
        return None
    with path.open("rb") as file:
        return sum(piece.count(b"\n") for piece in iter(lambda: file.read(2**20), b""))


def discard_old() -> None:
    """Remove what nobody imported within a day, and folders whose row is gone."""
    old = RatingsImport.objects.filter(created_at__lt=timezone.now() - KEPT_FOR)
    for brought in old.exclude(state__in=RatingsImport.AT_WORK):
        brought.discard_files()
        brought.delete()
    root = settings.VAR_DIR / "ratings"
    # Folders first: each has its row before it is there.
    folders = list(root.iterdir()) if root.exists() else []
    known = set(RatingsImport.objects.values_list("token", flat=True))
    for folder in folders:
        if folder.name not in known:
            shutil.rmtree(folder, ignore_errors=True)


def _checked(files: Sequence[UploadedFile]) -> list[str]:
    """Their names."""
    if not files:
        raise ImportRefusedError(["Choose a file."])
    if sum(file.size or 0 for file in files) > MOST_BYTES:
        raise TooLargeForThePageError([f"The files have more than {MOST_BYTES // 2**20} MB."])
    names = [_name(file) for file in files]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ImportRefusedError([f"Two files are called {twice[0]}. Give them other names."])
    for name, file in zip(names, files, strict=True):
        if name.lower().endswith(".json") and (file.size or 0) > MOST_JSON_BYTES:
            raise TooLargeForThePageError(
                [
                    f"{name} has more than {MOST_JSON_BYTES // 2**20} MB, and JSON is read whole. "
                    "Bring it as JSON lines or as a table."
                ]
            )
    return names


def _name(file: UploadedFile) -> str:
    """Its own name, which the command and the problems tell; Django has cut the folders off."""
    name = file.name or ""
    if name in ("", ".", "..") or set(name) & {"/", "\0"} or len(name.encode()) > LONGEST_NAME:
        raise ImportRefusedError([f"{name!r} cannot be a file's name. Give it a shorter one."])
    return name
