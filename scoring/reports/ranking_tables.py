"""Rankings as scores of models: a section of the page on human scores."""

from __future__ import annotations

from collections.abc import Iterator

from scoring.analysis.parts.scores import RankingScores, RankRow
from scoring.analysis.report import POOLED, Report
from scoring.reports.agreement_words import name_of
from scoring.reports.estimates import estimate, plain
from scoring.reports.judgement_tables import label_of
from scoring.reports.sections import Chart, Note, Section
from scoring.reports.tables import Cell, Column, Estimate, Row, Table
from scoring.reports.words import counted, listed, num, why

PM = "\u00b1"


def ranking_section(report: Report) -> Iterator[Section]:
    """One section a ranking question: everybody's, then mean ranks by country."""
    keys = dict.fromkeys(one.question for one in report.scores.rankings)
    for key in keys:
        every = [one for one in report.scores.rankings if one.question == key]
        pooled, *countries = every
        yield Section(
            id=f"ranks-{key}",
            title=f"{label_of(report, key)}: ranks",
            finding=rank_finding(pooled),
            notes=_notes(pooled),
            tables=(
                _places(pooled),
                _wins(pooled),
                *([_by_country(report, countries)] if countries else []),
            ),
            charts=(_chart(report, pooled),),
        )


def rank_finding(ranking: RankingScores) -> str:
    """ "Mean rank, 1 is best: C 1.66, A 1.94, B 2.39; 135 rankings by 45 annotators." """
    known = sorted((row.mean, row.name) for row in ranking.rows if row.mean is not None)
    if not known:
        return "No rankings yet."
    means = ", ".join(f"{name} {num(mean)}" for mean, name in known)
    return (
        f"Mean rank, 1 is best: {means}; {counted(ranking.n_rankings, 'ranking')} by "
        f"{counted(ranking.n_raters, 'annotator')} of {counted(ranking.n_units, 'set')}."
    )


def _notes(ranking: RankingScores) -> tuple[Note, ...]:
    notes = []
    if ranking.named_by_place:
        notes.append(
            Note(
                text="Some sets show a model twice or name none, so places within the set are "
                "ranked and nothing follows for models.",
                warns=True,
            )
        )
    if ranking.reason == "not_connected":
        parts = "; then ".join(listed(list(part.names)) for part in ranking.components)
        notes.append(
            Note(text=f"No strengths: {why('not_connected')}. Those that can be compared: {parts}.")
        )
    elif ranking.reason is not None and ranking.rows:
        notes.append(Note(text=f"No strengths: {why(ranking.reason)}."))
    return tuple(notes)


def _chart(report: Report, ranking: RankingScores) -> Chart:
    return Chart(
        key=f"ranks-{ranking.question}",
        title="Mean rank by model",
        caption=(
            f"1 is best. Thick bars: {PM} 1 standard error; thin bars: 95\u00a0% intervals "
            "(annotators and prompts clustered). The dashed line is the middle rank. At the end: "
            f"mean {PM} clustered standard error."
        ),
        table=_ranks(report, ranking),
    )


def _ranks(report: Report, ranking: RankingScores) -> Table:
    return Table(
        name=f"ranks-{ranking.question}",
        title=f"{label_of(report, ranking.question)}: mean ranks and strengths",
        columns=(
            Column(key="model", title="Model"),
            Column(key="mean_rank", title="Mean rank", kind="number"),
            Column(key="sd", title="SD", kind="number"),
            Column(key="se_naive", title="SE, naive", kind="number"),
            Column(key="se_clustered", title="SE, clustered", kind="number"),
            Column(key="clustered_by", title="Clustered"),
            Column(key="strength", title="Bradley\u2013Terry strength", kind="number"),
            Column(key="rankings", title="Rankings", kind="count"),
        ),
        rows=tuple(_rank_row(ranking, row) for row in by_mean(ranking)),
        unit="ranking of one set by one annotator",
        aggregation="mean rank over rankings; strengths are log odds around a mean of 0: "
        "exp(a \u2212 b) are the odds of a over b",
        interval="of the mean 95\u00a0%, t, annotators and prompts clustered; of strengths "
        "95\u00a0% percentile bootstrap, annotators and sets drawn anew",
        notes=("Naive: SD / \u221an, as if rankings were independent.",),
    )


