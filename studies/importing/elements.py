"""Reference pictures of cultural elements that come with the files of an import.

Items name them in ``element_picture``. One that did not come, or is no picture, is told and keeps
nobody from importing: the element is then shown by its name alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from django.core.files.base import ContentFile
from django.db import transaction

from studies.importing.archives import MediaLibrary
from studies.importing.items import ItemRecord, NamedFile
from studies.importing.media_files import MediaCheck, Medium, check_media
from studies.importing.wording import listed
from studies.models import ElementPicture, Item, Study
from studies.models.item import delete_media

_LISTED = 12


@dataclass(frozen=True)
class ElementCheck:
    """``pictures`` by the name that items have for them, laid aside in the staging folder."""

    pictures: dict[str, Medium] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    used: frozenset[str] = frozenset()

    def left_over(self, media: MediaCheck) -> MediaCheck:
        """``media`` without those unused files that are reference pictures."""
        return replace(media, unused=tuple(path for path in media.unused if path not in self.used))


def check_elements(
    study: Study, records: Iterable[ItemRecord], *, library: MediaLibrary, staging: Path
) -> ElementCheck:
    """Look into the files that the items' rows name as reference pictures."""
    lines: dict[str, int] = {}
    for record in records:
        if record.element_picture:
            lines.setdefault(record.element_picture, record.line)
    if not lines:
        return ElementCheck()
    held = {("", name): "" for name in study.element_pictures.values_list("name", flat=True)}
    files = [NamedFile(line, "", "element_picture", name) for name, line in lines.items()]
    found = check_media(files, library=library, staging=staging, at_hand=held)
    pictures = {name: medium for name, medium in found.media.items() if medium.kind == "image"}
    faults = [f"{problem.value}: {problem.wrong}" for problem in found.problems]
    faults += [f"{name}: it is no picture" for name in found.media if name not in pictures]
    warnings = [f"Reference picture {fault}." for fault in faults[:_LISTED]]
    if len(faults) > _LISTED:
        warnings.append(f"And {len(faults) - _LISTED} reference pictures more are not there.")
    kept = _shown(study) & {name for name in pictures if _differs(study, name, pictures[name])}
    if kept:
        names = listed(sorted(kept))
        warnings.append(f"Reference pictures stay as people saw them: {names}.")
    return ElementCheck(
        pictures={name: medium for name, medium in pictures.items() if name not in kept},
        warnings=tuple(warnings),
        used=frozenset(medium.path for medium in found.media.values()),
    )


def _shown(study: Study) -> set[str]:
    """The names that stand with items which somebody was shown."""
    if study.is_draft:
        return set()
    shown = Item.objects.filter(study=study, memberships__unit__assignments__isnull=False)
    return set(shown.order_by().values_list("element_picture", flat=True).distinct()) - {""}


def _differs(study: Study, name: str, medium: Medium) -> bool:
    return not study.element_pictures.filter(name=name, sha256=medium.sha256).exists()


@transaction.atomic
def write_elements(*, study: Study, check: ElementCheck, staging: Path) -> int:
    """Store the pictures that are new or changed; returns how many."""
    rows = {row.name: row for row in study.element_pictures.all()}
    replaced, n_written = [], 0
    for name, medium in check.pictures.items():
        row = rows.get(name) or ElementPicture(study=study, name=name)
        if row.sha256 == medium.sha256:
            continue
        if row.media:
            replaced.append(row.media.name)
        row.sha256, row.content_type = medium.sha256, medium.content_type
        row.width, row.height = medium.width or 0, medium.height or 0
        content = ContentFile((staging / medium.stored).read_bytes())
        row.media.save(medium.stored, content, save=False)
        row.save()
        n_written += 1
    transaction.on_commit(partial(delete_media, replaced), robust=True)
    return n_written
