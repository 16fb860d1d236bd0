"""Tables and cards of who disagrees: units, people against the rest, pairs, repeats."""

from __future__ import annotations

from scoring.analysis.parts.agreement import QuestionDisputes, RaterLine, UnitOrder
from scoring.analysis.report import QuestionReport, Report
from scoring.reports.agreement_words import column_title, name_of
from scoring.reports.estimates import estimate, estimate_of, plain
from scoring.reports.sections import UnitCard
from scoring.reports.tables import Column, Row, Table
from scoring.reports.words import num

GRADED = {"likert", "slider"}


def unit_cards(disputes: QuestionDisputes) -> tuple[UnitCard, ...]:
    """The most disputed units with media, answers and rationales."""
    return tuple(
        UnitCard(
            name=unit.name,
            items=unit.items,
            figure=_figure(unit.about, unit.figure),
            answers=tuple(f"{one.rater}: {one.answer}" for one in unit.answers),
            words=unit.words,
        )
        for unit in disputes.units
    )


def ordered_cards(order: UnitOrder, places: slice) -> tuple[UnitCard, ...]:
    """Some of all units, by their places in the order."""
    return tuple(
        UnitCard(name=name, items=items, figure=_figure(about, figure), answers=said, words=())
        for name, items, about, figure, said in zip(
            order.name[places],
            order.items[places],
            order.about[places],
            order.figure[places],
            order.said[places],
            strict=True,
        )
    )


def disagreement_words(question: QuestionReport) -> str:
    """What the figure of a unit is, for a question's kind."""
    if question.kind == "multi":
        what = "1 \u2212 Jaccard similarity of two people\u2019s sets"
    elif question.kind == "ranking":
        what = "share of pairs of people who give another order"
    elif question.level != "nominal":
        what = "squared difference of two answers"
    else:
        what = "share of pairs of answers that differ"
    return f"Disagreement: mean over the unit\u2019s pairs of answers; {what}."


def _figure(about: str, figure: float) -> str:
    return f"{about} \u00b7 disagreement {num(figure)}".lstrip(" \u00b7")


def raters_table(report: Report, question: QuestionReport, disputes: QuestionDisputes) -> Table:
    """Each person against the rest, those who go least with the others first."""
    primary = question.groups[0].alpha
    graded = any(line.matches is None for line in disputes.raters) and question.kind in GRADED
    own = (
        Column(key="others", title="Spearman with the others\u2019 mean", kind="number")
        if graded
        else Column(key="matches", title="Is the others\u2019 majority", kind="share")
    )
    notes = ()
    if disputes.n_raters > len(disputes.raters):
        notes = (f"The first {len(disputes.raters)} of {disputes.n_raters:,} annotators.",)
    return Table(
        name=f"raters-{question.key}",
        title=f"{question.label}: each annotator against the others, left out one at a time",
        columns=(
            Column(key="rater", title="Annotator"),
            Column(key="panel", title="Panel"),
            own,
            Column(key="without", title=f"{column_title(primary)} without them", kind="number"),
            Column(key="change", title="Change", kind="number"),
            Column(key="units", title="Units", kind="count"),
        ),
        rows=tuple(_rater_row(report, line, primary.value, graded) for line in disputes.raters),
        unit="unit that others judged too",
        aggregation="each annotator against the mean (without an order: the majority, ties left "
        "out) of the others; all countries pooled",
        notes=notes,
        folded=True,
    )


def _rater_row(report: Report, line: RaterLine, pooled: float | None, graded: bool) -> Row:
    change = None
    if line.without is not None and pooled is not None:
        change = line.without - pooled
    own = (
        plain(line.others, line.others_reason or "no_pairs")
        if graded
        else plain(line.matches, "no_pairs")
    )
    return Row(
        cells=(
            line.rater,
            name_of(report, line.group) if line.group else "",
            own,
            line.without,
            change,
            line.n_units,
        )
    )


