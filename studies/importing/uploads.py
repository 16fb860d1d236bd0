"""Uploads on their way into a study: files laid aside, checked, previewed, confirmed once."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.utils import timezone

from studies.importing.archives import (
    Files,
    MediaLibrary,
    MediaSource,
    UnsafeArchive,
    ZipArchive,
    is_litter,
)
from studies.importing.descriptor_rows import descriptor_counts, write_descriptors
from studies.importing.descriptors import parse_descriptors
from studies.importing.pictures import PictureCheck, check_pictures
from studies.importing.planning import ItemPlan, existing_items, parse_for_study, plan_items
from studies.importing.problems import Problem
from studies.importing.writing import FROZEN, ImportRefused, write_items
from studies.lifecycle import DesignFrozen
from studies.models import ImportUpload, Study
from studies.models.importing import KEPT_FOR

SHOWN_FIRST = 12


class AlreadyConfirmed(Exception):
    """The upload is written, or being written, by an earlier click."""


def start_upload(*, study: Study, kind: str, by) -> ImportUpload:
    """A row with an empty folder. Uploads that nobody confirmed for a day are removed.

    Raises DesignFrozen for items of a launched study.
    """
    if kind == ImportUpload.Kind.ITEMS and not study.is_draft:
        raise DesignFrozen(FROZEN)
    discard_stale_uploads()
    upload = ImportUpload.objects.create(study=study, kind=kind, created_by=by)
    upload.folder.mkdir(parents=True)
    return upload


def discard_stale_uploads() -> None:
    for upload in ImportUpload.objects.filter(created_at__lt=timezone.now() - KEPT_FOR):
        upload.discard_files()
        upload.delete()


def save_table(upload: ImportUpload, file: UploadedFile) -> None:
    """Lay the table aside, in place of an earlier one."""
    _save(file, upload.folder / "table")
    upload.table_name = _base_name(file)[:200]
    upload.save(update_fields=["table_name"])


def save_pictures(upload: ImportUpload, files: Iterable[UploadedFile]) -> None:
    """Lay pictures and ZIP files aside, beside those that came earlier. Their names stay outside
    the file system."""
    index = _read_json(upload.folder / "names.json", [])
    batch = 1 + max((entry["batch"] for entry in index), default=0)
    (upload.folder / "files").mkdir(exist_ok=True)
    for file in files:
        stored = f"{len(index):06d}"
        _save(file, upload.folder / "files" / stored)
        index.append({"name": _base_name(file), "stored": stored, "batch": batch})
    _write_json(upload.folder / "names.json", index)


def check_upload(upload: ImportUpload) -> dict[str, Any]:
    """Check everything, keep the result in the folder, and set the state. Returns the result."""
    table = (upload.folder / "table").read_bytes()
    if upload.kind == ImportUpload.Kind.ITEMS:
        result = _check_items(upload, table)
    else:
        result = _check_descriptors(upload, table)
    _write_json(upload.folder / "check.json", result)
    refused = bool(result["problems"])
    upload.state = upload.State.REFUSED if refused else upload.State.READY
    upload.summary = result["counts"]
    upload.save(update_fields=["state", "summary"])
    return result


def load_check(upload: ImportUpload) -> dict[str, Any] | None:
    """The result of the last check; None where the files are gone."""
    return _read_json(upload.folder / "check.json", None)


def problems_of(check: dict[str, Any]) -> list[Problem]:
    return [Problem(**problem) for problem in check["problems"]]


def confirm_upload(*, upload: ImportUpload) -> dict[str, int]:
    """Write what was checked. Returns the counts of what was written.

    Raises AlreadyConfirmed for a second click; ImportRefused where the check no longer holds, with
    nothing written; what the writing raises.
    """
    with _as_only_writer(upload):
        ready = ImportUpload.objects.filter(pk=upload.pk, state=ImportUpload.State.READY)
        if not ready.update(state=ImportUpload.State.WRITING):
            raise AlreadyConfirmed
        try:
            counts = _write(upload)
        except ImportRefused:
            check_upload(upload)
            raise
        except BaseException:
            ImportUpload.objects.filter(pk=upload.pk).update(state=ImportUpload.State.READY)
            raise
        upload.state = upload.State.DONE
        upload.summary = counts
        upload.save(update_fields=["state", "summary"])
    upload.discard_files()
    return counts


def recover_if_killed(upload: ImportUpload) -> None:
    """Make an upload ready again whose writer was killed: what it had begun was never written."""
    if upload.state != upload.State.WRITING:
        return
    # Where its writer lives, the lock is taken and all stays as it is.
    with suppress(AlreadyConfirmed), _as_only_writer(upload):
        writing = ImportUpload.objects.filter(pk=upload.pk, state=upload.State.WRITING)
        writing.update(state=upload.State.READY)
    upload.refresh_from_db()


@contextmanager
def _as_only_writer(upload: ImportUpload) -> Iterator[None]:
    """Hold the upload's lock file, which the system frees however a process ends.

    Raises AlreadyConfirmed where another process holds it, or the files are gone.
    """
    try:
        handle = (upload.folder / "writer.lock").open("w")
    except FileNotFoundError as gone:
        raise AlreadyConfirmed from gone
    with handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as held:
            raise AlreadyConfirmed from held
        yield


def staged_picture(upload: ImportUpload, number: int) -> tuple[Path, str] | None:
    """Path and content type of one of the first pictures of a preview, counted from 0."""
    check = load_check(upload) or {}
    for row in check.get("first", []):
        if row["number"] == number and row["stored"]:
            return upload.folder / "staging" / row["stored"], row["content_type"]
    return None


def _write(upload: ImportUpload) -> dict[str, int]:
    study = upload.study
    table = (upload.folder / "table").read_bytes()
    if upload.kind == ImportUpload.Kind.DESCRIPTORS:
        ids = set(study.items.values_list("external_id", flat=True))
        parsed = parse_descriptors(table, item_ids=ids)
        if parsed.problems:
            raise ImportRefused(parsed.problems)
        return write_descriptors(study=study, records=parsed.records)
    existing = existing_items(study)
    plan = plan_items(
        parsed=parse_for_study(table, existing),
        pictures=PictureCheck.from_json(load_check(upload)["pictures"]),
        existing=existing,
    )
    return write_items(study=study, plan=plan, staging=upload.folder / "staging")


# The check of each kind


def _check_items(upload: ImportUpload, table: bytes) -> dict[str, Any]:
    existing = existing_items(upload.study)
    parsed = parse_for_study(table, existing)
    with ExitStack() as opened:
        sources, problems = _sources(upload, opened)
        library = MediaLibrary(sources)
        pictures = check_pictures(
            parsed.files,
            library=library,
            staging=upload.folder / "staging",
            at_hand={(item.external_id, item.source_name) for item in existing.values()},
        )
    plan = plan_items(parsed=parsed, pictures=pictures, existing=existing)
    return {
        "counts": plan.counts,
        "problems": [asdict(problem) for problem in [*problems, *plan.problems]],
        "warnings": list(plan.warnings),
        "columns": [asdict(column) for column in parsed.columns],
        "delimiter": parsed.delimiter,
        "n_rows": parsed.n_rows,
        "n_files": len(library),
        "pictures": pictures.to_json(),
        "first": _first_rows(plan),
    }


def _first_rows(plan: ItemPlan) -> list[dict[str, Any]]:
    return [
        {
            "number": number,
            "item_id": row.record.item_id,
            "file": row.record.file,
            "stored": row.picture.stored if row.picture else "",
            "content_type": row.picture.content_type if row.picture else "",
            "width": row.picture.width if row.picture else row.item.width,
            "height": row.picture.height if row.picture else row.item.height,
            "media_url": "" if row.picture else row.item.media_url,
        }
        for number, row in enumerate(plan.rows[:SHOWN_FIRST])
    ]


def _sources(upload: ImportUpload, opened: ExitStack) -> tuple[list[MediaSource], list[Problem]]:
    """The uploaded pictures and archives in the order they came, and what is wrong with them."""
    sources: list[MediaSource] = []
    problems: list[Problem] = []
    chosen: set[tuple[int, str]] = set()
    for entry in _read_json(upload.folder / "names.json", []):
        name, path = entry["name"], upload.folder / "files" / entry["stored"]
        if (entry["batch"], name) in chosen and not is_litter(name):
            # Browsers send a folder's files without their folders.
            wrong = "Two of the chosen files have this name, perhaps in different folders"
            problems.append(Problem(0, "pictures", name, wrong, "Choose a ZIP of the folder."))
        chosen.add((entry["batch"], name))
        if not name.lower().endswith(".zip"):
            sources.append(Files({name: path}))
            continue
        try:
            archive = ZipArchive(path)
        except UnsafeArchive as refusal:
            problems.append(Problem(0, "pictures", name, refusal.sentence, refusal.fix))
        else:
            opened.callback(archive.close)
            sources.append(archive)
    return sources, problems


def _check_descriptors(upload: ImportUpload, table: bytes) -> dict[str, Any]:
    study = upload.study
    ids = set(study.items.values_list("external_id", flat=True))
    parsed = parse_descriptors(table, item_ids=ids)
    refused = len({problem.line for problem in parsed.problems if problem.line})
    kinds: dict[str, int] = {}
    for record in parsed.records:
        kinds[record.kind] = kinds.get(record.kind, 0) + 1
    return {
        "counts": {**descriptor_counts(study, parsed.records), "refused": refused},
        "problems": [asdict(problem) for problem in parsed.problems],
        "kinds": kinds,
        "n_rows": len(parsed.records) + refused,
        "first": [asdict(record) for record in parsed.records[:SHOWN_FIRST]],
    }


# Files


def _base_name(file: UploadedFile) -> str:
    return (file.name or "").replace("\\", "/").rsplit("/", 1)[-1]


def _save(file: UploadedFile, path: Path) -> None:
    with path.open("wb") as out:
        for chunk in file.chunks():
            out.write(chunk)


def _read_json(path: Path, default: Any) -> Any:
    return json.loads(path.read_text("utf-8")) if path.exists() else default


def _write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value), "utf-8")
