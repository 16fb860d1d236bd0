"""A study's items as a table: what each is, whence it came, what the import did to its file.

It stands beside the ratings, which name items by the same ``item``: a study of visual quality has
to say which clips were converted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from scoring.exports.table import Column, ExportTable, Kind, Row
from studies.models import Item, Study

LOT = 2000  # rows

# Column, field of the database, kind, what it holds.
_SPEC = (
    ("item", "external_id", Kind.TEXT, "The item's id."),
    ("kind", "kind", Kind.TEXT, "image, video or audio."),
    ("system", "system__name", Kind.TEXT, "What made it."),
    ("origin", "origin", Kind.TEXT, "generated, real or edited."),
    ("parent", "parent__external_id", Kind.TEXT, "Of an edit: the item it was made from."),
    ("country", "country", Kind.TEXT, "Two letters (ISO 3166). NA is Namibia."),
    ("category", "category", Kind.TEXT, "Category."),
    ("aspect", "aspect", Kind.TEXT, "Cultural aspect."),
    ("scenario", "scenario", Kind.TEXT, "Scenario."),
    ("variant", "variant", Kind.TEXT, "Variant of the prompt."),
    ("replicate", "replicate", Kind.TEXT, "Replicate, or seed."),
    ("prompt", "prompt", Kind.TEXT, "What it was asked for."),
    ("cultural_element", "cultural_element", Kind.TEXT, "The element it should show."),
    ("sub_activities", "sub_activities", Kind.TEXT, "Parts of the activity, parted by |."),
    ("width", "width", Kind.WHOLE, "Pixels."),
    ("height", "height", Kind.WHOLE, "Pixels."),
    ("duration", "duration", Kind.NUMBER, "Seconds."),
    ("has_audio", "has_audio", Kind.FLAG, "Whether it has sound."),
    ("preparation", "preparation", Kind.TEXT, "What the import did to its file, parted by |."),
    ("source_name", "source_name", Kind.TEXT, "Name of the file as it came."),
    ("source_url", "source_url", Kind.TEXT, "Address it was fetched from."),
    ("source_sha256", "source_sha256", Kind.TEXT, "SHA-256 of the file as it came."),
    ("sha256", "sha256", Kind.TEXT, "SHA-256 of the file that annotators see."),
    ("purpose", "purpose", Kind.TEXT, "rated, practice, gold or example."),
    ("metadata", "metadata", Kind.TEXT, "Further columns of the import, as JSON."),
)
COLUMNS = tuple(Column(name, kind, about) for name, _, kind, about in _SPEC)
_FIELDS = [field for _, field, _, _ in _SPEC]


def items_table(study: Study) -> ExportTable:
    """Every item of the study, by its id."""
    wanted = Item.objects.filter(study=study).order_by("external_id")

    def rows() -> Iterator[Row]:
        last = ""
        while lot := list(wanted.filter(external_id__gt=last).values_list(*_FIELDS)[:LOT]):
            yield from map(_row, lot)
            if len(lot) < LOT:
                return
            last = lot[-1][0]

    return ExportTable("Items", COLUMNS, rows, wanted.count)


def _row(values: tuple[object, ...]) -> Row:
    return [_plain(column, value) for column, value in zip(COLUMNS, values, strict=True)]


def _plain(column: Column, value: object) -> object:
    if isinstance(value, list):
        return " | ".join(str(part) for part in value)
    if value is None and column.kind == Kind.TEXT:
        return ""
    if column.name == "metadata":
        return json.dumps(value, ensure_ascii=False, sort_keys=True) if value else ""
    return value
