"""Score rows that say the same of every output of a metric."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scoring.metrics.base import Cell, Declaration, ScoreRow


def undefined_rows(
    declaration: Declaration,
    *,
    reason: str,
    evidence: Mapping[str, Any],
    item_key: str = "",
    dimension: str = "",
    cell: Cell | None = None,
) -> Iterator[ScoreRow]:
    """One row an output, of the item or of the cell, without a value."""
    for output in declaration.outputs:
        yield ScoreRow(item_key, output.key, dimension, None, reason, evidence, cell)
