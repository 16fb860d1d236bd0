"""What is left out of the results, and the numbers with and without it, side by side."""

from __future__ import annotations

from scoring.analysis.report import Exclusion, LayerReport, Report, Rule
from scoring.reports.estimates import estimate_of, plain
from scoring.reports.moments import moment
from scoring.reports.sections import Plots, Section
from scoring.reports.tables import Column, Row, Table
from scoring.reports.words import counted

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
    return (
        Section(
            id="exclusions",
            title="With and without exclusions",
            finding="" if report.exclusions else "Nothing is left out.",
            tables=(_numbers(report), _left_out(report)) if report.layers else (),
            points=tuple(_rule(rule) for rule in report.rules),
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
        ),
        rows=tuple(_rows(report)),
        unit="item",
        aggregation="everybody pooled",
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
        means = tuple(plain(one.summary.mean, one.summary.reason) for one in answers)
        alphas = tuple(estimate_of(one.alpha) for one in answers)
        rows.append(Row(cells=(question.label, "Mean", *means)))
        rows.append(Row(cells=(question.label, "Alpha (ordinal)", *alphas)))
    for pairings in zip(*(layer.pairings for layer in report.layers), strict=True):
        first = pairings[0]
        values = tuple(estimate_of(pairing.correlation) for pairing in pairings)
        name = f"{first.metric}: {first.output}"
        rows.append(Row(cells=(name, f"with {labels[first.question]}", *values)))
    return rows


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
    return f"{name}: {does} {_threshold(rule)}; declared {when}"


def _threshold(rule: Rule) -> str:
    pattern = THRESHOLDS.get(rule.kind, "from {} on")
    return pattern.format(f"{100 * rule.threshold if '%' in pattern else rule.threshold:g}")
