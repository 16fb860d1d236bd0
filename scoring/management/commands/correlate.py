"""Correlation of a metric's scores with mean human ratings, from two files."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from django.core.management.base import BaseCommand, CommandError, CommandParser

from scoring.management.commands import _analysis as analysis
from scoring.management.commands import _correlate_rows as printing
from scoring.management.commands import _correlate_sides as reading
from scoring.stats.association import METHODS, Method
from scoring.stats.ceiling import human_ceiling, leave_one_out, mean_pairwise
from scoring.stats.comparison import compare_metrics
from scoring.stats.correlation import FEWEST_IN_GROUP, FEWEST_UNITS
from scoring.stats.level_values import LEVELS, Level
from scoring.stats.levels import correlate_at_level
from scoring.stats.multiplicity import adjust_p_values
from scoring.stats.permutation import PKind
from scoring.stats.rated_items import RATERS, RatedItems, Raters
from scoring.stats.scale import NotFiniteError, NotNumericError, parse_number
from scoring.stats.slots import KAPPA_WEIGHTS, KappaWeights, NotACategoryError, slot_agreement
from scoring.tables import TableError


@dataclass(frozen=True, slots=True)
class _Asked:
    """The options, checked."""

    methods: list[Method]
    levels: list[Level]
    compared: list[str]
    replicates: int
    seed: int
    raters: Raters
    p_kind: PKind
    kappa_weights: KappaWeights
    categories: list[float]


class Command(BaseCommand):
    help = (
        "Correlation of a metric's scores with the mean human rating of the same units: pooled, "
        "within groups, group-centred or over systems; and of two metrics against each other."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("ratings", metavar="RATINGS.csv")
        parser.add_argument("scores", metavar="SCORES.csv")
        parser.add_argument("--score", required=True, metavar="COL", help="column of the score")
        parser.add_argument(
            "--rater",
            metavar="COL",
            help="column of the rater: two ratings of a unit by one are refused, and the bootstrap "
            "draws ratings too",
        )
        analysis.add_shared_options(parser)
        parser.add_argument(
            "--method",
            action="append",
            metavar="NAME",
            help=f"repeatable: {', '.join(METHODS)} (default {METHODS[0]})",
        )
        parser.add_argument(
            "--level",
            action="append",
            metavar="NAME",
            help=f"repeatable: {', '.join(LEVELS)} (default {LEVELS[0]})",
        )
        parser.add_argument(
            "--group",
            metavar="COL",
            help="column of the groups (countries, systems, prompts) that --level is about "
            "(default: that of --by)",
        )
        _add_bootstrap_options(parser)
        _add_options_of_comparison(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        asked = _asked_for(options)
        columns = analysis.columns_of(options["unit"], "--unit")
        if options["by"] and not options["group"] and asked.levels != ["pooled"]:
            options["group"] = options["by"]
        try:
            sides = reading.read_sides(options, columns, asked.compared)
        except TableError as error:
            raise CommandError(str(error)) from error
        try:
            rows = self._correlations(sides, asked, options)
            comparisons = self._comparisons(sides, asked, options)
            people = _people(sides, asked, options) if options["ceiling"] else []
        except ValueError as error:
            raise CommandError(f"{options['ratings']}: {error}") from error
        if not options["json"]:
            self.stdout.write(printing.for_people(rows, comparisons, people))
            return
        document = {
            "command": "correlate",
            "ratings": str(options["ratings"]),
            "scores": str(options["scores"]),
            "score": options["score"],
            "results": rows,
        }
        if asked.compared:
            document["comparisons"] = comparisons
        if options["ceiling"]:
            document["people"] = people
        text = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)
        self.stdout.write(text)

    def _correlations(
        self, sides: reading.Sides, asked: _Asked, options: dict[str, Any]
    ) -> list[dict[str, Any]]:
        rows = []
        for group, level, items in _pieces(sides, asked, options):
            results = correlate_at_level(
                items=items,
                level=level,
                methods=asked.methods,
                replicates=asked.replicates,
                seed=asked.seed,
                raters=asked.raters,
                p_kind=asked.p_kind,
                fewest_units=FEWEST_UNITS if group.pooled else FEWEST_IN_GROUP,
                progress=self._show_progress if sys.stderr.isatty() else None,
            )
            labels = sides.group.labels if sides.group is not None else []
            for result in results:
                row = printing.correlation_row(group, result, options["score"], labels)
                rows.append(row)
                if level == "within" and sides.by is None:
                    rows += printing.group_rows(row)
        return rows

    def _comparisons(
        self, sides: reading.Sides, asked: _Asked, options: dict[str, Any]
    ) -> list[dict[str, Any]]:
        found = []
        for other in asked.compared:
            theirs = list(_pieces(sides, asked, {**options, "score": other}))
            ours = _pieces(sides, asked, options)
            for (group, level, items), (_, _, rival) in zip(ours, theirs, strict=True):
                for method in asked.methods:
                    result = compare_metrics(
                        items=items,
                        other=rival.score,
                        level=level,
                        method=method,
                        replicates=asked.replicates,
                        seed=asked.seed,
                        raters=asked.raters,
                        progress=self._show_progress if sys.stderr.isatty() else None,
                    )
                    found.append((group, options["score"], other, result))
        p_values = [result.p_value for *_, result in found]
        family = f"the {sum(p is not None for p in p_values)} comparisons shown"
        adjusted = [
            adjust_p_values(p_values=p_values, method=method, family=family)
            for method in ("holm", "benjamini-hochberg")
        ]
        return printing.comparison_rows(found, adjusted)

    def _show_progress(self, done: int, total: int) -> None:
        self.stderr.write(f"\rbootstrap {done} of {total}", ending="\n" if done >= total else "")


def _add_bootstrap_options(parser: CommandParser) -> None:
    parser.add_argument(
        "--stratum", metavar="COL", help="column within whose values the bootstrap draws"
    )
    parser.add_argument(
        "--raters",
        metavar="NAME",
        help="what the bootstrap does with ratings: fixed (keeps each mean), within (draws an "
        "item's ratings) or crossed (draws people); default within where --rater is given, "
        "else fixed",
    )


def _add_options_of_comparison(parser: CommandParser) -> None:
    parser.add_argument(
        "--compare",
        action="append",
        metavar="COL",
        help="repeatable: another column of scores to compare --score with; both must point "
        "the same way",
    )
    parser.add_argument(
        "--permutation",
        action="store_true",
        help="p from random orders beyond nine items, not from a formula",
    )
    parser.add_argument(
        "--ceiling", action="store_true", help="also how well people predict people"
    )
    parser.add_argument(
        "--categories",
        metavar="A,B,C",
        help="the scale's points in order, for the kappa of --ceiling (default: those used)",
    )
    parser.add_argument(
        "--kappa-weights",
        default="quadratic",
        help=f"of --ceiling: {', '.join(KAPPA_WEIGHTS)} (default quadratic)",
    )


def _asked_for(options: dict[str, Any]) -> _Asked:
    methods = analysis.names(options["method"], METHODS[:1])
    analysis.choose(methods, METHODS, "--method")
    levels = analysis.names(options["level"], LEVELS[:1])
    analysis.choose(levels, LEVELS, "--level")
    if levels != ["pooled"] and not (options["group"] or options["by"]):
        raise CommandError(
            f"--level {levels[-1]} needs groups: name their column with --group, for instance "
            "--group country."
        )
    raters = options["raters"] or ("within" if options["rater"] else "fixed")
    analysis.choose([raters], RATERS, "--raters")
    if raters == "crossed" and not options["rater"]:
        raise CommandError("--raters crossed draws people: name their column with --rater.")
    analysis.choose([options["kappa_weights"]], KAPPA_WEIGHTS, "--kappa-weights")
    compared = analysis.names(options["compare"])
    if options["score"] in compared:
        raise CommandError(f"--compare {options['score']} is the same column as --score.")
    try:
        categories = [parse_number(one) for one in analysis.listed(options["categories"])]
    except (NotNumericError, NotFiniteError) as error:
        raise CommandError(f"--categories: {error}") from error
    return _Asked(
        methods=cast(list[Method], methods),
        levels=cast(list[Level], levels),
        compared=compared,
        replicates=analysis.whole_number(options["bootstrap"], "--bootstrap"),
        seed=analysis.whole_number(options["seed"], "--seed"),
        raters=cast(Raters, raters),
        p_kind="permutation" if options["permutation"] else "asymptotic",
        kappa_weights=cast(KappaWeights, options["kappa_weights"]),
        categories=categories,
    )


def _pieces(
    sides: reading.Sides, asked: _Asked, options: dict[str, Any]
) -> list[tuple[analysis.Group, Level, RatedItems]]:
    """Every group of `--by` at every level. A group that `--group` names too is pooled only."""
    pieces = []
    same = sides.by is not None and sides.group is not None and sides.by.name == sides.group.name
    for group in reading.groups_of(sides):
        levels: list[Level] = ["pooled"] if same and not group.pooled else asked.levels
        for level in levels:
            by_group = level != "pooled"
            found = reading.material_of(group, sides, options["score"], by_group=by_group)
            named = replace(group, units_within_groups=True) if found.several else group
            pieces.append((named, level, found.items))
    return pieces


def _people(sides: reading.Sides, asked: _Asked, options: dict[str, Any]) -> list[dict[str, Any]]:
    rows = []
    for group in reading.groups_of(sides):
        items = reading.material_of(group, sides, options["score"], by_group=False).items
        categories = asked.categories or np.unique(items.value).tolist()
        named = items.rater is not None
        for method in asked.methods:
            try:
                slots = slot_agreement(
                    items=items,
                    categories=categories,
                    method=method,
                    weights=asked.kappa_weights,
                    seed=asked.seed,
                )
            except NotACategoryError as error:
                raise CommandError(f"--categories: {error}") from error
            rows.append(
                printing.people_row(
                    group,
                    human_ceiling(items=items),
                    slots,
                    leave_one_out(items=items, method=method) if named else None,
                    mean_pairwise(items=items, method=method) if named else None,
                )
            )
    return rows
