"""Every file that a table names: found or fetched, looked into, cleaned, laid aside. Django-free.

What was looked into is written down as it goes (``verdicts.jsonl`` beside the staged files), so
that a check that was killed goes on where it stopped.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from studies.importing.archives import (
    MAX_CLIP_BYTES,
    MAX_FILE_BYTES,
    Found,
    MediaLibrary,
    NotFound,
    UnreadableFile,
)
from studies.importing.fetching import FetchFailed, fetch
from studies.importing.items import NamedFile
from studies.importing.problems import Problem
from studies.importing.tables import visible
from studies.media import UnplayableMedia, is_clip, probe_image, strip_metadata

SEEN_THROUGH = "has transparent parts: people see grey through them, and models see white"
_SUFFIXES = {"jpeg": "jpg"}
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Medium:
    """A cleaned file laid aside as ``stored`` in the staging folder; ``silent`` and ``poster`` lie
    beside it where there are any. Sizes in pixels, ``duration`` in seconds."""

    path: str
    stored: str
    kind: str
    content_type: str
    width: int | None
    height: int | None
    animated: bool
    sha256: str
    source_sha256: str
    duration: float | None = None
    has_audio: bool = False
    silent: str = ""
    poster: str = ""
    preparation: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @classmethod
    def from_json(cls, facts: dict[str, Any]) -> Medium:
        lists = {name: tuple(facts[name]) for name in ("preparation", "warnings")}
        return cls(**{**facts, **lists})


@dataclass(frozen=True, slots=True)
class MediaCheck:
    """``media`` by the name or address the table uses; ``unused`` are paths no row names;
    ``elsewhere`` names as the table has them -> paths in another folder that were taken for them.
    """

    media: dict[str, Medium]
    problems: tuple[Problem, ...]
    unused: tuple[str, ...]
    elsewhere: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Handling:
    """How files are treated. ``convert``: clips that not every browser plays are transcoded;
    ``private_allowed``: addresses may lead into a private network."""

    convert: bool = False
    private_allowed: bool = False


def check_media(
    files: Sequence[NamedFile],
    *,
    library: MediaLibrary,
    staging: Path,
    at_hand: Mapping[tuple[str, str], str] | None = None,
    handling: Handling = Handling(),  # noqa: B008 - frozen
    on_progress: Progress = lambda done, total: None,
) -> MediaCheck:
    """Clean each named file into ``staging`` and say what cannot be shown.

    ``at_hand``: (item id, file or address) that the study holds already -> hash of the file as it
    came; such a file need not come again. Each file is looked into once, however many rows name it.
    """
    at_hand = at_hand or {}
    workshop = _Workshop(staging, handling)
    media: dict[str, Medium] = {}
    problems: list[Problem] = []
    names = _Names(files, library)
    for n, named in enumerate(files):
        on_progress(n, len(files))
        held = at_hand.get((named.item_id, named.file))
        if named.is_url:
            if held is not None:
                continue
            verdict = workshop.fetched(named.file)
        else:
            found = names.file_of(named)
            if isinstance(found, NotFound) and held is not None:
                continue
            if isinstance(found, NotFound):
                verdict = found.sentence, found.fix
            else:
                verdict = workshop.judged(found) if isinstance(found, Found) else found
        if isinstance(verdict, Medium):
            media[named.file] = verdict
        else:
            problems.append(_problem(named, *verdict))
    on_progress(len(files), len(files))
    unused = tuple(path for path in library.paths() if path not in names.used)
    workshop.close()
    return MediaCheck(media, tuple(problems), unused, names.elsewhere)


class _Names:
    """Which file each row means: none is given to two names."""

    def __init__(self, files: Sequence[NamedFile], library: MediaLibrary) -> None:
        self._library = library
        self._exact = _exactly_named(files, library)
        self._taken: dict[str, NamedFile] = {}
        self.used: set[str] = set()
        self.elsewhere: dict[str, str] = {}

    def file_of(self, named: NamedFile) -> Found | NotFound | Refusal:
        found = self._library.find(named.file)
        if isinstance(found, NotFound):
            return found
        if found.loosely:
            if other := self._exact.get(found.path):
                return _of_another(found.path, other)
            first = self._taken.setdefault(found.path, named)
            if first.file != named.file:
                return _of_another(found.path, first.line)
            self.elsewhere[named.file] = found.path
        self.used.add(found.path)
        return found


def _exactly_named(files: Sequence[NamedFile], library: MediaLibrary) -> dict[str, int]:
    """Path -> the line that names it with its own folder, or as far as it has one."""
    lines: dict[str, int] = {}
    for named in files:
        found = None if named.is_url else library.find(named.file, advise=False)
        if isinstance(found, Found) and not found.loosely:
            lines.setdefault(found.path, named.line)
    return lines


def _of_another(path: str, line: int) -> Refusal:
    """A name that fits only without its folder, while another row has the file: it is not this."""
    return (
        f"No file in this folder: {path} is that of line {line}",
        "Add the file, or mend the name.",
    )


Refusal = tuple[str, str]


class _Workshop:
    """Looks into files one after another and remembers every verdict."""

    def __init__(self, staging: Path, handling: Handling) -> None:
        staging.mkdir(parents=True, exist_ok=True)
        self.staging = staging
        self.handling = handling
        self._work = staging / "work"
        self._log_path = staging / "verdicts.jsonl"
        self._verdicts = _read_log(self._log_path)
        self._log = self._log_path.open("a", encoding="utf-8")

    def judged(self, found: Found) -> Medium | Refusal:
        key = f"{found.path} {found.source.mark(found.path)} {self.handling.convert}"
        if key not in self._verdicts:
            self._remember(
                key, self._judge(found.path, lambda to: found.source.copy(found.path, to))
            )
        return self._verdicts[key]

    def fetched(self, url: str) -> Medium | Refusal:
        key = f"{url} {self.handling.convert}"
        if key not in self._verdicts:
            private = self.handling.private_allowed
            verdict = self._judge(
                url, lambda to: fetch(url, to, max_bytes=MAX_CLIP_BYTES, private_allowed=private)
            )
            self._verdicts[key] = verdict
            if isinstance(verdict, Medium):  # what did not come is asked for again
                self._remember(key, verdict)
        return self._verdicts[key]

    def close(self) -> None:
        self._log.close()
        shutil.rmtree(self._work, ignore_errors=True)

    def _judge(self, path: str, bring: Callable[[Path], None]) -> Medium | Refusal:
        self._work.mkdir(exist_ok=True)
        for left in self._work.iterdir():
            left.unlink()
        raw = self._work / "raw"
        try:
            bring(raw)
            return self._prepared(path, raw)
        except (UnreadableFile, UnplayableMedia, FetchFailed) as refusal:
            return refusal.sentence.rstrip("."), refusal.fix

    def _prepared(self, path: str, raw: Path) -> Medium:
        with raw.open("rb") as file:
            came_as = hashlib.file_digest(file, "sha256").hexdigest()
            file.seek(0)
            head = file.read(1024)
        if is_clip(head):
            medium = self._clip(path, raw)
        elif raw.stat().st_size > MAX_FILE_BYTES:
            raise UnreadableFile(
                f"The file is larger than {MAX_FILE_BYTES // 2**20} MB",
                "Scale the picture down: a long side of 1600 pixels is enough for rating.",
            )
        else:
            medium = self._picture(path, raw.read_bytes())
        return replace(medium, source_sha256=came_as)

    def _picture(self, path: str, data: bytes) -> Medium:
        facts = probe_image(data)
        clean = strip_metadata(data, facts.format)
        sha256 = hashlib.sha256(clean).hexdigest()
        stored = f"{sha256}.{_SUFFIXES.get(facts.format, facts.format)}"
        (self.staging / stored).write_bytes(clean)
        return Medium(
            path=path,
            stored=stored,
            kind="image",
            content_type=facts.content_type,
            width=facts.width,
            height=facts.height,
            animated=facts.animated,
            sha256=sha256,
            source_sha256="",
            preparation=("stripped: metadata left out",) if clean != data else (),
            warnings=(SEEN_THROUGH,) if facts.transparent else (),
        )

    def _clip(self, path: str, raw: Path) -> Medium:
        from studies.clips.preparing import prepare_clip  # loads FFmpeg

        clip = prepare_clip(raw, self._work, convert=self.handling.convert)
        with clip.media.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        return Medium(
            path=path,
            stored=self._laid_aside(clip.media, sha256),
            kind=clip.kind,
            content_type=clip.content_type,
            width=clip.width,
            height=clip.height,
            animated=False,
            sha256=sha256,
            source_sha256="",
            duration=clip.duration,
            has_audio=clip.has_audio,
            silent=self._laid_aside(clip.silent, f"{sha256}-silent"),
            poster=self._laid_aside(clip.poster, f"{sha256}-poster"),
            preparation=clip.done,
            warnings=clip.warnings,
        )

    def _laid_aside(self, file: Path | None, name: str) -> str:
        if file is None:
            return ""
        stored = f"{name}{file.suffix}"
        file.replace(self.staging / stored)
        return stored

    def _remember(self, key: str, verdict: Medium | Refusal) -> None:
        self._verdicts[key] = verdict
        plain = asdict(verdict) if isinstance(verdict, Medium) else list(verdict)
        self._log.write(json.dumps([key, plain]) + "\n")
        self._log.flush()


def _read_log(path: Path) -> dict[str, Medium | Refusal]:
    """Verdicts of an earlier look; the last line may have been cut off by a kill."""
    verdicts: dict[str, Medium | Refusal] = {}
    if not path.exists():
        return verdicts
    for line in path.read_text("utf-8").split("\n"):
        try:
            key, plain = json.loads(line)
        except ValueError:
            continue
        if isinstance(plain, dict):
            medium = Medium.from_json(plain)
            if (path.parent / medium.stored).exists():
                verdicts[key] = medium
        else:
            verdicts[key] = (plain[0], plain[1])
    return verdicts


def _problem(named: NamedFile, sentence: str, fix: str) -> Problem:
    return Problem(named.line, named.field, visible(named.file), sentence, fix)
