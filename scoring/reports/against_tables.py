"""Tables of metrics against people: the planned one, levels, countries, parts, lines, pairs."""

from __future__ import annotations

from collections.abc import Mapping

from scoring.analysis.parts.against import (
    LevelResult,
    QuestionAgainst,
    Row,
)
from scoring.analysis.report import Report
from scoring.reports.against_cards import difference_card, level_card
from scoring.reports.against_cells import (
    coefficient,
    difference_cell,
    level_cell,
    p_cells,
)
from scoring.reports.against_words import planned_results, planned_words
from scoring.reports.aggregation import Aggregation, Results, results_at
from scoring.reports.estimates import plain
from scoring.reports.series_words import IN_SHORT, METHODS, SHORT_METHODS, left_out_words, slug
from scoring.reports.tables import Cell, Column, Estimate, Table
from scoring.reports.tables import Row as TableRow
from scoring.reports.values import Leading
from scoring.reports.words import listed, not_defined, num

Names = Mapping[str, str]

P_COLUMNS = (
    Column(key="p", title="p", kind="p"),
    Column(key="p_holm", title="p (Holm)", kind="p"),
    Column(key="p_bh", title="p (BH)", kind="p"),
)


def drawn(report: Report) -> str:
    """What every interval of the page is."""
    return (
        f"95\u00a0% bootstrap, {report.method.replicates:,} draws, seed {report.method.seed}: "
        "items drawn anew (those of one prompt together where there are 20 prompts or more), and "
        f"{report.against.raters_drawn}"
    )


def planned_table(report: Report, question: QuestionAgainst, names: Names) -> Table:
    """Every target by the aggregation that the plan names."""
    planned = report.against.planned
    method = planned.methods[0]
    results = planned_results(question)
    return Table(
        name=f"against-{slug(question.key)}",
        title=f"{question.label}: {planned_words(planned)}",
        columns=(
            Column(key="metric", title="Metric"),
            Column(key=method, title=SHORT_METHODS[method], kind="number"),
            Column(key="n", title="Items", kind="count"),
            Column(key="left_out", title="Left out"),
            *P_COLUMNS,
            Column(key="better", title="Better means"),
        ),
        rows=tuple(
            TableRow(
                cells=(
                    names[row.series.key],
                    level_cell(one.correlation),
                    one.correlation.n_items,
                    left_out_words(row.left_out),
                    *p_cells(one.correlation.value, one.correlation.p_value, one.adjusted),
                    row.series.better or "not declared",
                ),
                card=level_card(report, question, row, names[row.series.key], one, table="planned"),
            )
            for row, one in results
        ),
        unit="item",
        aggregation=_aggregation(results),
        interval=drawn(report),
        notes=_family(results),
    )


def results_table(
    report: Report, question: QuestionAgainst, names: Names, slugs: Names, chosen: Aggregation
) -> Table | None:
    """Every metric at one level by one coefficient: the plan's, then what is exploration.

    `slugs`: how addresses name the metrics.
    """
    targets = results_at(question.targets, chosen)
    others = results_at(tuple(row for row in question.rows if not row.is_target), chosen)
    results = [*targets, *others]
    if not results:
        return None
    columns = _result_columns(chosen, is_mixed=bool(targets and others))
    return Table(
        name=f"against-{slug(question.key)}-{chosen.level_key}-{chosen.method}",
        title=f"{question.label}: {chosen.words}",
        columns=columns,
        rows=tuple(
            TableRow(
                cells=_result_cells(row, one, names, _left_out(question, row, slugs), columns),
                card=level_card(report, question, row, names[row.series.key], one, table="chosen"),
            )
            for row, one in results
        ),
        unit=_correlated(chosen.level),
        aggregation=_aggregation(results),
        interval=drawn(report),
        notes=(*_family(results), *_elsewhere(question, names, targets)),
    )


def _result_columns(chosen: Aggregation, *, is_mixed: bool) -> tuple[Column, ...]:
    """Columns that the level has; `is_mixed`: the plan's metrics and others stand together."""
    fisher = Column(key="fisher", title="Fisher mean", kind="number")
    groups = Column(key="groups", title="Groups")
    by = Column(key="by", title="Held against it by")
    return (
        Column(key="metric", title="Metric"),
        Column(key="value", title=SHORT_METHODS[chosen.method], kind="number"),
        *([fisher] if chosen.level == "within" else []),
        Column(key="n", title="Items", kind="count"),
        *([groups] if chosen.level != "pooled" else []),
        Column(key="left_out", title="Left out", kind="count"),
        *P_COLUMNS,
        Column(key="better", title="Better means"),
        *([by] if is_mixed else []),
    )


