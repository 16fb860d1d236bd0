"""A bundle's ZIP as somebody sent it: opened with care, whatever is in it."""

from __future__ import annotations

import csv
import hashlib
import json
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import IO, Any, cast
from zipfile import BadZipFile, ZipFile

from scoring.exports.bundle.packing import SUMS

LARGEST_DOCUMENT = 512 * 2**20
"""Bytes of a file that is read whole."""

LONGEST_LINE = 64 * 2**20
"""Bytes of a row: a ZIP of a few kilobytes may hold one of gigabytes."""

DAMAGED = (BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)
"""What reading an entry raises: cut off, changed, packed in a way we do not know, or encrypted."""


class UnreadableBundle(Exception):
    """The file is no bundle that this software can read; the message says why."""


def opened(path: Path) -> ZipFile:
    """Raises UnreadableBundle for what is no ZIP, or has two files of one name: programs differ
    in which of the two they read."""
    try:
        bundle = ZipFile(path)
    except OSError as error:
        raise UnreadableBundle(f"{path} cannot be opened: {error.strerror}.") from error
    except (*DAMAGED, ValueError) as error:
        raise UnreadableBundle(f"{path} is no ZIP file, or was cut off.") from error
    twice = [name for name, n in Counter(bundle.namelist()).items() if n > 1]
    if twice:
        bundle.close()
        raise UnreadableBundle(f"The bundle has two files called {twice[0]}.")
    return bundle


def json_object(bundle: ZipFile, name: str) -> dict[str, Any]:
    try:
        if bundle.getinfo(name).file_size > LARGEST_DOCUMENT:
            raise UnreadableBundle(f"{name} has more than {LARGEST_DOCUMENT // 2**20} MB.")
        document = json.loads(bundle.read(name))
    except KeyError as error:
        raise UnreadableBundle(f"The bundle has no {name}.") from error
    except (*DAMAGED, ValueError) as error:
        raise UnreadableBundle(f"{name} in the bundle cannot be read: {error}.") from error
    if not isinstance(document, dict):
        raise UnreadableBundle(f"{name} in the bundle is no JSON object.")
    return document


@contextmanager
def read_entry(bundle: ZipFile, name: str) -> Iterator[IO[bytes]]:
    """A file of the bundle; what is wrong with its bytes is raised as UnreadableBundle."""
    try:
        with bundle.open(name) as file:
            yield file
    except (*DAMAGED, csv.Error, UnicodeError) as error:
        raise UnreadableBundle(f"{name} in the bundle cannot be read: {error}.") from error


def lines_of(file: IO[bytes], name: str) -> Iterator[str]:
    """Lines in UTF-8, their ends included. Raises UnreadableBundle for an endless one."""
    buffered = BufferedReader(cast(RawIOBase, file), 2**20)
    while line := buffered.readline(LONGEST_LINE):
        if len(line) >= LONGEST_LINE:
            raise UnreadableBundle(f"{name}: a line has more than {LONGEST_LINE // 2**20} MB.")
        yield line.decode()


def wrong_sums(bundle: ZipFile) -> Iterator[str]:
    """The files whose checksum is wrong, missing or unexpected, each in a sentence."""
    if SUMS not in bundle.namelist():
        yield f"{SUMS}: it is missing, so no file can be checked"
        return
    with read_entry(bundle, SUMS) as file:
        lines = [line.rstrip("\r\n") for line in lines_of(file, SUMS)]
    listed = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    there = set(bundle.namelist()) - {SUMS}
    for name in sorted(listed.keys() | there):
        if name not in there:
            yield f"{name}: it is missing"
        elif name not in listed:
            yield f"{name}: it was added"
        elif _digest(bundle, name) != listed[name]:
            yield f"{name}: it was changed"


def _digest(bundle: ZipFile, name: str) -> str:
    try:
        with bundle.open(name) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except DAMAGED:
        return "damaged"
