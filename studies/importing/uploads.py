"""Uploads on their way into a study: files laid aside, results read. The work is a worker's.

A folder holds ``table``, ``files/`` with ``names.json``, and what the check left: ``check.json``
(what the preview shows), ``problems.csv`` (all of them) and ``staging/`` (cleaned media).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.utils import timezone

from studies.importing.archives import (
    Files,
    MediaSource,
    UnsafeArchive,
    ZipArchive,
    is_litter,
)
from studies.importing.problems import Problem
from studies.importing.reports import ProblemGroup
from studies.importing.writing import CLOSED, takes_items
from studies.models import ImportUpload, Study
from studies.models.importing import KEPT_FOR
from studies.refusals import DesignFrozen

_STAGED = re.compile(r"[0-9a-f]{64}(-poster|-silent)?\.[a-z0-9]{2,5}")


def start_upload(*, study: Study, kind: str, by, transcode: bool = False) -> ImportUpload:
    """A row with an empty folder. Uploads that nobody confirmed for a day are removed.

    Raises DesignFrozen for items of a study that is closed.
    """
    if kind == ImportUpload.Kind.ITEMS and not takes_items(study):
        raise DesignFrozen(CLOSED)
    discard_stale_uploads()
    upload = ImportUpload.objects.create(study=study, kind=kind, created_by=by, transcode=transcode)
    upload.folder.mkdir(parents=True)
    return upload


def discard_stale_uploads() -> None:
    for upload in ImportUpload.objects.filter(created_at__lt=timezone.now() - KEPT_FOR):
        if not upload.is_at_work:
            upload.discard_files()
            upload.delete()


def save_table(upload: ImportUpload, file: UploadedFile) -> None:
    """Lay the table aside, in place of an earlier one."""
    _save(file, upload.folder / "table")
    upload.table_name = _base_name(file)[:200]
    upload.save(update_fields=["table_name"])


def save_files(upload: ImportUpload, files: Iterable[UploadedFile]) -> None:
    """Lay media and ZIP files aside, beside those that came earlier. Their names stay outside the
    file system."""
    index = read_json(upload.folder / "names.json", [])
    batch = 1 + max((entry["batch"] for entry in index), default=0)
    (upload.folder / "files").mkdir(exist_ok=True)
    for file in files:
        stored = f"{len(index):06d}"
        _save(file, upload.folder / "files" / stored)
        index.append({"name": _base_name(file), "stored": stored, "batch": batch})
    write_json(upload.folder / "names.json", index)


def media_sources(
    upload: ImportUpload, opened: ExitStack
) -> tuple[list[MediaSource], list[Problem]]:
    """The uploaded files and archives in the order they came, and what is wrong with them."""
    sources: list[MediaSource] = []
    problems: list[Problem] = []
    chosen: set[tuple[int, str]] = set()
    for entry in read_json(upload.folder / "names.json", []):
        name, path = entry["name"], upload.folder / "files" / entry["stored"]
        if (entry["batch"], name) in chosen and not is_litter(name):
            # Browsers send a folder's files without their folders.
            wrong = "Two of the chosen files have this name, perhaps in different folders"
            problems.append(Problem(0, "files", name, wrong, "Choose a ZIP of the folder."))
        chosen.add((entry["batch"], name))
        if not name.lower().endswith(".zip"):
            sources.append(Files({name: path}))
            continue
        try:
            archive = ZipArchive(path)
        except UnsafeArchive as refusal:
            problems.append(Problem(0, "files", name, refusal.sentence, refusal.fix))
        else:
            opened.callback(archive.close)
            sources.append(archive)
    return sources, problems


def load_check(upload: ImportUpload) -> dict[str, Any] | None:
    """What the preview shows; None where nothing was checked yet, or the files are gone."""
    return read_json(upload.folder / "check.json", None)


def shown_groups(check: dict[str, Any]) -> list[ProblemGroup]:
    """The groups of a check with the problems that are spelt out."""
    return [
        ProblemGroup(
            group["number"],
            group["label"],
            tuple(Problem(**problem) for problem in group["problems"]),
            group["n"],
        )
        for group in check["groups"]
    ]


def staged_thumbnail(upload: ImportUpload, number: int) -> tuple[Path, str] | None:
    """Path and content type of a picture, or a clip's first frame, of the preview's first rows."""
    check = load_check(upload) or {}
    rows: Sequence[dict[str, Any]] = check.get("first", [])
    for row in rows:
        if row.get("number") == number and _STAGED.fullmatch(row.get("thumbnail", "")):
            return upload.folder / "staging" / row["thumbnail"], row["thumbnail_type"]
    return None


def _base_name(file: UploadedFile) -> str:
    return (file.name or "").replace("\\", "/").rsplit("/", 1)[-1]


def _save(file: UploadedFile, path: Path) -> None:
    with path.open("wb") as out:
        for chunk in file.chunks():
            out.write(chunk)


def read_json(path: Path, default: Any) -> Any:
    return json.loads(path.read_text("utf-8")) if path.exists() else default


def write_json(path: Path, value: Any) -> None:
    """Whole or not at all: a reader never meets half of it."""
    draft = path.with_suffix(".draft")
    draft.write_text(json.dumps(value), "utf-8")
    draft.replace(path)
