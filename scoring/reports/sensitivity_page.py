"""What is left out of the results, and the numbers with and without it, side by side."""

from __future__ import annotations

from scoring.analysis.report import Exclusion, LayerReport, PilotReport, Report, Rule
from scoring.reports.agreement_words import column_title, short_name
from scoring.reports.estimates import estimate, estimate_of, plain
from scoring.reports.moments import moment
from scoring.reports.sections import Chart, Plots, Section
from scoring.reports.tables import Column, Estimate, Row, Table
from scoring.reports.words import counted, num

LAYERS = {"all": "Without exclusions", "after-rules": "After rules", "after-all": "After all"}
RULES = {
    "checks": "Checks failed",
    "fast": "Very fast",
    "straight": "Same answer throughout",
    "position": "Same position throughout",
    "short-text": "Short rationales",
    "copied-text": "Same text on several units",
    "shared-text": "Same text as others",
    "repeats": "Unlike themselves",
    "consensus": "Far from the others",
}
THRESHOLDS = {
    "checks": "from {} screens on",
    "fast": "from {} % of the screens on",
    "straight": "from {} % of the answers on",
    "position": "from {} % of the choices on",
    "short-text": "below {} letters",
    "copied-text": "from {} % of the texts on",
    "shared-text": "from {} texts on",
    "repeats": "below {} % within one point",
    "consensus": "from {} % of the scale on",
}
ACTIONS = {"off": "not looked at", "flag": "flags", "exclude": "excludes"}


def sections(report: Report, plots: Plots) -> tuple[Section, ...]:
    found = [
        Section(
            id="exclusions",
            title="With and without exclusions",
            finding=sensitivity_finding(report),
            tables=(_numbers(report),) if report.layers else (),
            charts=_charts(report),
        ),
        Section(
            id="left-out",
            title="Who is left out, and by which rules",
            tables=(_left_out(report),) if report.exclusions else (),
            points=tuple(_rule(rule) for rule in report.rules) or ("No rule was declared.",),
        ),
    ]
    if report.pilot is not None:
        found.append(_pilot(report, report.pilot))
    return tuple(found)


def sensitivity_finding(report: Report) -> str:
    """What leaving answers out has changed of each primary coefficient."""
    if not report.layers:
        return "Nothing is left out."
    before, after = report.layers[0], report.layers[-1]
    parts = []
    for question, first, last in zip(report.questions, before.answers, after.answers, strict=True):
        if first.alpha.value is not None and last.alpha.value is not None:
            change = last.alpha.value - first.alpha.value
            sign = "+" if change > 0 and num(change) != "0.00" else ""
            parts.append(f"{question.label} {short_name(last.alpha)} {sign}{num(change)}")
    left = before.ratings - after.ratings
    counts = f"Without exclusions {counted(before.ratings, 'rating')}, after all {after.ratings:,}"
    changes = f" Changes: {'; '.join(parts)}." if parts else ""
    return f"{counts} ({left:,} fewer).{changes}"


def _charts(report: Report) -> tuple[Chart, ...]:
    if not report.layers:
        return ()
    return (
        Chart(
            key="sensitivity",
            title="Agreement under each layer of exclusions",
            caption="The primary coefficient of each question, everybody pooled, with 95\u00a0% "
            "intervals; at the end the change from without exclusions to after all. "
            "The table below has the numbers.",
        ),
    )


def _numbers(report: Report) -> Table:
    return Table(
        name="sensitivity",
        title="Numbers without exclusions, after rules and after all exclusions",
        columns=(
            Column(key="of", title="Of everybody, pooled"),
            Column(key="what", title="What"),
            *(
                Column(
                    key=layer.layer.replace("-", "_"),
                    title=f"{LAYERS[layer.layer]} ({_rests_on(layer)})",
                    kind="number",
                )
                for layer in report.layers
            ),
            Column(key="change", title="Change in all", kind="number"),
        ),
        rows=tuple(_rows(report)),
        unit="item; of means single answers",
        aggregation="everybody pooled",
        interval="as on the pages on agreement and on metrics",
        notes=(
            "Without exclusions a unit may have more ratings than it was to get: others have "
            "filled the places of what is left out.",
        ),
    )


def _rests_on(layer: LayerReport) -> str:
    return f"{counted(layer.ratings, 'rating')}, {counted(layer.raters, 'annotator')}"


