"""Reading the published tables of tests/data/statistics as coded ratings."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np

from scoring.stats.coefficients import Coefficient
from scoring.stats.counts import (
    CodedRatings,
    code_ratings,
    ratings_from_counts,
    ratings_from_labels,
)
from scoring.stats.scale import Level, NotNumericError, declare_scale, scale_from_ratings
from scoring.stats.sets import parse_set, set_scale

DATA = Path(__file__).resolve().parents[1] / "data" / "statistics"
OF_CATEGORIES = (
    "krippendorff_alpha",
    "percent_agreement",
    "gwet_ac1",
    "fleiss_kappa",
    "brennan_prediger",
)
"""Coefficients that any nominal categories have, with identity weights."""
NOT_RATERS = {"unit", "units", "subject", "item", "group", "target", "applicant"}


def expected(*coefficients: str) -> list[dict[str, Any]]:
    rows = json.loads((DATA / "expected.json").read_text(encoding="utf-8"))
    return [row for row in rows if row["coefficient"] in coefficients]


def coefficient_of(row: dict[str, Any]) -> Coefficient:
    """The coefficient that a published row is about."""
    options = row["options"]
    if row["coefficient"] == "icc":
        return Coefficient("icc", form=options["type"])
    if row["coefficient"] == "kendall_w":
        return Coefficient("kendall_w")
    if "aggregate" in options:
        pooled = options["aggregate"] == "mean over all pairs"
        return Coefficient(row["coefficient"], aggregate="pairs" if pooled else "items")
    if "level" in options:
        return Coefficient(row["coefficient"], options["level"])
    weights = options.get("weights") or options["distance"]
    identity = weights == "unweighted"
    return Coefficient(row["coefficient"], weights="identity" if identity else weights)


def ratings_of(row: dict[str, Any]) -> CodedRatings:
    """The table of a published row; categories of tables and counts are numbered 1, 2, ..."""
    with (DATA / row["file"]).open(encoding="utf-8") as file:
        header, *lines = csv.reader(file)
    if row["format"].startswith("wide"):
        return wide_ratings(header, lines, of_sets="sets" in row["format"])
    cells = np.array([[int(cell) for cell in line[1:]] for line in lines])
    scale = declare_scale(level="interval", categories=range(1, cells.shape[1] + 1))
    if row["format"] == "counts":
        return ratings_from_counts(counts=cells, scale=scale)
    first, second = (
        index.repeat(cells.ravel()) for index in map(np.ravel, np.indices(cells.shape))
    )
    return code_ratings(
        unit=np.tile(np.arange(first.size), 2),
        rater=np.repeat([0, 1], first.size),
        category=np.concatenate([first, second]),
        scale=scale,
    )


def wide_ratings(header: list[str], lines: list[list[str]], *, of_sets: bool) -> CodedRatings:
    raters = [i for i, name in enumerate(header) if name.lower() not in NOT_RATERS]
    long = [(unit, i, line[i]) for unit, line in enumerate(lines) for i in raters]
    units, who, values = zip(*long, strict=True)
    if of_sets:
        chosen = [parse_set(value) for value in values]
        scale = set_scale(found=[one for one in chosen if one is not None])
        codes = [-1 if one is None else scale.code_of_set(one) for one in chosen]
        return code_ratings(unit=units, rater=who, category=codes, scale=scale)
    try:
        scale = scale_from_ratings(level="interval", found=values)
    except NotNumericError:
        scale = scale_from_ratings(level="nominal", found=values)
    return ratings_from_labels(units=units, raters=who, values=values, scale=scale)


def matrix_ratings(
    matrix: list[list[Any]], level: Level, categories: list[Any] | None = None
) -> CodedRatings:
    """Ratings from raters x items, None = missing."""
    long = [(u, r, value) for r, row in enumerate(matrix) for u, value in enumerate(row)]
    units, raters, values = zip(*long, strict=True)
    scale = (
        scale_from_ratings(level=level, found=values)
        if categories is None
        else declare_scale(level=level, categories=categories)
    )
    return ratings_from_labels(units=units, raters=raters, values=values, scale=scale)
