"""Facts of items and units as one column beside the answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from annotation.ratings import NOTHING, AnswerTable, RatedItem
from scoring.analysis.asked import Subjects

Texts = npt.NDArray[np.str_]

FIELDS = ("system", "category", "country", "cluster", "origin")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FactColumns:
    """`ids` are item ids in order; `items` and `units` hold each field for them and for the units.

    A unit has a fact where all of its items have it in common; else "".
    """

    ids: npt.NDArray[np.int64]
    items: Mapping[str, Texts]
    units: Mapping[str, Texts]

    def of(self, answers: AnswerTable, field: str) -> Texts:
        """A field of what each answer is about: its item, or its unit where it names none."""
        if not answers.size:
            return np.empty(0, dtype=np.str_)
        of_unit = self.units[field][answers.unit]
        if not self.ids.size:
            return of_unit
        place = np.minimum(np.searchsorted(self.ids, answers.item), self.ids.size - 1)
        named = (answers.item != NOTHING) & (self.ids[place] == answers.item)
        return np.where(named, self.items[field][place], of_unit)


def fact_columns(
    answers: AnswerTable, items: Mapping[int, RatedItem], subjects: Subjects
) -> FactColumns:
    """The facts of all items, and of the units that `answers` number."""
    ordered = sorted(items)
    return FactColumns(
        ids=np.array(ordered, dtype=np.int64),
        items={
            field: np.array([getattr(items[pk], field) for pk in ordered], dtype=np.str_)
            for field in FIELDS
        },
        units={
            field: np.array(subjects.of_units(answers, items, field), dtype=np.str_)
            for field in FIELDS
        },
    )