def _rows(report: Report) -> list[Row]:
    labels = {question.key: question.label for question in report.questions}
    rows = []
    for number, question in enumerate(report.questions):
        answers = [layer.answers[number] for layer in report.layers]
        means = [
            estimate(one.summary.mean, one.summary.interval, reason=one.summary.reason)
            for one in answers
        ]
        rows.append(_layer_row(question.label, "Mean", means))
        for place, coefficient in enumerate(answers[0].coefficients):
            found = [estimate_of(one.coefficients[place]) for one in answers]
            rows.append(_layer_row(question.label, column_title(coefficient), found))
    by_layer = [
        {(one.metric, one.output, one.question): one.correlation for one in layer.pairings}
        for layer in report.layers
    ]
    for metric, output, question in by_layer[0] if by_layer else ():
        found = [
            estimate(one.value, one.interval, reason=one.reason, se=one.se, n=one.n_units)
            if one is not None
            else plain(None, "no_shared_items")
            for one in (pairs.get((metric, output, question)) for pairs in by_layer)
        ]
        name = f"{metric}: {output}"
        rows.append(_layer_row(name, f"with {labels.get(question, question)}", found))
    return rows


def _layer_row(name: str, what: str, cells: list[Estimate]) -> Row:
    first, last = cells[0].value, cells[-1].value
    change = last - first if first is not None and last is not None else None
    return Row(cells=(name, what, *cells, change))


def _pilot(report: Report, pilot: PilotReport) -> Section:
    return Section(
        id="pilot",
        title="The pilot, apart",
        finding=f"{counted(pilot.ratings, 'rating')} by {counted(pilot.raters, 'annotator')}; they "
        "are in none of the numbers above or on other pages.",
        tables=(
            Table(
                name="pilot",
                title="What the pilot\u2019s answers say",
                columns=(
                    Column(key="question", title="Question"),
                    Column(key="mean", title="Mean", kind="number"),
                    Column(key="sd", title="SD", kind="number"),
                    Column(key="coefficient", title="Coefficient"),
                    Column(key="value", title="Its value", kind="number"),
                    Column(key="items", title="Items", kind="count"),
                    Column(key="raters", title="Annotators", kind="count"),
                    Column(key="answers", title="Answers", kind="count"),
                ),
                rows=tuple(
                    Row(
                        cells=(
                            question.label,
                            plain(one.summary.mean, one.summary.reason),
                            plain(one.summary.sd, one.summary.sd_reason),
                            column_title(one.alpha),
                            plain(one.alpha.value, one.alpha.reason),
                            one.summary.n_items,
                            one.summary.n_raters,
                            one.summary.n_ratings,
                        )
                    )
                    for question, one in zip(report.questions, pilot.answers, strict=True)
                ),
                unit="single answer; of coefficients items",
                aggregation="everybody pooled",
            ),
        ),
    )


def _left_out(report: Report) -> Table:
    titles = ("Annotator", "Left out", "By", "Why", "When", "Places")
    return Table(
        name="left-out",
        title="What is left out",
        columns=tuple(Column(key=title.lower().replace(" ", "_"), title=title) for title in titles),
        rows=tuple(Row(cells=_exclusion(row)) for row in report.exclusions),
        unit="exclusion",
        aggregation="none",
    )


def _exclusion(row: Exclusion) -> tuple[str, ...]:
    much = "all answers" if row.screen is None else f"screen {row.screen}"
    return (
        row.rater,
        f"{much}, {counted(row.ratings, 'rating')}",
        f"rule: {RULES.get(row.rule, row.rule)}" if row.rule else "a person",
        row.reason,
        moment(row.made_at),
        "given to others" if row.replaced else "kept",
    )


def _rule(rule: Rule) -> str:
    when = "before the first rating" if rule.in_time else "after ratings had begun"
    does = ACTIONS.get(rule.action, rule.action)
    name = RULES.get(rule.kind, rule.kind)
    limit = "" if rule.action == "off" else f" {_threshold(rule)}"
    return f"{name}: {does}{limit}; declared {when}"


def _threshold(rule: Rule) -> str:
    pattern = THRESHOLDS.get(rule.kind, "from {} on")
    return pattern.format(f"{100 * rule.threshold if '%' in pattern else rule.threshold:g}")
