"""The name of a cell on pages."""

from __future__ import annotations

from scoring.metrics.base import Cell
from studies.names import country_name


def cell_words(key: str) -> str:
    """E.g. ``wedding · Nepal · SDXL``; parts that a cell is not split by are left out."""
    cell = Cell.of_key(key)
    country = country_name(cell.country) if cell.country else cell.country
    parts = [cell.activity, country, cell.system]
    named = ("no activity", "no country", "no model")
    return " · ".join(
        part or absent for part, absent in zip(parts, named, strict=True) if part is not None
    )
