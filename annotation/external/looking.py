"""What the page shows of uploaded files before anything is imported."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from annotation.external.collecting import Collected
from annotation.external.forms import RatingsForm
from annotation.external.gathering import Gathering
from annotation.external.uploads import count_lines, paths_of
from annotation.external.writing import refuse_unknown
from annotation.models import RatingsImport
from studies.external.asked import names
from studies.external.qualtrics import PERSONAL
from studies.external.records import ImportRefusedError
from studies.external.sources import rows

HEAD = 5000
"""As many ratings are read for a preview; more are a worker's to import."""

SHOWN_ROWS = 5
SHOWN_COLUMNS = 12


@dataclass(frozen=True, slots=True)
class FirstRows:
    """Of the first file, where it is a table: all its columns, those ``shown``, and ``cells``."""

    columns: list[str] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    cells: list[list[Any]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Preview:
    """The ratings at the head of the files: ``found`` where all of them were right."""

    gathering: Gathering
    found: Collected | None
    problems: list[str]

    @property
    def is_whole(self) -> bool:
        """Whether these are all ratings."""
        return not self.gathering.is_full


def first_rows(brought: RatingsImport, *, records: str) -> FirstRows:
    """Raises ``ImportRefusedError`` where the files are gone."""
    path = paths_of(brought)[0]
    if brought.tool in ("label-studio", "potato"):
        return FirstRows()
    try:
        found = list(islice(rows(path, records=records), SHOWN_ROWS))
    except ImportRefusedError as error:
        return FirstRows(problems=error.problems)
    columns = [name for name in found[0][1] if name] if found else []
    # Addresses and names of respondents are not read, so they are not shown either.
    shown = [name for name in columns if not brought.tool or name not in PERSONAL][:SHOWN_COLUMNS]
    cells = [[row.get(name, "") for name in shown] for _, row in found]
    return FirstRows(columns, shown, cells)


def preview(brought: RatingsImport, form: RatingsForm) -> Preview:
    """What a valid form makes of the head of the files. Raises where they are gone."""
    told = form.cleaned_data
    source, files = form.source(paths_of(brought))
    gathering = Gathering(source, told["scales"], told["default"], most=HEAD)
    try:
        for path in files:
            gathering.take(path)
        found = gathering.finish()
        if not gathering.is_full:
            refuse_unknown(names(told["lower"]), found)
        return Preview(gathering, found, [])
    except ImportRefusedError as error:
        return Preview(gathering, None, error.problems)


def described(brought: RatingsImport) -> list[dict[str, Any]]:
    """Name, size and lines of each file."""
    paths = paths_of(brought)
    return [
        {**file, "lines": count_lines(path)}
        for file, path in zip(brought.files, paths, strict=True)
    ]
