"""Reading the published correlations and comparisons of tests/data/statistics."""

from __future__ import annotations

import csv
import json
from typing import Any

import numpy as np

from scoring.stats.rated_items import RatedItems, rate_items
from tests.stats.published import DATA

NAMES_OF_ITEMS = {"unit", "units", "subject", "item", "target", "applicant"}


def correlation_rows(*coefficients: str) -> list[dict[str, Any]]:
    text = (DATA / "expected_correlations.json").read_text(encoding="utf-8")
    return [row for row in json.loads(text) if row["coefficient"] in coefficients]


def two_countries(metric: str, *, group: str | None = "country") -> RatedItems:
    """24 items of three systems in two countries, one mean rating each."""
    with (DATA / "metric_human_2countries.csv").open(encoding="utf-8") as file:
        lines = list(csv.DictReader(file))

    def codes(column: str) -> np.ndarray:
        return np.unique([line[column] for line in lines], return_inverse=True)[1]

    return rate_items(
        score=[float(line[metric]) for line in lines],
        item=np.arange(len(lines)),
        value=[float(line["human"]) for line in lines],
        group=None if group is None else codes(group),
        cluster=codes("prompt"),
    )


def wide_values(name: str) -> np.ndarray:
    """Items x raters of a complete table whose first column names the item."""
    with (DATA / name).open(encoding="utf-8") as file:
        header, *lines = csv.reader(file)
    first = 1 if header[0].lower() in NAMES_OF_ITEMS else 0
    return np.array([[float(cell) for cell in line[first:]] for line in lines])
