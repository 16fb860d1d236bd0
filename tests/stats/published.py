"""Reading the published tables of tests/data/statistics as coded ratings."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np

from scoring.stats.counts import CodedRatings, ratings_from_counts, ratings_from_labels
from scoring.stats.scale import Level, declare_scale, scale_from_ratings

DATA = Path(__file__).resolve().parents[1] / "data" / "statistics"
OF_CATEGORIES = (
    "krippendorff_alpha",
    "percent_agreement",
    "gwet_ac1",
    "fleiss_kappa",
    "brennan_prediger",
)
"""Coefficients that any nominal categories have, with identity weights."""
NOT_RATERS = {"unit", "units", "subject", "item", "group"}


def expected(*coefficients: str) -> list[dict[str, Any]]:
    rows = json.loads((DATA / "expected.json").read_text(encoding="utf-8"))
    return [row for row in rows if row["coefficient"] in coefficients]


def level_of(row: dict[str, Any]) -> Level:
    """Quadratic weights on a table of categories 1..q are the interval difference."""
    if row["options"].get("weights") == "quadratic":
        return "interval"
    return row["options"].get("level", "nominal")


def ratings_of(row: dict[str, Any], level: Level) -> CodedRatings:
    lines = list(csv.reader((DATA / row["file"]).open(encoding="utf-8")))
    if row["format"] == "wide":
        return wide_ratings(lines[0], lines[1:], level)
    cells = np.array([[int(cell) for cell in line[1:]] for line in lines[1:]])
    labels = lines[0][1:] if level == "nominal" else range(1, cells.shape[1] + 1)
    scale = declare_scale(level=level, categories=list(labels))
    if row["format"] == "counts":
        return ratings_from_counts(counts=cells, scale=scale)
    first, second = np.indices(cells.shape)
    pairs = np.stack([first.repeat(cells.ravel()), second.repeat(cells.ravel())])
    counts = np.zeros((pairs.shape[1], cells.shape[1]), dtype=int)
    for half in pairs:
        counts[np.arange(half.size), half] += 1
    return ratings_from_counts(counts=counts, scale=scale)


def wide_ratings(header: list[str], lines: list[list[str]], level: Level) -> CodedRatings:
    raters = [i for i, name in enumerate(header) if name.lower() not in NOT_RATERS]
    long = [(unit, i, line[i]) for unit, line in enumerate(lines) for i in raters]
    units, who, values = zip(*long, strict=True)
    scale = scale_from_ratings(level=level, found=values)
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
