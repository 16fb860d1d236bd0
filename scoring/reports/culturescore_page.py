"""The page of CultureScore's own tables."""

from __future__ import annotations

from collections.abc import Iterator

from scoring.analysis.parts.culturescore import CultureCell, CultureDifference, JudgePair, Share
from scoring.analysis.report import Report
from scoring.metrics.culturescore_tables import NAMES
from scoring.reports.estimates import estimate, estimate_of
from scoring.reports.sections import Note, Plots, Section
from scoring.reports.tables import Column, Estimate, Row, Table
from scoring.reports.words import share
from scoring.stats.result import DEPENDABLE_UNITS, Interval
from studies.names import country_name

TITLES = {
    "identity": "Identity",
    "behavior": "Behavior",
    "context": "Context",
    "headline": "Headline",
    "pooled": "Pooled",
}
VARIANTS = {"base": "base", "extended": "extended", "country-removed": "country removed"}
KINDS = {
    "gain": "Gain: extended \u2212 base",
    "drop-extended": "Drop: country removed \u2212 extended",
    "drop-base": "Drop: country removed \u2212 base",
}
COUNTED = "yes / answered questions, unweighted"
HEADLINE = "headline = mean of the three dimensions; pooled = over all questions"
DRAWN = "95\u00a0% intervals draw whole scenarios anew"
UNNAMED = "no model named"


def sections(report: Report, plots: Plots) -> tuple[Section, ...]:
    part = report.culturescore
    if not part.run:
        text = "CultureScore has not been run on this study. Start a run on the metrics page."
        return (Section(id="culturescore", title="CultureScore", notes=(Note(text=text),)),)
    return tuple(_sections(report))


def _sections(report: Report) -> Iterator[Section]:
    part = report.culturescore
    whole = [cell for cell in part.cells if not cell.country]
    by_country = [cell for cell in part.cells if cell.country]
    yield Section(
        id="culturescore-systems",
        title="Share of yes by model and variant",
        aside=f"run {part.run}, answered by {part.model}",
        finding=_finding(whole),
        notes=tuple(_notes(report)),
        tables=(_cells_table("culturescore-systems", "Share of yes", whole),),
    )
    if by_country:
        table = _cells_table("culturescore-countries", "Share of yes by country", by_country)
        yield Section(
            id="culturescore-countries",
            title="By country",
            notes=(Note(text="A country\u2019s published overall is the pooled share."),),
            tables=(table,),
            folded=True,
        )
    for kind, title in KINDS.items():
        rows = [one for one in part.differences if one.kind == kind]
        if rows:
            yield Section(
                id=f"culturescore-{kind}",
                title=title,
                tables=(_difference_table(kind, title, rows),),
            )
    if part.judges:
        yield Section(
            id="culturescore-judges",
            title="Two models answering the same questions",
            tables=(_judges_table(part.judges),),
        )


def _finding(cells: list[CultureCell]) -> str:
    defined = [cell for cell in cells if cell.share("headline").value is not None]
    if len(defined) < 2:
        return ""
    best = max(defined, key=lambda cell: cell.share("headline").value or 0)
    value = best.share("headline").value
    return f"Highest headline: {_name(best.system)}, {_variant(best.variant)}, {share(value)}."


def _notes(report: Report) -> Iterator[Note]:
    part = report.culturescore
    bounds = [share.interval for cell in part.cells for share in cell.shares if share.interval]
    if any(one.reason == "too_few_for_interval" for one in bounds):
        text = f"Where fewer than {DEPENDABLE_UNITS} scenarios are counted, no interval is given."
        yield Note(text=text)
    if part.unanswered:
        text = f"{part.unanswered:,} questions were refused or unreadable and are in no share."
        yield Note(text=text, warns=True)
    drops = any(one.kind != "gain" for one in part.differences)
    if part.unjudged and drops:
        text = (
            f"{part.unjudged:,} scenarios were never judged for being unique without their "
            "country; they are in no drop."
        )
        yield Note(text=text, warns=True)


def _cells_table(name: str, title: str, cells: list[CultureCell]) -> Table:
    with_country = any(cell.country for cell in cells)
    return Table(
        name=name,
        title=title,
        columns=(
            *((Column(key="country", title="Country"),) if with_country else ()),
            Column(key="model", title="Model"),
            Column(key="variant", title="Variant"),
            *(Column(key=key, title=TITLES[key], kind="share") for key in NAMES),
            Column(key="questions", title="Questions", kind="count"),
            Column(key="videos", title="Videos", kind="count"),
            Column(key="scenarios", title="Scenarios", kind="count"),
        ),
        rows=tuple(
            Row(
                cells=(
                    *((country_name(cell.country),) if with_country else ()),
                    _name(cell.system),
                    _variant(cell.variant),
                    *(_share(cell.share(key)) for key in NAMES),
                    cell.share("pooled").answered,
                    cell.videos,
                    cell.scenarios,
                )
            )
            for cell in cells
        ),
        unit="question about a video",
        aggregation=f"{COUNTED}; {HEADLINE}",
        interval=DRAWN,
    )


def _share(one: Share) -> Estimate:
    return _cell(one.value, one.interval)


def _cell(value: float | None, bounds: Interval | None) -> Estimate:
    """That a whole page has too few scenarios for intervals is said once, above it."""
    if value is not None and bounds is not None and bounds.reason == "too_few_for_interval":
        return Estimate(value=value)
    return estimate(value, bounds, reason="no_values" if value is None else None)


def _difference_table(kind: str, title: str, rows: list[CultureDifference]) -> Table:
    groups: dict[tuple[str, str], dict[str, CultureDifference]] = {}
    for one in rows:
        groups.setdefault((one.country, one.system), {})[one.name] = one
    matched = "scenarios the model has in both variants"
    if kind != "gain":
        matched = "scenarios unique without their country that the model has in every variant"
    return Table(
        name=f"culturescore-{kind}",
        title=title,
        columns=(
            Column(key="country", title="Country"),
            Column(key="model", title="Model"),
            *(Column(key=key, title=TITLES[key], kind="share") for key in NAMES),
            Column(key="scenarios", title="Scenarios", kind="count"),
        ),
        rows=tuple(
            Row(
                cells=(
                    country_name(country) if country else "All",
                    _name(system),
                    *(_difference(own[key]) for key in NAMES),
                    own["headline"].scenarios,
                ),
                strong=not country,
            )
            for (country, system), own in sorted(groups.items())
        ),
        unit="question about a video",
        aggregation=f"difference of unrounded shares over {matched}; {HEADLINE}",
        interval=DRAWN,
    )


def _difference(one: CultureDifference) -> Estimate:
    return _cell(one.difference, one.interval)


def _judges_table(pairs: tuple[JudgePair, ...]) -> Table:
    return Table(
        name="culturescore-judges",
        title="Agreement of two models",
        columns=(
            Column(key="first", title="Model"),
            Column(key="second", title="Other model"),
            Column(key="raw", title="Same answer", kind="share"),
            Column(key="kappa", title="Cohen\u2019s kappa", kind="number"),
            Column(key="ac1", title="Gwet\u2019s AC1", kind="number"),
            Column(key="questions", title="Questions", kind="count"),
        ),
        rows=tuple(
            Row(
                cells=(
                    pair.first,
                    pair.second,
                    *(estimate_of(one) for one in pair.coefficients),
                    pair.questions,
                )
            )
            for pair in pairs
        ),
        unit="question about a video",
        aggregation="questions that both models answered",
    )


def _name(system: str) -> str:
    return system or UNNAMED


def _variant(variant: str) -> str:
    return VARIANTS.get(variant, variant)
