"""A study's items as a tidy CSV: what each is, whence it came, what the import did to its file.

It stands beside the ratings, which name items by the same ``item``: a study of visual quality has
to say which clips were converted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from scoring.reports.ratings_csv import table_lines
from studies.models import Item, Study

CHUNK = 2000

# Columns of the file -> those of the database, in the order of the file.
_FIELDS = {
    "item": "external_id",
    "kind": "kind",
    "system": "system__name",
    "origin": "origin",
    "parent": "parent__external_id",
    "country": "country",
    "category": "category",
    "aspect": "aspect",
    "scenario": "scenario",
    "variant": "variant",
    "replicate": "replicate",
    "prompt": "prompt",
    "cultural_element": "cultural_element",
    "sub_activities": "sub_activities",
    "width": "width",
    "height": "height",
    "duration": "duration",
    "has_audio": "has_audio",
    "preparation": "preparation",
    "source_name": "source_name",
    "source_url": "source_url",
    "source_sha256": "source_sha256",
    "sha256": "sha256",
    "purpose": "purpose",
    "metadata": "metadata",
}
COLUMNS = tuple(_FIELDS)


def item_lines(study: Study) -> Iterator[str]:
    """The head line and a line for each item, streamed. Width and height in pixels, duration in
    seconds; several steps of preparation, or activities, are parted by " | "; metadata is JSON."""
    rows = Item.objects.filter(study=study).order_by("external_id").values_list(*_FIELDS.values())
    return table_lines(COLUMNS, map(_row, rows.iterator(chunk_size=CHUNK)))


def _row(values: tuple) -> list[object]:
    return [_plain(name, value) for name, value in zip(COLUMNS, values, strict=True)]


def _plain(name: str, value: object) -> object:
    if isinstance(value, list):
        return " | ".join(str(part) for part in value)
    if name == "metadata":
        return json.dumps(value, ensure_ascii=False, sort_keys=True) if value else ""
    return value
