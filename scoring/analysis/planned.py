"""What an analysis plan says of correlations, in the terms of `scoring.stats.levels`."""

from __future__ import annotations

from typing import cast

from scoring.analysis.parts.against import PlannedCorrelation
from scoring.analysis.series import Plan
from scoring.stats.association import Method
from scoring.stats.level_values import Level

METHODS: dict[str, Method] = {
    "spearman": "spearman",
    "pearson": "pearson",
    "kendall": "kendall",
    "kendall_tau_b": "kendall",
}
EVERY: tuple[Method, ...] = ("spearman", "pearson", "kendall")

SLOW = "kendall"
"""Beyond the pooled level this one is computed only where the plan asks for it."""

LEVELS: dict[str, tuple[Level, str]] = {
    "pooled": ("pooled", ""),
    "items": ("pooled", ""),
    "by-region": ("pooled", ""),
    "within-country": ("within", "country"),
    "within-system": ("within", "system"),
    "centred": ("centred", "country"),
    "system": ("system", "system"),
    "by-system": ("system", "system"),
}
"""What a plan calls a level -> (level, what its groups are). Anything else is pooled."""


def planned_correlation(plan: Plan) -> PlannedCorrelation:
    """The plan's methods, primary first and the others after them, and its level."""
    named = [METHODS[name] for name in plan.methods if name in METHODS]
    level, grouping = LEVELS.get(plan.level.strip().replace(" ", "-"), ("pooled", ""))
    return PlannedCorrelation(
        methods=tuple(dict.fromkeys((*named, *EVERY))),
        asked=tuple(dict.fromkeys(named)),
        level=level,
        grouping=grouping,
        named=plan.level,
        has_targets=bool(plan.targets),
        fixed=plan.fixed,
    )


def methods_at(level: Level, planned: PlannedCorrelation, *, estimates: bool) -> tuple[Method, ...]:
    """What is computed at a level: of the first estimates, the primary method alone.

    Beyond the pooled level Kendall's tau takes minutes; it is left out unless the plan names it.
    """
    methods = cast(tuple[Method, ...], planned.methods)
    if level == "pooled":
        return methods
    if estimates:
        return methods[:1]
    return tuple(one for one in methods if one != SLOW or one in planned.asked)