def by_mean(ranking: RankingScores) -> list[RankRow]:
    """Best mean rank first."""
    return sorted(ranking.rows, key=lambda row: (row.mean is None, row.mean or 0.0, row.name))


def _rank_row(ranking: RankingScores, row: RankRow) -> Row:
    return Row(
        cells=(
            row.name,
            estimate(row.mean, row.interval, reason="no_ratings", se=row.se_clustered),
            plain(row.sd, "one_rating"),
            plain(row.se_naive, "one_rating"),
            plain(row.se_clustered, row.interval.reason or "one_rating"),
            row.se_kind,
            _strength(ranking, row),
            row.n,
        )
    )


def _strength(ranking: RankingScores, row: RankRow) -> Estimate:
    reason = ranking.reason or "no_ratings"
    return estimate(row.strength, row.strength_interval, reason=reason, se=row.strength_se)


def _places(ranking: RankingScores) -> Table:
    n = max((len(row.places) for row in ranking.rows), default=0)
    return Table(
        name=f"places-{ranking.question}",
        title="How often each model stood on each place",
        columns=(
            Column(key="model", title="Model"),
            *(
                Column(key=f"place_{at}", title=f"Place {at}", kind="share")
                for at in range(1, n + 1)
            ),
            Column(key="rankings", title="Rankings", kind="count"),
        ),
        rows=tuple(Row(cells=(row.name, *_shares(row), row.n)) for row in by_mean(ranking)),
        unit="ranking of one set by one annotator",
        aggregation="share of the rankings that hold the model",
    )


def _shares(row: RankRow) -> list[Cell]:
    return [count / row.n if row.n else None for count in row.places]


def _wins(ranking: RankingScores) -> Table:
    names = [row.name for row in ranking.wins]
    return Table(
        name=f"wins-{ranking.question}",
        title="How often the row\u2019s model stood above the column\u2019s",
        columns=(
            Column(key="model", title="Model"),
            *(
                Column(key=f"above_{number}", title=name, kind="share")
                for number, name in enumerate(names, start=1)
            ),
        ),
        rows=tuple(
            Row(
                cells=(
                    row.name,
                    *(
                        None
                        if name == row.name
                        else Estimate(value=rate, why="never compared", n=n)
                        for name, rate, n in zip(names, row.rates, row.n, strict=True)
                    ),
                )
            )
            for row in ranking.wins
        ),
        unit="comparison of two models in one ranking",
        aggregation="share of the comparisons, half for a tie",
        n_in_cells=True,
    )


def _by_country(report: Report, countries: list[RankingScores]) -> Table:
    names = [row.name for row in countries[0].rows] if countries else []
    every = list(dict.fromkeys([*names, *(row.name for one in countries for row in one.rows)]))
    return Table(
        name=f"ranks-{countries[0].question}-by-country",
        title="Mean rank by the annotators\u2019 country",
        columns=(
            Column(key="group", title="Annotators in"),
            *(
                Column(key=f"rank_{number}", title=name, kind="number")
                for number, name in enumerate(every, start=1)
            ),
            Column(key="rankings", title="Rankings", kind="count"),
        ),
        rows=tuple(
            Row(
                cells=(
                    name_of(report, one.group),
                    *(_mean_of(one, name) for name in every),
                    one.n_rankings,
                ),
                strong=one.group == POOLED,
            )
            for one in countries
        ),
        unit="ranking of one set by one annotator",
        aggregation="mean rank over a country\u2019s rankings",
        interval="95\u00a0%, t, annotators and prompts clustered",
    )


def _mean_of(ranking: RankingScores, name: str) -> Estimate:
    for row in ranking.rows:
        if row.name == name:
            return estimate(row.mean, row.interval, reason="no_ratings", se=row.se_clustered)
    return plain(None, "no_ratings")