def _left_out(question: QuestionAgainst, row: Row, slugs: Names) -> Cell:
    """How many could not be paired, which leads to the list of them; plain 0 where none."""
    n = sum(part.items for part in row.left_out)
    return Leading(value=n, question=question.key, metric=slugs[row.series.key]) if n else 0


def _result_cells(
    row: Row, one: LevelResult, names: Names, left_out: Cell, columns: tuple[Column, ...]
) -> tuple[Cell, ...]:
    found = one.correlation
    of = _correlated(found.level)
    p, holm, bh = p_cells(found.value, found.p_value, one.adjusted, of=of)
    cells: dict[str, Cell] = {
        "metric": names[row.series.key],
        "value": level_cell(found),
        "fisher": found.fisher_mean,
        "n": found.n_items,
        "groups": _groups(one),
        "left_out": left_out,
        "p": p,
        "p_holm": holm,
        "p_bh": bh,
        "better": row.series.better or "not declared",
        "by": "the plan" if row.is_target else "exploration",
    }
    return tuple(cells[column.key] for column in columns)


def _elsewhere(question: QuestionAgainst, names: Names, targets: Results) -> tuple[str, ...]:
    """The plan's metrics that have other levels, but not this one."""
    there = {row.series.key for row, _ in targets}
    missing = [names[row.series.key] for row in question.targets if row.series.key not in there]
    return (f"Not at this level: {listed(missing)}.",) if missing else ()


def _aggregation(results: list[tuple[Row, LevelResult]]) -> str:
    return results[0][1].correlation.aggregation if results else ""


def _family(results: list[tuple[Row, LevelResult]]) -> tuple[str, ...]:
    if not results:
        return ()
    adjusted = results[0][1].adjusted
    return (
        f"Adjusted p: Holm for claims, Benjamini-Hochberg (BH) for exploration, in the family of "
        f"{adjusted.n_tests:,}: {adjusted.family}.",
    )


def levels_table(report: Report, question: QuestionAgainst, names: Names) -> Table:
    """Every metric at every level by every coefficient, the planned aggregation first."""
    methods = report.against.planned.methods
    rows = []
    for row in question.rows:
        keys = dict.fromkeys((one.correlation.level, one.grouping) for one in row.levels)
        for level, grouping in keys:
            found = {
                one.correlation.method: one
                for one in row.levels
                if (one.correlation.level, one.grouping) == (level, grouping)
            }
            rows.append(_level_row(report, question, row, names, found, methods))
    return Table(
        name=f"against-{slug(question.key)}-levels",
        title=f"{question.label}: every level and coefficient",
        columns=(
            Column(key="metric", title="Metric"),
            Column(key="level", title="Level"),
            *(Column(key=one, title=SHORT_METHODS[one], kind="number") for one in methods),
            Column(key="fisher", title="Fisher mean", kind="number"),
            Column(key="n", title="Items", kind="count"),
            Column(key="groups", title="Groups"),
            *P_COLUMNS,
        ),
        rows=tuple(rows),
        unit="item; at the level of models, model",
        aggregation="pooled: over all items; within: in each group, then the arithmetic mean; "
        "centred: items less their group\u2019s mean; models\u2019 means: over models. Fisher mean "
        "and p are of the first coefficient",
        interval=drawn(report),
        notes=(
            "Beyond the pooled level only what the plan holds against this question is computed, "
            "and tau-b only where the plan names it. Over up to nine models p is exact, over all "
            "orders; below four there is none.",
        ),
        n_in_cells=True,
    )


def _correlated(level: str) -> str:
    return "model" if level == "system" else "item"


def _level_row(
    report: Report,
    question: QuestionAgainst,
    row: Row,
    names: Names,
    found: Mapping[str, LevelResult],
    methods: tuple[str, ...],
) -> TableRow:
    first = found[methods[0]]
    main = first.correlation
    planned = ", planned" if first.as_planned else ""
    return TableRow(
        cells=(
            names[row.series.key],
            IN_SHORT[main.level, first.grouping] + planned,
            *(level_cell(found[one].correlation) if one in found else None for one in methods),
            main.fisher_mean,
            main.n_items,
            _groups(first),
            *p_cells(main.value, main.p_value, first.adjusted, of=_correlated(main.level)),
        ),
        strong=first.as_planned,
        card=level_card(report, question, row, names[row.series.key], first, table="levels"),
    )


def _groups(result: LevelResult) -> str:
    """ "5, 1 not defined"; empty where there are no groups."""
    found = result.correlation
    if found.n_groups is None:
        return ""
    undefined = found.n_groups_undefined
    return f"{found.n_groups:,}" + (f", {undefined:,} not defined" if undefined else "")