def pairs_table(question: QuestionReport, disputes: QuestionDisputes) -> Table:
    """The pairs of people least and most alike."""
    pairs = disputes.pairs
    mean = "" if pairs.mean_same is None else f" They agree on {100 * pairs.mean_same:.0f}\u00a0% "
    rest = "of them on average." if mean else ""
    return Table(
        name=f"pairs-{question.key}",
        title=f"{question.label}: pairs of annotators, least alike first",
        columns=(
            Column(key="first", title="Annotator"),
            Column(key="second", title="Annotator"),
            Column(key="same", title="Same answer", kind="share"),
            Column(key="apart", title="Mean difference", kind="number"),
            Column(key="units", title="Units both judged", kind="count"),
        ),
        rows=tuple(
            Row(cells=(pair.first, pair.second, pair.same, pair.apart, pair.n_units))
            for pair in (*pairs.lowest, *reversed(pairs.highest))
        ),
        unit="unit that both judged",
        aggregation="each pair by itself",
        notes=(
            f"{pairs.n_pairs:,} pairs share units, {pairs.n_pairs_with_enough:,} of them "
            f"{pairs.fewest_units} or more; of these the {len(pairs.lowest)} least and the "
            f"{len(pairs.highest)} most alike are listed.{mean}{rest}",
        ),
        folded=True,
    )


def consistency_table(question: QuestionReport, disputes: QuestionDisputes) -> Table:
    """Answers to units shown again, everybody and one by one."""
    everybody, *people = disputes.consistency
    return Table(
        name=f"repeats-{question.key}",
        title=f"{question.label}: agreement with oneself on units shown again",
        columns=(
            Column(key="rater", title="Annotator"),
            Column(key="exact", title="Same answer", kind="share"),
            Column(key="within_one", title="Within one point", kind="share"),
            Column(key="kappa", title="Weighted kappa", kind="number"),
            Column(key="units", title="Units", kind="count"),
            Column(key="repeats", title="Repeats", kind="count"),
        ),
        rows=tuple(
            Row(
                cells=(
                    line.rater or "All annotators",
                    estimate(line.exact, line.interval, reason=line.reason)
                    if not line.rater
                    else plain(line.exact, line.reason),
                    line.within_one,
                    plain(line.kappa, line.reason),
                    line.n_units,
                    line.n_repeats,
                ),
                strong=not line.rater,
            )
            for line in (everybody, *people)
        ),
        unit="unit shown again",
        aggregation="the second answer against the first; kappa quadratic on scales",
        interval="95\u00a0%, annotators and units clustered",
    )


def applicability_table(
    report: Report, question: QuestionReport, disputes: QuestionDisputes
) -> Table:
    """Agreement on whether the question applies, and what a majority of noes removed."""
    return Table(
        name=f"applies-{question.key}",
        title=f"{question.label}: does the question apply?",
        columns=(
            Column(key="group", title="Annotators in"),
            Column(key="alpha", title="Alpha (nominal)", kind="number"),
            Column(key="ac1", title="AC1", kind="number"),
            Column(key="same", title="Same answer", kind="share"),
            Column(key="not_applicable", title="\u201cDoes not apply\u201d", kind="count"),
            Column(key="answers", title="Answers", kind="count"),
            Column(key="removed", title="Units removed", kind="count"),
            Column(key="tied", title="Tied, kept", kind="count"),
            Column(key="units", title="Units", kind="count"),
            Column(key="removed_answers", title="Answers gone with them", kind="count"),
        ),
        rows=tuple(
            Row(
                cells=(
                    name_of(report, one.group),
                    *(_point(result) for result in one.results),
                    one.n_not_applicable,
                    one.n_answers,
                    one.n_removed,
                    one.n_tied,
                    one.n_units,
                    one.n_removed_answers,
                ),
                strong=number == 0,
            )
            for number, one in enumerate(disputes.applicability)
        ),
        unit="item (or probe)",
        aggregation="applicable or not as two categories; a unit is removed where a majority of a "
        "panel says that the question does not apply; ties are kept",
    )


def _point(result):
    """A coefficient whose interval is not made."""
    found = estimate_of(result)
    return plain(found.value, result.reason, n=result.n_units_used)
