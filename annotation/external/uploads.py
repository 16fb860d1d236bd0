"""Uploaded files that a form carries from step to step: the server keeps none of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.core import signing
from django.core.files.uploadedfile import UploadedFile

from studies.external.records import ImportRefusedError

MOST_BYTES = 10 * 2**20
MOST_CARRIED = 2_000_000  # letters; a form may have 2.5 MB besides its files
LONGEST_NAME = 255  # bytes, as file systems have it
VALID_SECONDS = 24 * 60 * 60


class TooLargeForThePageError(ImportRefusedError):
    """The command takes files of any size."""


@dataclass(frozen=True, slots=True)
class Upload:
    name: str
    content: bytes


def uploaded(files: Sequence[UploadedFile]) -> list[Upload]:
    """Raises ``ImportRefusedError`` for no files, files of one name, and files too large."""
    if not files:
        raise ImportRefusedError(["Choose a file."])
    if sum(file.size or 0 for file in files) > MOST_BYTES:
        raise TooLargeForThePageError([f"The files have more than {MOST_BYTES // 2**20} MB."])
    uploads = [Upload(_name(file), file.read()) for file in files]
    names = [upload.name for upload in uploads]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ImportRefusedError([f"Two files are called {twice[0]}. Give them other names."])
    return uploads


def carried(uploads: Sequence[Upload], *, by: Any) -> str:
    """The files as a signed text for a hidden field of this person's form."""
    content = [[upload.name, upload.content.decode("latin-1")] for upload in uploads]
    text = signing.dumps(content, salt=_salt(by), compress=True)
    if len(text) > MOST_CARRIED:
        raise TooLargeForThePageError(["The files are too large for this page."])
    return text


def unpacked(text: str, *, by: Any) -> list[Upload]:
    """Raises ``ImportRefusedError`` for what this person's form did not carry within a day."""
    try:
        content = signing.loads(text, salt=_salt(by), max_age=VALID_SECONDS)
    except signing.BadSignature as error:
        raise ImportRefusedError(["The files are no longer here. Choose them again."]) from error
    return [Upload(name, content.encode("latin-1")) for name, content in content]


@contextmanager
def as_files(uploads: Sequence[Upload]) -> Iterator[list[Path]]:
    """The uploads in a folder that is gone afterwards."""
    with TemporaryDirectory(prefix="concord-import-") as folder:
        paths = [Path(folder) / upload.name for upload in uploads]
        for path, upload in zip(paths, uploads, strict=True):
            path.write_bytes(upload.content)
        yield paths


def _name(file: UploadedFile) -> str:
    """Its own name, which the command and the problems tell; Django has cut the folders off."""
    name = file.name or ""
    if name in ("", ".", "..") or set(name) & {"/", "\0"} or len(name.encode()) > LONGEST_NAME:
        raise ImportRefusedError([f"{name!r} cannot be a file's name. Give it a shorter one."])
    return name


def _salt(by: Any) -> str:
    return f"annotation.external.uploads.{by.pk}"
