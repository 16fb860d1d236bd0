"""What `correlate` prints: rows of correlations, comparisons and the human ceiling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scoring.management.commands import _analysis as analysis
from scoring.stats.ceiling import HumanCeiling, LeaveOneOut, PairwiseHumans
from scoring.stats.comparison import MetricComparison
from scoring.stats.levels import LevelCorrelation
from scoring.stats.multiplicity import AdjustedFamily
from scoring.stats.result import describe
from scoring.stats.slots import SlotAgreement

Row = dict[str, Any]

WITHIN_ONE = "mean rating of each item, within this group"


def correlation_row(
    group: analysis.Group, result: LevelCorrelation, score: str, labels: Sequence[str]
) -> Row:
    """One correlation as a JSON row; `labels` name the groups of `--group`."""
    return {
        "group": group.label,
        "pooled": group.pooled,
        "level": result.level,
        "score": score,
        "coefficient": result.method,
        "method": result.method,
        "variant": result.variant,
        "value": result.value,
        "fisher_mean": result.fisher_mean,
        "reason": result.reason,
        **analysis.interval_fields(result),
        "p_value": result.p_value,
        "p_kind": result.p_kind,
        "n_units": result.n_units,
        "n_points": result.n_points,
        "n_drawn": result.n_drawn,
        "n_left_out": result.n_left_out,
        "n_without_score": result.n_without_score,
        "n_without_rating": result.n_without_rating,
        "n_raters": result.n_raters,
        "n_ratings": result.n_ratings,
        "n_groups": result.n_groups,
        "groups": [
            {
                "group": labels[one.group],
                "value": one.value,
                "reason": one.reason,
                "p_value": one.p_value,
                "p_kind": one.p_kind,
                "n_units": one.n_units,
                "n_left_out": one.n_without_score + one.n_without_rating,
                "n_without_score": one.n_without_score,
                "n_without_rating": one.n_without_rating,
                "n_raters": one.n_raters,
                "n_ratings": one.n_ratings,
            }
            for one in result.groups
            if one.group < len(labels)
        ],
        "unit_of_analysis": result.unit_of_analysis,
        "aggregation": analysis.aggregation(group, result.aggregation),
    }


def group_rows(row: Row) -> list[Row]:
    """A row for each group that the row of a mean within groups is made of."""
    nothing = dict.fromkeys(
        (
            *("fisher_mean", "se", "ci_low", "ci_high", "ci_reason", "ci_level", "ci_kind"),
            *("resampled", "seed", "undefined_share", "n_groups"),
        )
    )
    return [
        {
            **row,
            **nothing,
            **one,
            "pooled": False,
            "replicates": 0,
            "too_few_for_interval": False,
            "n_points": one["n_units"],
            "n_drawn": one["n_units"],
            "groups": [],
            "aggregation": WITHIN_ONE,
        }
        for one in row["groups"]
    ]


def comparison_rows(
    found: Sequence[tuple[analysis.Group, str, str, MetricComparison]],
    adjusted: Sequence[AdjustedFamily],
) -> list[Row]:
    """Comparisons of two columns of scores as JSON rows, with p adjusted over all of them."""
    rows = []
    for place, (group, first, second, result) in enumerate(found):
        row = {
            "group": group.label,
            "pooled": group.pooled,
            "level": result.level,
            "method": result.method,
            "variant": result.variant,
            "score": first,
            "compare": second,
            "score_value": result.first,
            "compare_value": result.second,
            "between": result.between,
            "difference": result.difference,
            "value": result.difference,
            "reason": result.reason,
            **analysis.interval_fields(result),
            "p_value": result.p_value,
            "p_kind": result.p_kind,
            "n_units": result.n_units,
            "n_drawn": result.n_drawn,
            "n_left_out": result.n_left_out,
            "tests": [
                {
                    "test": test.test,
                    "statistic": test.statistic,
                    "df": test.df,
                    "p_value": test.p_value,
                    "reason": test.reason,
                }
                for test in result.tests
            ],
            "zou_low": result.zou.low if result.zou else None,
            "zou_high": result.zou.high if result.zou else None,
            "aggregation": analysis.aggregation(group, result.aggregation),
        }
        for family in adjusted:
            row[f"p_{family.method.replace('-', '_')}"] = family.adjusted[place]
            row["family"] = family.family
        rows.append(row)
    return rows


def people_row(
    group: analysis.Group,
    ceiling: HumanCeiling,
    slots: SlotAgreement,
    one_out: LeaveOneOut | None,
    pairs: PairwiseHumans | None,
) -> Row:
    """How well people predict people in one group, for one method."""
    return {
        "group": group.label,
        "pooled": group.pooled,
        "method": slots.method,
        "ceiling": ceiling.value,
        "ceiling_reason": ceiling.reason,
        "ceiling_low": ceiling.low,
        "ceiling_high": ceiling.high,
        "ceiling_interval": ceiling.interval_kind,
        "reliability": ceiling.reliability,
        "reliability_form": ceiling.form,
        "ratings_an_item": ceiling.k,
        "leave_one_out": one_out.human if one_out else None,
        "leave_one_out_metric": one_out.metric if one_out else None,
        "leave_one_out_reason": one_out.reason if one_out else None,
        "leave_one_out_undefined": one_out.n_raters_undefined if one_out else None,
        "pairwise": pairs.value if pairs else None,
        "pairwise_fisher": pairs.fisher_mean if pairs else None,
        "pairwise_reason": pairs.reason if pairs else None,
        "n_pairs": pairs.n_pairs if pairs else None,
        "n_pairs_undefined": pairs.n_pairs_undefined if pairs else None,
        "slot_correlation": slots.correlation,
        "slot_metric": slots.metric,
        "slot_kappa": slots.kappa,
        "slot_kappa_weights": slots.kappa_weights,
        "slot_reason": slots.reason,
        "slot_assignments": slots.assignments,
        "slot_seed": slots.seed,
        "n_units_with_two": slots.n_units,
        "n_items": ceiling.n_items,
        "n_ratings": ceiling.n_ratings,
    }


def for_people(rows: list[Row], comparisons: list[Row], people: list[Row]) -> str:
    """The tables, and a sentence for everything in them that needs one."""
    columns = {"group": "group"}
    if {row["level"] for row in rows} != {"pooled"}:
        columns["level"] = "level"
    columns |= {"method": "method", "value": "value"}
    if any(row["fisher_mean"] is not None for row in rows):
        columns["fisher_mean"] = "Fisher mean"
    columns |= {
        "interval": "95 % interval",
        "p_value": "p",
        "n_units": "units",
        "n_without_score": "no score",
        "n_without_rating": "no rating",
        "n_ratings": "ratings",
    }
    lines = [analysis.text_table(columns, rows), "", analysis.resampling_line(rows)]
    lines += _levels_said(rows)
    lines += analysis.remarks([row for row in rows if not _few_clusters(row)], "method")
    for row in rows:
        if _few_clusters(row):
            lines.append(
                f"{analysis.group_name(row)}, {row['level']}, {row['method']}: {row['n_drawn']} "
                "clusters are too few for a dependable interval (fewer than 20)."
            )
    if comparisons:
        lines += ["", *_comparison_lines(comparisons)]
    for row in people:
        lines += ["", *_people_lines(row)]
    return "\n".join(lines)


def _few_clusters(row: Row) -> bool:
    """Whether it is clusters, not items, that are too few for an interval that is there."""
    drawn = row["ci_low"] is not None and "clusters" in row["resampled"]
    return drawn and row["too_few_for_interval"]


def _levels_said(rows: list[Row]) -> list[str]:
    said = {}
    for row in rows:
        if row["level"] == "pooled" or row["aggregation"] == WITHIN_ONE:
            continue
        counted = ""
        if row["level"] == "within":
            defined = sum(one["value"] is not None for one in row["groups"])
            counted = f" ({defined} of {len(row['groups'])} groups have a value)"
        said.setdefault(f"{row['level']}: {row['aggregation']}{counted}.")
    return list(said)


def _comparison_lines(rows: list[Row]) -> list[str]:
    columns = {
        "group": "group",
        "level": "level",
        "method": "method",
        "score": "score",
        "score_value": "value",
        "compare": "against",
        "compare_value": "value ",
        "value": "difference",
        "interval": "95 % interval",
        "p_value": "p",
        "p_holm": "p Holm",
        "p_benjamini_hochberg": "p BH",
        "n_units": "units",
    }
    lines = [analysis.text_table(columns, rows), ""]
    first = next((row for row in rows if row["p_kind"]), None)
    if first is not None:
        lines.append(f"p: {first['p_kind']}; adjusted over {first['family']}.")
    for row in rows:
        who = f"{analysis.group_name(row)}, {row['level']}, {row['method']}"
        who += f", {row['score']} - {row['compare']}"
        if row["reason"]:
            lines.append(f"{who}: undefined. {describe(row['reason'])}")
        tests = [test for test in row["tests"] if test["statistic"] is not None]
        if tests:
            said = "; ".join(
                f"{test['test']} {'z' if test['df'] is None else 't'} = {test['statistic']:.3f}, "
                f"p {_p(test['p_value'])}"
                for test in tests
            )
            zou = f"zou2007 {row['zou_low']:.3f} to {row['zou_high']:.3f}"
            lines.append(f"{who}: {said}; {zou}.")
    return lines


def _people_lines(row: Row) -> list[str]:
    lines = [f"People among themselves, {analysis.group_name(row)}, {row['method']}:"]
    if row["ceiling"] is None:
        lines.append(f"  ceiling: undefined. {describe(row['ceiling_reason'])}")
    else:
        lines.append(
            f"  ceiling {row['ceiling']:.3f} ({row['ceiling_low']:.3f} to "
            f"{row['ceiling_high']:.3f}): square root of {row['reliability_form']} of the mean of "
            f"{row['ratings_an_item']:.3g} ratings"
        )
    if row["leave_one_out"] is not None:
        metric = row["leave_one_out_metric"]
        same = "" if metric is None else f"; the metric against that same mean {metric:.3f}"
        lines.append(f"  a rater against the mean of the others {row['leave_one_out']:.3f}{same}")
    elif row["leave_one_out_reason"]:
        lines.append(f"  leave one out: undefined. {describe(row['leave_one_out_reason'])}")
    if row["pairwise"] is not None:
        lines.append(f"  two raters {row['pairwise']:.3f}, mean over {row['n_pairs']} pairs")
    if row["slot_correlation"] is None:
        lines.append(f"  rater slots: undefined. {describe(row['slot_reason'])}")
    else:
        kappa = "undefined" if row["slot_kappa"] is None else f"{row['slot_kappa']:.3f}"
        metric = row["slot_metric"]
        same = "" if metric is None else f", the metric against one rating {metric:.3f}"
        lines.append(
            f"  rater slots {row['slot_correlation']:.3f}, {row['slot_kappa_weights']} kappa "
            f"{kappa}{same}: mean over {row['slot_assignments']} random assignments, seed "
            f"{row['slot_seed']}"
        )
    return lines


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"= {value:.3f}"
