"""What is left out of the results, and the numbers with and without it, side by side."""

from __future__ import annotations

from dataclasses import dataclass

from scoring.analysis.report import Exclusion, LayerReport, Report, Rule
from scoring.reports.moments import moment
from scoring.reports.values import Value, mean_value, value_of
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
ACTIONS = {"off": "not looked at", "flag": "flags", "exclude": "excludes"}


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerRow:
    """One number under each layer."""

    name: str
    what: str
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LayersPart:
    """``heads``: (layer, what it rests on). ``exclusions``: (who, how much, by what, why, when)."""

    heads: tuple[tuple[str, str], ...]
    rows: tuple[LayerRow, ...]
    exclusions: tuple[tuple[str, ...], ...]
    rules: tuple[str, ...]


def layers_part(report: Report) -> LayersPart | None:
    """None where nothing is excluded and no rule declared."""
    if not report.exclusions and not report.rules:
        return None
    return LayersPart(
        heads=tuple((LAYERS[layer.layer], _rests_on(layer)) for layer in report.layers),
        rows=tuple(_rows(report)) if report.layers else (),
        exclusions=tuple(_exclusion(row) for row in report.exclusions),
        rules=tuple(_rule(rule) for rule in report.rules),
    )


def _rests_on(layer: LayerReport) -> str:
    return f"{counted(layer.ratings, 'rating')}, {counted(layer.raters, 'annotator')}"


def _rows(report: Report) -> list[LayerRow]:
    labels = {question.key: question.label for question in report.questions}
    rows = []
    for number, question in enumerate(report.questions):
        answers = [layer.answers[number] for layer in report.layers]
        means = tuple(mean_value(answer.summary) for answer in answers)
        alphas = tuple(value_of(answer.alpha) for answer in answers)
        rows.append(LayerRow(name=question.label, what="Mean (SD)", values=means))
        rows.append(LayerRow(name=question.label, what="Alpha (ordinal)", values=alphas))
    for pairings in zip(*(layer.pairings for layer in report.layers), strict=True):
        first = pairings[0]
        values = tuple(value_of(pairing.correlation) for pairing in pairings)
        name = f"{first.metric}: {first.output}"
        rows.append(LayerRow(name=name, what=f"with {labels[first.question]}", values=values))
    return rows


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
    return f"{name}: {does} from {num(rule.threshold)}; declared {when}"
