"""A bundle computed again from its own rows, in a database that holds nothing else."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from django.core.exceptions import ValidationError
from django.db import DatabaseError

from scoring.exports.bundle.comparing import Difference, count_numbers, differences
from scoring.exports.bundle.derived import Lines, derived_files
from scoring.exports.bundle.opening import (
    UnreadableBundle,
    json_object,
    lines_of,
    opened,
    read_entry,
    wrong_sums,
)
from scoring.exports.bundle.packing import (
    MANIFEST,
    READ_ME,
    REPORT,
    SCHEMA,
    of_the_study,
    software,
)
from scoring.exports.bundle.recalibrating import recalibrated
from scoring.exports.bundle.records import RECORDS, file_of, insert_records
from scoring.exports.bundle.scratch import scratch_database
from studies.models import Study

LONGEST_TEXT = 2**31 - 1
NOT_COMPARED = {"method.as_of"}
"""When the data were read is another moment now."""

MOST_REPLICATES = 100_000
"""More are not computed again: the bundle of a stranger must not keep us for days."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of it. ``warnings``: other software here than there. ``sums``: files whose
    checksum is wrong, missing or unexpected. ``files``: lines that the rows give differently, and
    calibrations that the descriptors do. ``not_computed``: calibrations that rest on what is not
    here any more, and why. ``numbers``: the report's differences, ``n_numbers`` how many it has.
    """

    study: str
    warnings: tuple[str, ...]
    sums: tuple[str, ...]
    files: tuple[Difference, ...]
    not_computed: tuple[str, ...]
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
    with opened(path) as bundle:
        manifest = json_object(bundle, MANIFEST)
        if manifest.get("schema") != SCHEMA:
            raise UnreadableBundle(
                f"The bundle is written as {manifest.get('schema')!r}; this version of Concord "
                f"reads {SCHEMA!r}. Use the version that made it: {manifest.get('software')}."
            )
        sums = tuple(wrong_sums(bundle))
        said = json_object(bundle, REPORT)
        with scratch_database():
            study, rows = _load(bundle)
            with _fitting_rows():
                files, lines = _compare_files(bundle, derived_files(study))
                again = recalibrated(study)
                found = _computed(study, said, on_step)
                told = {**of_the_study(study, found), "lines": {**rows, **lines}}
    files += (*again.differences, *_of_manifest(manifest, told))
    numbers = [one for one in differences(said, found) if one.where not in NOT_COMPARED]
    return Outcome(
        study=str(manifest.get("study")),
        warnings=tuple(_other_software(manifest.get("software"))),
        sums=sums,
        files=files,
        not_computed=again.not_computed,
        numbers=tuple(numbers),
        n_numbers=count_numbers(said),
        n_lines=sum(lines.values()),
    )


def _other_software(theirs: Any) -> Iterator[str]:
    known = theirs if isinstance(theirs, Mapping) else {}
    for name, here in software().items():
        if known.get(name) != here:
            yield (
                f"The bundle was made with {name} {known.get(name)}; here is {here}. "
                "Numbers may differ for that reason alone."
            )


def _load(bundle: ZipFile) -> tuple[Study, dict[str, int]]:
    """The bundle's rows in the database that is in force; how many each file has."""
    rows: dict[str, int] = {}
    for records in RECORDS:
        name = file_of(records)
        if name not in bundle.namelist():
            raise UnreadableBundle(f"{name}: the file is missing.")
        try:
            with read_entry(bundle, name) as file:
                rows[name] = insert_records(records, lines_of(file, name))
        except KeyError as error:
            raise UnreadableBundle(f"{name}: a row lacks something: {error}.") from error
        except (ArithmeticError, ValueError, TypeError, ValidationError, DatabaseError) as error:
            raise UnreadableBundle(f"{name}: a row cannot be read: {error}.") from error
    try:
        return Study.objects.get(), rows
    except (Study.DoesNotExist, Study.MultipleObjectsReturned) as error:
        raise UnreadableBundle("The bundle does not hold one study.") from error


@contextmanager
def _fitting_rows() -> Iterator[None]:
    """What is computed rests on rows that somebody may have changed in any way."""
    try:
        yield
    except UnreadableBundle:
        raise
    except Exception as error:  # the boundary of what a bundle's rows can do
        raise UnreadableBundle(
            "Its rows do not fit together, so that nothing can be computed from them "
            f"({type(error).__name__}: {error})."
        ) from error


def _computed(study: Study, said: dict[str, Any], on_step: Callable[[], None]) -> dict[str, Any]:
    """The report from the rows, with as many replicates as the bundle's has."""
    from scoring.analysis.codec import to_json
    from scoring.analysis.compute import REPLICATES, analyse

    method = said.get("method")
    wanted = method.get("replicates") if isinstance(method, dict) else None
    if not isinstance(wanted, int) or not 0 < wanted <= MOST_REPLICATES:
        wanted = REPLICATES
    # Through JSON, as the bundle's went: tuples are lists there.
    return json.loads(json.dumps(to_json(analyse(study, replicates=wanted, on_step=on_step))))


def _of_manifest(said: dict[str, Any], found: dict[str, Any]) -> tuple[Difference, ...]:
    """What the manifest says of the study and its files, against the rows."""
    known = {name: said.get(name) for name in found}
    lines = known["lines"]
    if isinstance(lines, dict):
        known["lines"] = {name: n for name, n in lines.items() if name not in (READ_ME, REPORT)}
    return tuple(differences(known, found, MANIFEST))


def _compare_files(
    bundle: ZipFile, derived: dict[str, Lines]
) -> tuple[tuple[Difference, ...], dict[str, int]]:
    """(what the rows give differently from the bundle's readable files, lines of each)."""
    found: list[Difference] = []
    n_lines: dict[str, int] = {}
    for name, lines in derived.items():
        if name not in bundle.namelist():
            found.append(Difference(name, "nothing", "a file"))
            continue
        n_lines[name] = 0
        for n, said, made in _side_by_side(bundle, name, lines()):
            n_lines[name] += bool(made)
            if said != made:
                found.extend(_cells(name, n, said, made))
    return tuple(found), n_lines


def _side_by_side(
    bundle: ZipFile, name: str, lines: Iterator[str]
) -> Iterator[tuple[int, list[str], list[str]]]:
    """(number, cells there, cells here) of each record; a line of a document is one cell."""
    with read_entry(bundle, name) as file, _long_cells():
        there = lines_of(file, name)
        if name.endswith(".csv"):
            pairs = zip_longest(csv.reader(there), csv.reader(lines), fillvalue=[])
        else:
            pairs = zip_longest(
                ([line] for line in there), ([line] for line in lines), fillvalue=[]
            )
        for n, (said, made) in enumerate(pairs, start=1):
            yield n, said, made


@contextmanager
def _long_cells() -> Iterator[None]:
    """Texts of people and prompts may be longer than the csv module takes for a cell."""
    before = csv.field_size_limit(LONGEST_TEXT)
    try:
        yield
    finally:
        csv.field_size_limit(before)


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
