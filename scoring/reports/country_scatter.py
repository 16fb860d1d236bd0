"""ALIGN against HAL by country: which countries are met, and in which what is met is made up."""

from __future__ import annotations

from dataclasses import dataclass

from scoring.analysis.parts.automatic import Automatic, SeriesResult
from scoring.reports.sections import Chart
from scoring.reports.tables import Column, Row, Table
from scoring.reports.words import num

KEY = "automatic-align-hal"
ALIGN, HAL = "ahead_align", "ahead_hal"
FEWEST = 2  # countries


@dataclass(frozen=True, slots=True)
class CountryPoint:
    """Means over the items of a country that have the score."""

    name: str
    align: float
    hal: float
    n_align: int
    n_hal: int


def country_points(automatic: Automatic) -> tuple[CountryPoint, ...]:
    """Countries with both means, in the order of the report; none below two of them."""
    align, hal = _series(automatic, ALIGN), _series(automatic, HAL)
    if align is None or hal is None:
        return ()
    means = [_means(one) for one in (align, hal)]
    points = []
    for level in automatic.factor("country").levels:
        (x, n_x), (y, n_y) = (found.get(level.key, (None, 0)) for found in means)
        if x is not None and y is not None:
            points.append(CountryPoint(level.name, x, y, n_x, n_y))
    return tuple(points) if len(points) >= FEWEST else ()


def country_chart(automatic: Automatic) -> Chart | None:
    points = country_points(automatic)
    if not points:
        return None
    return Chart(
        key=KEY,
        title="ALIGN and HAL by country",
        caption="Mean over items. Further right more of what is expected is there; further up more "
        "is there that nobody expects.",
        table=Table(
            name=KEY,
            title="ALIGN and HAL by country",
            columns=(
                Column(key="country", title="Country"),
                Column(key="align", title="ALIGN", kind="number"),
                Column(key="align_n", title="Items", kind="count"),
                Column(key="hal", title="HAL", kind="number"),
                Column(key="hal_n", title="Items", kind="count"),
            ),
            rows=tuple(
                Row(cells=(one.name, one.align, one.n_align, one.hal, one.n_hal)) for one in points
            ),
            unit="item",
            aggregation="mean over items",
        ),
    )


def country_alt(points: tuple[CountryPoint, ...]) -> str:
    """How many countries, and those at the ends of each axis."""
    most = max(points, key=lambda one: one.align)
    worst = max(points, key=lambda one: one.hal)
    return (
        f"Scatter of {len(points)} countries, mean ALIGN against mean HAL. Highest ALIGN "
        f"{most.name}, {num(most.align)}; highest HAL {worst.name}, {num(worst.hal)}. "
        "Table follows."
    )


def _series(automatic: Automatic, output: str) -> SeriesResult | None:
    for one in automatic.metrics:
        facts = one.facts
        if (facts.output, facts.dimension, facts.unit) == (output, "", "item"):
            return one
    return None


def _means(one: SeriesResult) -> dict[str, tuple[float | None, int]]:
    breakdown = one.by("country")
    cells = breakdown.cells if breakdown else ()
    return {cell.level: (cell.mean.value, cell.mean.n_units) for cell in cells}
