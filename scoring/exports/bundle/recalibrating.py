"""AHEaD's thresholds computed again from the descriptors that a study has.

A calibration stands for the descriptors of its day. More may have come since, and another choice of
real images; the counts stored with it tell, and then it cannot be computed again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isclose
from typing import Literal, cast

from scoring.ahead.calibrating import real_subjects
from scoring.ahead.inputs import name_of
from scoring.backends.text_embedder import EmbedderError, default_text_embedder
from scoring.exports.bundle.comparing import Difference
from scoring.metrics.ahead.calibration import (
    QUARTILES,
    NothingToCalibrateError,
    TauCalibration,
    calibrate,
)
from scoring.models import Calibration
from studies.models import Study

CLOSE = 2e-6
"""Absolute. Similarities are rounded to six decimals; another processor may round the other way."""

OF_THE_DAY = ("n_images", "n_values", "n_unmatched")
COMPUTED = (*QUARTILES, "share_above_q3", "align")


@dataclass(frozen=True, slots=True)
class Recalibrated:
    differences: tuple[Difference, ...]
    not_computed: tuple[str, ...]


class _NotComputed(Exception):
    """The message says why."""


def recalibrated(study: Study) -> Recalibrated:
    """Every stored calibration against its descriptors: what differs, and what cannot be told."""
    found: list[Difference] = []
    untold: list[str] = []
    for row in study.calibrations.order_by("pk"):
        where = f"calibration {row.pk} of {name_of(row.extractor)}"
        try:
            found.extend(_differences(row, _computed(study, row), where))
        except _NotComputed as reason:
            untold.append(f"{where}: {reason}")
    return Recalibrated(tuple(found), tuple(untold))


def _computed(study: Study, row: Calibration) -> TauCalibration:
    embedder = default_text_embedder()
    if (row.embedder, row.embedder_revision) != (embedder.model_id, embedder.revision):
        raise _NotComputed(
            f"it rests on {row.embedder} {row.embedder_revision}; here is {embedder.model_id} "
            f"{embedder.revision}"
        )
    parameters = {"extractor": name_of(row.extractor), "references": row.references}
    values_of = cast(Literal["best", "pairs"], row.values_of)
    try:
        found = calibrate(real_subjects(study, parameters), embedder, values_of=values_of)
    except (NothingToCalibrateError, EmbedderError) as error:
        raise _NotComputed(str(error)) from error
    now = {"n_images": found.n_images, "n_values": len(found.values)}
    now["n_unmatched"] = found.n_unmatched
    if others := [name for name in OF_THE_DAY if getattr(row, name) != now[name]]:
        said = ", ".join(f"{name} {getattr(row, name)}, now {now[name]}" for name in others)
        raise _NotComputed(f"descriptors or real images are others than on its day ({said})")
    return found


def _differences(row: Calibration, found: TauCalibration, where: str) -> Iterator[Difference]:
    for name in COMPUTED:
        said, made = getattr(row, name), getattr(found, name)
        if None in (said, made):
            same = said is made
        else:
            same = isclose(said, made, rel_tol=0, abs_tol=CLOSE)
        if not same:
            yield Difference(f"{where}, {name}", repr(said), repr(made))
