"""Ratings as a table: one answer a row, see `annotation.ratings.RatingRow`."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterator
from datetime import datetime
from operator import attrgetter

from annotation.ratings import Layer, RatingRow, rating_rows
from annotation.ratings.screens import count_answers
from scoring.exports.table import Column, ExportTable, Kind, Row
from studies.models import Study

_KINDS = {
    str: Kind.TEXT,
    int: Kind.WHOLE,
    float: Kind.NUMBER,
    bool: Kind.FLAG,
    datetime: Kind.MOMENT,
}
ABOUT = {
    "study": "Short address of the study.",
    "revision": "Number of the frozen design that the annotator was shown.",
    "unit": "What one screen showed, by its name.",
    "item": "The item the answer is about; empty where it is about the unit as a whole.",
    "system": "What made the item.",
    "country": "Country of the item, two letters (ISO 3166). NA is Namibia.",
    "panel_country": "Country of the annotator's panel.",
    "category": "Category of the item.",
    "prompt_id": "Shared by items of one prompt: intervals draw them together.",
    "prompt": "What the item was asked for.",
    "scenario": "Scenario of the item.",
    "rater": "Pseudonym of the annotator.",
    "question": "Key of the question.",
    "question_label": "Name of the question in reports.",
    "subject": "What the answer is about within the screen, as a key.",
    "probe": "Id of the probe that was asked.",
    "probe_text": "The probe, as asked in the language of the study.",
    "probe_dimension": "Dimension of the probe.",
    "descriptor": "The reference descriptor that was judged.",
    "value": "Point of the scale, option, 1 or 0 (yes, marked, right), place, or slider's number.",
    "value_label": "Words of that point, as they stood in that revision.",
    "set": "Of a multi-select: all items that were marked, parted by |; ∅ where none was.",
    "rank": "Of a ranking: the place, 1 is first.",
    "not_applicable": "Whether “does not apply” was chosen, in place of a value.",
    "text": "What was written as this answer.",
    "rationale": "What was written on the same screen to explain this answer.",
    "order_shown": "Items of the unit in the order shown, parted by |.",
    "place_shown": "Place of the item in that order, from 1.",
    "n_in_session": "Number of the screen in the annotator's session, from 1.",
    "repeat": "Whether the screen showed a unit again; a repeat never counts.",
    "seconds_on_screen": "Seconds from serving the screen to receiving its answers.",
    "active_seconds": "Of these, seconds at work, by the browser; empty: not measured.",
    "watched_share": "Share of the clip that was played, 0 to 1; of the unit: its least watched.",
    "flags": "Rules of quality that the annotator met here, or throughout, parted by |.",
    "counted": "Whether the screen is among the wanted number of its unit.",
    "excluded": "What leaves it out of results now: rule, person, or nothing.",
    "exclusion_layer": "The strictest layer it counts in: after-all, after-rules, all; or empty.",
    "simulated": "Whether no person gave it.",
    "served_at": "When the screen was served.",
    "submitted_at": "When its answers came.",
}


def _column(field: dataclasses.Field, hint: object) -> Column:
    """Optional fields hold the kind of their other half."""
    (kind,) = (_KINDS[part] for part in typing.get_args(hint) or (hint,) if part in _KINDS)
    return Column(field.name, kind, ABOUT[field.name])


_HINTS = typing.get_type_hints(RatingRow)
COLUMNS = tuple(_column(field, _HINTS[field.name]) for field in dataclasses.fields(RatingRow))
_values = attrgetter(*(column.name for column in COLUMNS))


def ratings_table(
    study: Study, layer: Layer = Layer.AFTER_ALL, *, everything: bool = False
) -> ExportTable:
    """The answers of a layer; with ``everything`` what was sent besides: repeats and surplus."""

    def rows() -> Iterator[Row]:
        return map(_values, rating_rows(study, layer, everything=everything))

    def count() -> int:
        return count_answers(study, None if everything else layer)

    return ExportTable("Ratings", COLUMNS, rows, count)
