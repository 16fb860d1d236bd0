"""A bundle computed again from its own rows, in a database that holds nothing else."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from django.db import DatabaseError

from scoring.exports.bundle.comparing import Difference, count_numbers, differences
from scoring.exports.bundle.derived import Lines, derived_files
from scoring.exports.bundle.packing import MANIFEST, REPORT, SCHEMA, SUMS, software
from scoring.exports.bundle.records import RECORDS, file_of, insert_records
from scoring.exports.bundle.scratch import scratch_database
from studies.models import Study

LONGEST_TEXT = 2**31 - 1
NOT_COMPARED = {"method.as_of"}
"""When the data were read is another moment now."""


class UnreadableBundle(Exception):
    """The file is no bundle that this software can read; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of it. ``warnings``: other software here than there. ``sums``: files whose
    checksum is wrong, missing or unexpected. ``files``: lines that the rows give differently.
    ``numbers``: the report's differences, ``n_numbers`` how many numbers it has.
    """

    study: str
    warnings: tuple[str, ...]
    sums: tuple[str, ...]
    files: tuple[Difference, ...]
    numbers: tuple[Difference, ...]
    n_numbers: int
    n_lines: int

    @property
    def last_digits(self) -> tuple[Difference, ...]:
        """Numbers that are equal but for their last digits."""
        return tuple(one for one in self.numbers if one.close)

    @property
    def wrong(self) -> tuple[Difference, ...]:
        """All that differs beyond that."""
        return (*self.files, *(one for one in self.numbers if not one.close))

    @property
    def is_equal(self) -> bool:
        """Whether nothing was changed and everything comes out again."""
        return not (self.sums or self.wrong)


def reproduce(path: Path, on_step: Callable[[], None] = lambda: None) -> Outcome:
    """Compute everything in a bundle again and say what differs.

    Raises UnreadableBundle for what is no bundle, or whose rows cannot be read.
    """
    with _opened(path) as bundle:
        manifest = _json(bundle, MANIFEST)
        if manifest.get("schema") != SCHEMA:
            raise UnreadableBundle(
                f"The bundle is written as {manifest.get('schema')!r}; this version of Concord "
                f"reads {SCHEMA!r}. Use the version that made it: {manifest.get('software')}."
            )
        sums = tuple(_wrong_sums(bundle))
        said = _json(bundle, REPORT)
        with scratch_database():
            study = _load(bundle)
            files, n_lines = _compare_files(bundle, derived_files(study))
            found = _computed(study, said, on_step)
    numbers = [one for one in differences(said, found) if one.where not in NOT_COMPARED]
    return Outcome(
        study=str(manifest.get("study")),
        warnings=tuple(_other_software(manifest.get("software", {}))),
        sums=sums,
        files=files,
        numbers=tuple(numbers),
        n_numbers=count_numbers(said),
        n_lines=n_lines,
    )


def _opened(path: Path) -> ZipFile:
    try:
        return ZipFile(path)
    except OSError as error:
        raise UnreadableBundle(f"{path} cannot be opened: {error.strerror}.") from error
    except BadZipFile as error:
        raise UnreadableBundle(f"{path} is no ZIP file, or was cut off.") from error


def _json(bundle: ZipFile, name: str) -> dict[str, Any]:
    try:
        document = json.loads(bundle.read(name))
    except KeyError as error:
        raise UnreadableBundle(f"The bundle has no {name}.") from error
    except (ValueError, BadZipFile) as error:
        raise UnreadableBundle(f"{name} in the bundle cannot be read: {error}.") from error
    if not isinstance(document, dict):
        raise UnreadableBundle(f"{name} in the bundle is no JSON object.")
    return document


def _other_software(theirs: dict[str, Any]) -> Iterator[str]:
    for name, here in software().items():
        if theirs.get(name) != here:
            yield (
                f"The bundle was made with {name} {theirs.get(name)}; here is {here}. "
                "Numbers may differ for that reason alone."
            )


def _wrong_sums(bundle: ZipFile) -> Iterator[str]:
    if SUMS not in bundle.namelist():
        yield f"{SUMS}: it is missing, so no file can be checked"
        return
    listed = {}
    for line in bundle.read(SUMS).decode().splitlines():
        digest, _, name = line.partition("  ")
        listed[name] = digest
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
    except BadZipFile:
        return "damaged"


def _load(bundle: ZipFile) -> Study:
    """The bundle's rows in the database that is in force."""
    for records in RECORDS:
        name = file_of(records)
        try:
            with bundle.open(name) as file:
                insert_records(records, io.TextIOWrapper(file, "utf-8"))
        except KeyError as error:
            missing = f"{error}" if name in bundle.namelist() else "the file is missing"
            raise UnreadableBundle(f"{name}: a row lacks something: {missing}.") from error
        except (ValueError, TypeError, DatabaseError, BadZipFile) as error:
            raise UnreadableBundle(f"{name}: a row cannot be read: {error}.") from error
    try:
        return Study.objects.get()
    except (Study.DoesNotExist, Study.MultipleObjectsReturned) as error:
        raise UnreadableBundle("The bundle does not hold one study.") from error


def _computed(study: Study, said: dict[str, Any], on_step: Callable[[], None]) -> dict[str, Any]:
    """The report from the rows, with as many replicates as the bundle's has."""
    from scoring.analysis.codec import to_json
    from scoring.analysis.compute import REPLICATES, analyse

    replicates = said.get("method", {}).get("replicates")
    wanted = replicates if isinstance(replicates, int) and replicates > 0 else REPLICATES
    # Through JSON, as the bundle's went: tuples are lists there.
    return json.loads(json.dumps(to_json(analyse(study, replicates=wanted, on_step=on_step))))


def _compare_files(
    bundle: ZipFile, derived: dict[str, Lines]
) -> tuple[tuple[Difference, ...], int]:
    """(what the rows give differently from the bundle's readable files, lines compared)."""
    found: list[Difference] = []
    n_lines = 0
    for name, lines in derived.items():
        if name not in bundle.namelist():
            found.append(Difference(name, "nothing", "a file"))
            continue
        for n, said, made in _side_by_side(bundle, name, lines()):
            n_lines += 1
            if said != made:
                found.extend(_cells(name, n, said, made))
    return tuple(found), n_lines


def _side_by_side(
    bundle: ZipFile, name: str, lines: Iterator[str]
) -> Iterator[tuple[int, list[str], list[str]]]:
    """(number, cells there, cells here) of each record; a line of a document is one cell."""
    with bundle.open(name) as file:
        there = io.TextIOWrapper(file, "utf-8", newline="")
        if name.endswith(".csv"):
            pairs = zip_longest(csv.reader(there), csv.reader(lines), fillvalue=[])
        else:
            pairs = zip_longest(
                ([line] for line in there), ([line] for line in lines), fillvalue=[]
            )
        for n, (said, made) in enumerate(pairs, start=1):
            yield n, said, made


def _cells(name: str, n: int, said: list[str], made: list[str]) -> Iterator[Difference]:
    if not said or not made:
        yield Difference(f"{name}, row {n}", _whole(said), _whole(made))
        return
    for place, (theirs, ours) in enumerate(zip_longest(said, made, fillvalue=""), start=1):
        if theirs != ours:
            where = f"{name}, row {n}" + (f", column {place}" if len(said) > 1 else "")
            yield Difference(where, repr(theirs.strip()[:80]), repr(ours.strip()[:80]))


def _whole(cells: list[str]) -> str:
    return repr(",".join(cells).strip()[:80]) if cells else "nothing"
