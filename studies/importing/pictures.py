"""Every picture that a table names: found, looked into, cleaned and laid aside. Django-free."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from studies.importing.archives import Found, MediaLibrary, UnreadableFile
from studies.importing.items import NamedFile
from studies.importing.problems import Problem
from studies.importing.tables import visible
from studies.media import UnplayableMedia, probe_image, strip_metadata

_SUFFIXES = {"jpeg": "jpg"}


@dataclass(frozen=True, slots=True)
class Picture:
    """A cleaned picture laid aside as ``stored`` in the staging folder. Sizes in pixels."""

    path: str
    stored: str
    content_type: str
    width: int
    height: int
    animated: bool
    sha256: str


@dataclass(frozen=True, slots=True)
class PictureCheck:
    """``pictures`` by the name the table uses; ``unused`` are paths that no row names."""

    pictures: dict[str, Picture]
    problems: tuple[Problem, ...]
    unused: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "pictures": {name: asdict(picture) for name, picture in self.pictures.items()},
            "problems": [asdict(problem) for problem in self.problems],
            "unused": list(self.unused),
        }

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> PictureCheck:
        return cls(
            pictures={name: Picture(**facts) for name, facts in stored["pictures"].items()},
            problems=tuple(Problem(**problem) for problem in stored["problems"]),
            unused=tuple(stored["unused"]),
        )


def check_pictures(
    files: Sequence[NamedFile],
    *,
    library: MediaLibrary,
    staging: Path,
    at_hand: Collection[tuple[str, str]] = (),
) -> PictureCheck:
    """Clean each named picture into ``staging`` and say what cannot be shown.

    ``at_hand`` are (item id, file name) pairs that the study holds already: their file need not
    come again. Each file is looked into once, however many rows name it.
    """
    staging.mkdir(parents=True, exist_ok=True)
    pictures: dict[str, Picture] = {}
    problems: list[Problem] = []
    used: set[str] = set()
    verdicts: dict[str, Picture | tuple[str, str]] = {}
    for named in files:
        found = library.find(named.file)
        if not isinstance(found, Found):
            if (named.item_id, named.file) not in at_hand:
                problems.append(_problem(named, found.sentence, found.fix))
            continue
        used.add(found.path)
        if found.path not in verdicts:
            verdicts[found.path] = _judge(found, staging)
        verdict = verdicts[found.path]
        if isinstance(verdict, Picture):
            pictures[named.file] = verdict
        else:
            problems.append(_problem(named, *verdict))
    unused = tuple(path for path in library.paths() if path not in used)
    return PictureCheck(pictures, tuple(problems), unused)


def _judge(found: Found, staging: Path) -> Picture | tuple[str, str]:
    """The cleaned picture, or what is wrong with it and what to do."""
    try:
        data = found.source.read(found.path)
        facts = probe_image(data)
        clean = strip_metadata(data, facts.format)
    except (UnreadableFile, UnplayableMedia) as refusal:
        return refusal.sentence.rstrip("."), refusal.fix
    sha256 = hashlib.sha256(clean).hexdigest()
    stored = f"{sha256}.{_SUFFIXES.get(facts.format, facts.format)}"
    (staging / stored).write_bytes(clean)
    return Picture(
        path=found.path,
        stored=stored,
        content_type=facts.content_type,
        width=facts.width,
        height=facts.height,
        animated=facts.animated,
        sha256=sha256,
    )


def _problem(named: NamedFile, sentence: str, fix: str) -> Problem:
    return Problem(named.line, named.field, visible(named.file), sentence, fix)
