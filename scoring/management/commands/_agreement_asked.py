"""Which coefficients the options of `agreement` ask for, and on which scale."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from django.core.management.base import CommandError, CommandParser

from scoring.management.commands import _analysis as analysis
from scoring.stats.anova import ICC_FORMS, IccForm, UnknownIccFormError, icc_form
from scoring.stats.coefficients import (
    AGGREGATES,
    COEFFICIENTS,
    OF_SETS,
    WITHOUT_WEIGHTS,
    Coefficient,
    CoefficientName,
)
from scoring.stats.counts import Codes
from scoring.stats.scale import (
    LEVELS,
    MISSING,
    Level,
    NegativeRatioError,
    NotFiniteError,
    NotNumericError,
    Scale,
    UnknownCategoryError,
    declare_scale,
    scale_from_ratings,
)
from scoring.stats.sets import EMPTY, SEPARATOR, SetSyntaxError, parse_set, set_scale
from scoring.stats.weights import SET_DISTANCES, WEIGHTS, Distance
from scoring.tables import Table, first_position

ALPHA = "krippendorff_alpha"
UNWEIGHTED = "unweighted"


@dataclass(frozen=True, slots=True)
class Asked:
    """What the options ask for; `level` None where it was left out."""

    names: tuple[CoefficientName, ...]
    level: Level | None
    weights: tuple[Distance, ...]
    forms: tuple[IccForm, ...]
    aggregate: Any
    skip_empty: bool

    @property
    def of_sets(self) -> bool:
        """Whether the values are sets of options."""
        return any(name in OF_SETS for name in self.names) or any(
            name in SET_DISTANCES for name in self.weights
        )

    @property
    def needs_order(self) -> bool:
        """Whether something asked for makes no sense of categories without an order."""
        graded = any(name not in ("identity", *SET_DISTANCES) for name in self.weights)
        return (
            graded
            or any(name in ("gwet_ac2", *WITHOUT_WEIGHTS) for name in self.names)
            or (ALPHA in self.names and not self.weights)
        )

    def coefficients(self, scale: Scale) -> list[Coefficient]:
        """The coefficients, in the order asked for. Raises CommandError."""
        try:
            return [one for name in self.names for one in self._named(name, scale.level)]
        except ValueError as error:
            raise CommandError(str(error)) from error

    def _named(self, name: CoefficientName, level: Level) -> list[Coefficient]:
        if name in OF_SETS:
            return [Coefficient(name, aggregate=self.aggregate, skip_empty=self.skip_empty)]
        if name == "icc":
            return [Coefficient(name, level, form=form) for form in self.forms]
        if name in ("gwet_ac1", "kendall_w"):
            return [Coefficient(name, level)]
        if name == ALPHA and (self.level or not self.weights):
            by_sets: Distance | None = "jaccard" if self.of_sets and not self.level else None
            return [Coefficient(name, level, weights=by_sets)]
        chosen: tuple[Distance | None, ...] = self.weights or (None,)
        return [Coefficient(name, level, weights=weights) for weights in chosen]


def add_options(parser: CommandParser) -> None:
    """The options that say what to compute."""
    parser.add_argument(
        "--coefficient",
        action="append",
        metavar="NAME",
        help=f"repeatable: {', '.join(COEFFICIENTS)} (default {COEFFICIENTS[0]})",
    )
    parser.add_argument(
        "--level",
        help=f"level of measurement: {', '.join(LEVELS)} (default ordinal, or nominal where the "
        "values are words and nothing asked for needs an order)",
    )
    parser.add_argument(
        "--weights",
        "--distance",
        dest="weights",
        action="append",
        metavar="NAME",
        help=f"repeatable: {', '.join(WEIGHTS)}; for sets {', '.join(SET_DISTANCES)} (default "
        "quadratic for gwet_ac2, identity elsewhere; alpha goes by --level when that is given)",
    )
    parser.add_argument(
        "--icc-form",
        action="append",
        metavar="FORM",
        help=f"repeatable: {', '.join(ICC_FORMS)}, or the like of ICC(A,1) (default ICC2)",
    )
    parser.add_argument(
        "--categories",
        metavar="A,B,C",
        help="the scale's categories, in order; in quotes where one has a comma",
    )
    _add_options_of_sets(parser)


def _add_options_of_sets(parser: CommandParser) -> None:
    parser.add_argument(
        "--aggregate",
        default="items",
        help="average pairwise similarity as a mean over items (the default) or over pairs",
    )
    parser.add_argument(
        "--skip-empty",
        action="store_true",
        help="leave pairs of two empty sets out instead of counting them as 1",
    )
    parser.add_argument(
        "--separator", default=SEPARATOR, help=f"between the options of a set (default {SEPARATOR})"
    )
    parser.add_argument(
        "--nothing",
        default=EMPTY,
        metavar="TEXT",
        help=f"how a cell says that nothing was chosen (default {EMPTY})",
    )


def asked_for(options: dict[str, Any]) -> Asked:
    """The options, checked. Raises CommandError."""
    if options["level"]:
        analysis.choose([options["level"]], LEVELS, "--level")
    names = analysis.names(options["coefficient"], COEFFICIENTS[:1])
    analysis.choose(names, COEFFICIENTS, "--coefficient")
    weights = analysis.names(options["weights"])
    analysis.choose(weights, (*WEIGHTS, *SET_DISTANCES, UNWEIGHTED), "--weights")
    analysis.choose([options["aggregate"]], AGGREGATES, "--aggregate")
    if not options["separator"].strip() or not options["nothing"].strip():
        raise CommandError("--separator and --nothing need a text that is not empty.")
    identity = ["identity" if name == UNWEIGHTED else name for name in weights]
    return Asked(
        names=cast(tuple[CoefficientName, ...], tuple(names)),
        level=options["level"] or None,
        weights=cast(tuple[Distance, ...], tuple(dict.fromkeys(identity))),
        forms=_forms(options["icc_form"]),
        aggregate=options["aggregate"],
        skip_empty=bool(options["skip_empty"]),
    )


def declared_categories(given: str | Sequence[object] | None) -> list[str]:
    """The categories in their order: a list as it is, a text cut at commas outside quotes."""
    if given is None or isinstance(given, str):
        given = next(csv.reader([given or ""], skipinitialspace=True), [])
    return [str(one).strip() for one in given if str(one).strip()]


def scale_and_codes(table: Table, asked: Asked, options: dict[str, Any]) -> tuple[Scale, Codes]:
    """(scale, category code of each row); raises TableError naming the line of a bad value."""
    if asked.of_sets:
        return _sets(table, asked, options)
    level = asked.level or _level_of(table, asked, options)
    return _categories(table, level, options)


def _forms(given: str | list[str] | None) -> tuple[IccForm, ...]:
    """ICC(A,1) has a comma of its own, so forms are told apart outside brackets only."""
    listed = [given] if isinstance(given, str) else list(given or ["ICC2"])
    parts = [part for item in listed for part in _outside_brackets(item)]
    try:
        return tuple(dict.fromkeys(icc_form(part) for part in parts))
    except UnknownIccFormError as error:
        raise CommandError(f"--icc-form: {error}") from error


def _outside_brackets(text: str) -> list[str]:
    parts, depth = [""], 0
    for sign in text:
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts if part.strip()]


def _level_of(table: Table, asked: Asked, options: dict[str, Any]) -> Level:
    """Ordinal, unless the values are words and nothing asked for needs an order."""
    if asked.needs_order or declared_categories(options["categories"]):
        return "ordinal"
    _, labels = table.codes(options["value"])
    try:
        scale_from_ratings(level="ordinal", found=[label for label in labels if label.strip()])
    except NotNumericError:
        return "nominal"
    except NotFiniteError:
        # "nan" and "inf" are refused by their line where the values are numbers otherwise.
        return "ordinal"
    return "ordinal"


def _categories(table: Table, level: Level, options: dict[str, Any]) -> tuple[Scale, Codes]:
    column = options["value"]
    codes, labels = table.codes(column)
    cleaned = ["" if not label.strip() else label for label in labels]
    declared = declared_categories(options["categories"])
    try:
        if declared:
            scale = declare_scale(level=level, categories=declared)
        else:
            scale = scale_from_ratings(level=level, found=_numeric(level, table, column))
    except ValueError as error:
        raise CommandError(f"--categories: {error}") from error
    by_label = np.full(len(labels), MISSING, dtype=np.intp)
    for code, label in enumerate(cleaned):
        try:
            by_label[code] = scale.code(label)
        except (UnknownCategoryError, NotNumericError, NotFiniteError) as error:
            raise table.refuse(
                first_position(codes, code),
                column,
                f"{error} Correct it or add it to --categories.",
            ) from error
    return scale, by_label[codes]


def _numeric(level: Level, table: Table, column: str) -> list[str]:
    """The labels that occur; raises TableError for one that should be a number and is not."""
    codes, labels = table.codes(column)
    present = [label for label in labels if label.strip()]
    if level == "nominal":
        return present
    for code, label in enumerate(labels):
        if not label.strip():
            continue
        try:
            scale_from_ratings(level=level, found=[label])
        except NegativeRatioError as error:
            raise table.refuse(
                first_position(codes, code), column, f"{error} Use --level interval instead."
            ) from error
        except (NotNumericError, NotFiniteError) as error:
            hint = "Correct it, or leave the cell empty if it is missing"
            if level == "ordinal":
                hint += "; for words, give their order with --categories a,b,c"
            hint += ", or use --level nominal."
            raise table.refuse(first_position(codes, code), column, f"{error} {hint}") from error
    return present


def _sets(table: Table, asked: Asked, options: dict[str, Any]) -> tuple[Scale, Codes]:
    """Each distinct set is a category; an empty cell is a missing answer."""
    if asked.level not in (None, "nominal"):
        raise CommandError(
            f"--level {asked.level} makes no sense of sets of options; leave it out or use nominal."
        )
    column = options["value"]
    codes, labels = table.codes(column)
    declared = declared_categories(options["categories"])
    chosen = []
    for code, label in enumerate(labels):
        try:
            one = parse_set(label, separator=options["separator"], empty=options["nothing"])
            if one and declared and not one <= set(declared):
                wrong = sorted(one - set(declared))[0]
                raise SetSyntaxError(f"{wrong!r} is not among --categories.")
        except SetSyntaxError as error:
            raise table.refuse(first_position(codes, code), column, str(error)) from error
        chosen.append(one)
    scale = set_scale(
        found=[one for one in chosen if one is not None],
        options=declared or None,
        separator=options["separator"],
        empty=options["nothing"],
    )
    by_label = np.array(
        [MISSING if one is None else scale.code_of_set(one) for one in chosen], dtype=np.intp
    )
    return scale, by_label[codes]