def lines_table(report: Report, question: QuestionAgainst, names: Names) -> Table:
    """How well people predict people, and each metric like for like."""
    method = METHODS[report.against.planned.methods[0]]
    rows = _people_lines(question, method)
    rows += [_like_for_like(row, names, method) for row in question.targets]
    return Table(
        name=f"against-{slug(question.key)}-people",
        title=f"{question.label}: how people predict people, and metrics like for like",
        columns=(
            Column(key="line", title="Whose"),
            Column(key="people", title="People", kind="number"),
            Column(key="metric", title="Metric on the same", kind="number"),
            Column(key="how", title="How"),
        ),
        rows=tuple(TableRow(cells=cells) for cells in rows),
        unit="item",
        aggregation="as each line says",
        n_in_cells=True,
    )


def _people_lines(question: QuestionAgainst, method: str) -> list[tuple[object, ...]]:
    """The ceiling, two people, and the slots where people are exchangeable."""
    ceiling, two, slots = question.ceiling, question.pairwise, question.slots
    how = f"square root of {ceiling.form}, the reliability of a mean of {num(ceiling.k or 0.0)} "
    why = not_defined(ceiling.reason) if ceiling.value is None else ""
    bound = Estimate(value=ceiling.value, why=why, low=ceiling.low, high=ceiling.high)
    pairs = f"{method}, mean over pairs; no ceiling for a metric that is compared with a mean"
    rows: list[tuple[object, ...]] = [
        ("Human ceiling", bound, None, f"{how}ratings; interval from F"),
        ("Two people", plain(two.value, two.reason, n=two.n_pairs), None, pairs),
    ]
    if slots is not None:
        drawn_from = f"{slots.assignments:,} of them, seed {slots.seed}"
        against = f"against another: {method}, {slots.aggregation}: {drawn_from}"
        kappa = f"Cohen\u2019s kappa, {slots.kappa_weights} weights, over the same assignments"
        rows += [
            ("One person", plain(slots.correlation, slots.reason, n=slots.n_units), None, against),
            ("Kappa", plain(slots.kappa, slots.reason, n=slots.n_units), None, kappa),
        ]
    return rows


def _like_for_like(row: Row, names: Names, method: str) -> tuple[object, ...]:
    """A metric against one person's mean of the others, or against one slot."""
    name = names[row.series.key]
    if row.slots is not None:
        slots = row.slots
        return (
            name,
            plain(slots.correlation, slots.reason, n=slots.n_units),
            plain(slots.metric, slots.reason or "constant_metric"),
            f"both against one person: {method}, items with a score and two ratings",
        )
    line = row.leave_one_out
    if line is None:
        return name, None, None, "no like-for-like line: too few ratings an item"
    reason = line.reason or "constant_metric"
    undefined = ""
    if line.n_raters_undefined:
        undefined = f"; {line.n_raters_undefined:,} of {len(line.raters):,} not defined"
    return (
        name,
        plain(line.human, reason, n=len(line.raters) - line.n_raters_undefined),
        plain(line.metric, reason),
        f"both against the rest: {method}, {line.aggregation}{undefined}",
    )


def differences_table(report: Report, question: QuestionAgainst, names: Names) -> Table | None:
    """Which metric differs from which."""
    if not question.differences:
        return None
    first = question.differences[0]
    return Table(
        name=f"against-{slug(question.key)}-differences",
        title=f"{question.label}: which metric differs from which",
        columns=(
            Column(key="pair", title="First less second"),
            Column(key="first", title="First", kind="number"),
            Column(key="second", title="Second", kind="number"),
            Column(key="difference", title="Difference", kind="number"),
            Column(key="n", title="Items", kind="count"),
            *P_COLUMNS,
        ),
        rows=tuple(
            TableRow(
                cells=(
                    f"{names[one.first]} \u2212 {names[one.second]}",
                    coefficient(one.comparison.first, None, reason=one.comparison.reason)
                    if one.comparison.first is None
                    else one.comparison.first,
                    one.comparison.second,
                    difference_cell(one.comparison),
                    one.comparison.n_units,
                    *p_cells(one.comparison.difference, one.comparison.p_value, one.adjusted),
                ),
                card=difference_card(report, question, (names[one.first], names[one.second]), one),
            )
            for one in question.differences
        ),
        unit="item",
        aggregation=f"{METHODS[first.comparison.method]}, {first.comparison.aggregation}; both "
        "metrics on the same items, each turned so that more is better",
        interval=f"paired: {drawn(report)}",
        notes=(
            "p: paired permutation, the two scores of an item (of a whole prompt, where prompts "
            f"are drawn) change places. {report.against.comparing} Family of "
            f"{first.adjusted.n_tests:,}: {first.adjusted.family}.",
        ),
    )
