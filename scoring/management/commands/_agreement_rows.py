"""What `agreement` prints: one row a group and coefficient, as JSON or as a table for people."""

from __future__ import annotations

from typing import Any

from scoring.management.commands import _analysis as analysis
from scoring.stats.anova_intervals import icc_interval
from scoring.stats.coefficients import Coefficient
from scoring.stats.concordance import kendall_w_p_value
from scoring.stats.counts import CodedRatings
from scoring.stats.result import AgreementResult
from scoring.stats.self_check import check_alpha
from scoring.stats.standard_errors import standard_errors


def row_of(
    group: analysis.Group,
    ratings: CodedRatings,
    coefficient: Coefficient,
    result: AgreementResult,
    *,
    self_check: bool,
) -> dict[str, Any]:
    """One result with everything needed to read it."""
    row = {
        "group": group.label,
        "pooled": group.pooled,
        "coefficient": result.coefficient,
        "level": result.level,
        "weights": result.weights,
        "icc_form": result.form,
        "value": result.value,
        "reason": result.reason,
        **analysis.interval_fields(result),
        **_analytic(ratings, coefficient, result),
        "n_units": result.n_units,
        "n_units_paired": result.n_units_paired,
        "n_units_single": result.n_units_single,
        "n_units_used": result.n_units_used,
        "n_raters": result.n_raters,
        "n_ratings": result.n_ratings,
        "n_missing": int(group.positions.size) - ratings.n_ratings,
        "n_rater_pairs_left_out": result.n_left_out,
        "categories_declared": list(result.categories_declared),
        "categories_used": list(result.categories_used),
        "unit_of_analysis": result.unit_of_analysis,
        "aggregation": analysis.aggregation(group, result.aggregation),
    }
    if self_check:
        row["self_check"] = _self_check(ratings, coefficient)
    return row


def for_people(rows: list[dict[str, Any]], resample: str) -> str:
    """The table, and a sentence for everything in it that needs one."""
    shown = [{**row, "weights": row["icc_form"] or row["weights"] or ""} for row in rows]
    columns = {"group": "group", "coefficient": "coefficient", "level": "level"}
    if any(row["weights"] for row in shown):
        columns["weights"] = "weights"
    columns |= {
        "value": "value",
        "interval": "95 % interval",
        "se": "SE",
        "n_units": "units",
        "n_units_paired": "with 2+",
        "n_raters": "raters",
        "n_ratings": "ratings",
        "n_missing": "missing",
    }
    lines = [analysis.for_people(columns, shown, "coefficient")]
    items_only = [row for row in rows if row["replicates"] and "raters" not in row["resampled"]]
    if resample == "two-way" and items_only:
        groups = ", ".join(dict.fromkeys(analysis.group_name(row) for row in items_only))
        lines.append(f"{groups}: fewer than three raters cannot be resampled, so only items were.")
    if any(row["se_kind"] == "linearised" for row in rows):
        lines.append("SE: linearised, items as the sample and raters as given.")
    lines += [remark for row in rows for remark in _remarks(row)]
    return "\n".join(lines)


def _analytic(
    ratings: CodedRatings, coefficient: Coefficient, result: AgreementResult
) -> dict[str, Any]:
    """Standard errors, interval and p that need no bootstrap; `se` prefers the bootstrap's."""
    fields: dict[str, Any] = {
        "se": result.se,
        "se_kind": "bootstrap" if result.se is not None else None,
        "se_linearised": None,
        "se_gwet": None,
        "f_low": None,
        "f_high": None,
        "chi2": None,
        "p_value": None,
        "p_kind": None,
    }
    if result.value is None:
        return fields
    errors = standard_errors(ratings=ratings, coefficient=coefficient)
    fields |= {"se_linearised": errors.linearised, "se_gwet": errors.gwet}
    if result.se is None and errors.linearised is not None:
        fields |= {"se": errors.linearised, "se_kind": "linearised"}
    if coefficient.name == "icc":
        bounds = icc_interval(ratings=ratings, form=coefficient.form)
        if bounds is not None:
            fields |= {"f_low": bounds[0], "f_high": bounds[1]}
    if coefficient.name == "kendall_w" and result.n_units_used:
        chi2, p = kendall_w_p_value(
            result.value, n_units=result.n_units_used, n_raters=result.n_raters
        )
        fields |= {"chi2": chi2, "p_value": p, "p_kind": "chi-squared approximation"}
    return fields


def _self_check(ratings: CodedRatings, coefficient: Coefficient) -> dict[str, Any] | None:
    if coefficient.name != "krippendorff_alpha":
        return None
    check = check_alpha(ratings=ratings, level=coefficient.level, weights=coefficient.weights)
    return {
        "package": f"krippendorff {check.package_version}",
        "value": check.package,
        "difference": check.difference,
        "note": check.note,
    }


def _remarks(row: dict[str, Any]) -> list[str]:
    who = f"{analysis.group_name(row)}, {row['icc_form'] or row['coefficient']}"
    lines = []
    if row["n_rater_pairs_left_out"] and row["value"] is not None:
        pairs = row["n_raters"] * (row["n_raters"] - 1) // 2
        lines.append(
            f"{who}: mean over pairs of raters; {row['n_rater_pairs_left_out']} of {pairs} pairs "
            "are left out, having no item in common or no variation."
        )
    if row["value"] is not None and row["n_units_used"] != row["n_units_paired"]:
        lines.append(f"{who}: rests on the {row['n_units_used']} units that every rater rated.")
    if row["f_low"] is not None:
        lines.append(f"{who}: 95 % interval by F {row['f_low']:.3f} to {row['f_high']:.3f}.")
    if row["p_value"] is not None:
        p = "< 0.001" if row["p_value"] < 0.001 else f"= {row['p_value']:.3f}"
        lines.append(f"{who}: chi-squared {row['chi2']:.2f}, p {p}.")
    check = row.get("self_check")
    if check:
        said = check["note"] or f"{check['value']:.6f}, difference {check['difference']:.1e}"
        lines.append(f"{who}, level {row['level']}: {check['package']} gives {said}")
    return lines
