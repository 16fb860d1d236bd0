"""A comparison of two runs as a page shows it."""

from __future__ import annotations

from typing import Any

from scoring.cell_words import cell_words
from scoring.metrics.base import Declaration
from scoring.models import MetricRun
from scoring.run_comparison import Difference, OutputComparison, compare_runs
from scoring.score_table import thumbnail
from scoring.stats.result import REASONS
from studies.models import Item


def comparison_words(
    *, first: MetricRun, second: MetricRun, declaration: Declaration
) -> list[dict[str, Any]]:
    """One entry an output, with its rows by dimension (the whole first) and the largest
    differences of the whole."""
    names = {output.key: output.name for output in declaration.outputs}
    outputs: dict[str, dict[str, Any]] = {}
    for compared in compare_runs(first, second):
        key = compared.output
        entry = outputs.setdefault(key, {"name": names.get(key, key), "rows": [], "largest": []})
        entry["rows"].append(_row(compared))
        if not compared.dimension and not entry["largest"]:
            entry["largest"] = _differences(compared.largest)
    for entry in outputs.values():
        entry["rows"].sort(key=lambda row: row["dimension"] != "")
    return list(outputs.values())


def _row(compared: OutputComparison) -> dict[str, Any]:
    return {
        "dimension": compared.dimension,
        "n": compared.n,
        "only_first": compared.only_first,
        "only_second": compared.only_second,
        "neither": compared.neither,
        "pearson": compared.pearson,
        "spearman": compared.spearman,
        "why": REASONS.get(compared.reason, "").replace("a rating", "a score"),
        "mean_difference": compared.mean_difference,
        "is_same": compared.is_same,
    }


def _differences(largest: tuple[Difference, ...]) -> list[dict[str, Any]]:
    items = Item.objects.in_bulk([d.place for d in largest if isinstance(d.place, int)])
    rows = []
    for difference in largest:
        row: dict[str, Any] = {
            "first": difference.first,
            "second": difference.second,
            "value": difference.value,
        }
        if isinstance(difference.place, str):
            row["cell"] = cell_words(difference.place)
        else:
            item = items[difference.place]
            row |= {"item": item, **thumbnail(item)}
        rows.append(row)
    return rows
