"""Series by the levels of a factor, as tables: models, countries, regions, categories, variants."""

from __future__ import annotations

from collections.abc import Sequence

from scoring.analysis.parts.automatic import Automatic, Breakdown, Cell, Factor, SeriesResult
from scoring.analysis.report import Report
from scoring.reports.automatic_cards import level_card
from scoring.reports.estimates import estimate, plain
from scoring.reports.series_words import names_of, slug, slugs_of
from scoring.reports.tables import Column, Estimate, Row, Table


def shown_series(automatic: Automatic) -> tuple[SeriesResult, ...]:
    """Whole metrics and questions: what stands side by side in a table by factor."""
    return tuple(one for one in automatic.series if not one.facts.dimension)


def marked(breakdown: Breakdown, cell: Cell) -> Estimate:
    """A level's mean with its interval and n; best and worst by the declared direction named."""
    note = ""
    if cell.level in breakdown.best:
        note = "best"
    elif cell.level in breakdown.worst:
        note = "worst"
    found = cell.mean
    return estimate(
        found.value, found.interval, reason=found.reason, se=found.se, n=found.n_units, note=note
    )


def interval_words(report: Report) -> str:
    return (
        f"95\u00a0% percentile bootstrap, {report.automatic.resampled} drawn anew, "
        f"{report.method.replicates:,} draws, seed {report.method.seed}"
    )


def factor_table(
    report: Report, factor: Factor, *, subset: str = "all", series: Sequence[SeriesResult] = ()
) -> Table:
    """Levels in rows, series in columns; SD and range over the levels below."""
    automatic = report.automatic
    wanted = series or shown_series(automatic)
    chosen = [one for one in wanted if one.by(factor.key, subset) is not None]
    names = names_of([one.facts for one in automatic.series])
    slugs = slugs_of([one.facts for one in automatic.series])
    cells = {
        one.facts.key: {cell.level: cell for cell in by.cells}
        for one in chosen
        if (by := one.by(factor.key, subset)) is not None
    }
    rows = [
        Row(
            cells=(
                level.name,
                *(_level_cell(one, factor.key, subset, level.key) for one in chosen),
            ),
            card=level_card(report, factor, level, subset, chosen, names),
        )
        for level in factor.levels
        if any(level.key in found for found in cells.values())
    ]
    if len(rows) > 1:
        rows += _dispersion_rows(chosen, factor, subset)
    of_rated = ", items that people rated" if subset == "rated" else ""
    return Table(
        name=f"automatic-{slug(factor.key)}{'-rated' if subset == 'rated' else ''}",
        title=f"Means by {factor_words(factor)}{of_rated}",
        columns=(
            Column(key="level", title=factor.name),
            *(
                Column(key=slugs[one.facts.key], title=names[one.facts.key], kind="number")
                for one in chosen
            ),
        ),
        rows=tuple(rows),
        unit="item, or cell of items",
        aggregation="mean over items; SD with n \u2212 1, and range, over the means",
        interval=interval_words(report),
        n_in_cells=True,
    )


def factor_words(factor: Factor) -> str:
    """ "model", "country"; a grouping keeps its name as it is written."""
    return factor.name if ":" in factor.key else factor.name.lower()


def _dispersion_rows(chosen: Sequence[SeriesResult], factor: Factor, subset: str) -> list[Row]:
    """SD and range of each series over the levels' means."""
    return [
        Row(
            cells=(title, *(_dispersion(one, factor.key, subset, field) for one in chosen)),
            strong=True,
        )
        for field, title in (("sd", "SD of these means"), ("spread", "Range of these means"))
    ]


def _level_cell(one: SeriesResult, factor: str, subset: str, level: str) -> Estimate | None:
    breakdown = one.by(factor, subset)
    if breakdown is None:
        return None
    for cell in breakdown.cells:
        if cell.level == level:
            return marked(breakdown, cell)
    return None


def _dispersion(one: SeriesResult, factor: str, subset: str, field: str) -> Estimate | None:
    breakdown = one.by(factor, subset)
    if breakdown is None:
        return None
    value = breakdown.sd if field == "sd" else breakdown.spread
    return plain(value, breakdown.dispersion_reason, n=breakdown.n_defined)


def rated_table(report: Report, factor: Factor) -> tuple[Table, ...]:
    """The same on exactly the human-rated items, where those are not all."""
    rated = [one for one in shown_series(report.automatic) if one.by(factor.key, "rated")]
    if factor.key not in ("system", "country") or not rated:
        return ()
    return (factor_table(report, factor, subset="rated"),)
