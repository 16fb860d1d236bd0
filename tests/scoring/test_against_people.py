"""Metrics against people: every number held to the statistics engine, or to plain arithmetic."""

import csv
import math
from dataclasses import replace
from pathlib import Path
from statistics import fmean, stdev

import numpy as np
import pytest
from scipy.stats import kendalltau, pearsonr, spearmanr

from scoring.analysis.against import against_people
from scoring.analysis.directions import outcome_of
from scoring.analysis.series import Plan
from scoring.reports.against_cards import level_sentence
from scoring.stats.averages import average_over_groups
from scoring.stats.ceiling import human_ceiling, leave_one_out
from scoring.stats.comparison import compare_metrics
from scoring.stats.correlation import correlate_scores
from scoring.stats.levels import correlate_at_level
from scoring.stats.multiplicity import adjust_p_values
from scoring.stats.rated_items import rate_items
from scoring.stats.slots import slot_agreement
from tests.scoring.series_study import a_human, a_metric, a_unit, score_data_of

DRAWS = 60
SEED = 5
PUBLISHED = Path(__file__).parent.parent / "data" / "published" / "caire_country_pearson.csv"
REGIONS = {"Global North and South": {"Global South": ("NP", "IR"), "Global North": ("BR",)}}
TARGETS = {"ALIGN": ("faithfulness",), "HAL": ("hallucination", "faithfulness")}


def against(data, draws=DRAWS):
    return against_people(data=data, replicates=draws, on_step=lambda: None)


def row_of(report, question, output):
    (row,) = [
        row
        for row in report.question(question).rows
        if row.series.output == output and not row.series.dimension
    ]
    return row


def part_of(row, kind, key, method="spearman"):
    (found,) = [one for one in row.slices if (one.kind, one.key, one.method) == (kind, key, method)]
    return found


@pytest.fixture(scope="module")
def rows():
    """(item, country, system, quality): 30 items, ten in each of three countries, two systems."""
    rng = np.random.default_rng(3)
    quality = rng.normal(size=30)
    places = ("NP", "IR", "BR")
    return [(n, places[n % 3], "Lantern" if n % 2 else "Moth", quality[n]) for n in range(30)]


@pytest.fixture(scope="module")
def answers(rows):
    """Three raters a country; item 4 has no rating, item 7 one."""
    rng = np.random.default_rng(4)
    given = []
    for item, country, _, quality in rows:
        people = {4: 0, 7: 1}.get(item, 3)
        for rater in range(people):
            value = int(np.clip(round(3 + quality + rng.normal(scale=0.7)), 1, 5))
            given.append((item, f"{country}-{rater}", country, value))
    return given


@pytest.fixture(scope="module")
def study(rows, answers):
    rng = np.random.default_rng(6)
    align = {item: float(quality + rng.normal()) for item, _, _, quality in rows}
    align |= {9: "no_prediction"}
    hal = {item: float(-quality + rng.normal()) for item, _, _, quality in rows}
    del hal[2]
    faults = [(item, rater, country, 6 - value) for item, rater, country, value in answers]
    return score_data_of(
        [a_unit(item, country=country, system=system) for item, country, system, _ in rows],
        metrics=[
            a_metric("ALIGN", align, low=-9.0, high=9.0),
            a_metric("HAL", hal, better="lower", low=-9.0, high=9.0),
            a_metric("FLAT", {item: 0.5 for item, *_ in rows}),
        ],
        humans=[
            a_human("faithfulness", answers),
            a_human("hallucination", faults, better="lower"),
            a_human("constant", [(i, r, c, 3) for i, r, c, _ in answers]),
        ],
        groupings=REGIONS,
        plan=Plan(methods=("spearman",), level="within-country", targets=TARGETS),
        shown_to={
            code: frozenset(i for i, c, _, _ in rows if c == code) for code in ("NP", "IR", "BR")
        },
    )


@pytest.fixture(scope="module")
def report(study):
    return against(study)


def engine_items(study, answers, output, *, keep=lambda item: True, group=None):
    """The same units straight for the statistics engine."""
    items = [item for item in study.items if keep(item)]
    place = {item: number for number, item in enumerate(items)}
    (series,) = [one for one in study.metrics if one.facts.output == output]
    scores = [series.values.get(item, (None, ""))[0] for item in items]
    raters = {name: code for code, name in enumerate(dict.fromkeys(row[1] for row in answers))}
    used = [row for row in answers if row[0] in place]
    return rate_items(
        score=[np.nan if score is None else score for score in scores],
        item=[place[row[0]] for row in used],
        value=[row[3] for row in used],
        rater=[raters[row[1]] for row in used],
        group=None if group is None else [group(item) for item in items],
    )


def test_a_pooled_coefficient_is_the_engines_with_the_studys_seed(report, study, answers):
    expected = correlate_at_level(
        items=engine_items(study, answers, "ALIGN"),
        level="pooled",
        methods=("spearman", "pearson", "kendall"),
        replicates=DRAWS,
        seed=SEED,
        raters="within",
    )
    row = row_of(report, "faithfulness", "ALIGN")
    for one in expected:
        assert row.level("pooled", one.method).correlation == one


def test_all_three_methods_are_what_scipy_gives(report, study, answers):
    items = engine_items(study, answers, "ALIGN")
    both = ~np.isnan(items.score) & ~np.isnan(items.mean)
    x, y = items.score[both], items.mean[both]
    row = row_of(report, "faithfulness", "ALIGN")
    for method, scipy in (
        ("spearman", spearmanr(x, y).statistic),
        ("pearson", pearsonr(x, y).statistic),
        ("kendall", kendalltau(x, y).statistic),
    ):
        found = row.level("pooled", method).correlation
        assert found.value == pytest.approx(scipy, abs=1e-12)
        assert found.n_units == 28


def test_left_out_items_are_counted_by_reason(report):
    align = row_of(report, "faithfulness", "ALIGN")
    hal = row_of(report, "faithfulness", "HAL")
    assert {part.reason: part.items for part in align.left_out} == {
        "no_prediction": 1,
        "no_rating": 1,
    }
    assert {part.reason: part.items for part in hal.left_out} == {"not_scored": 1, "no_rating": 1}
    for row in (align, hal):
        pooled = row.level("pooled", "spearman").correlation
        assert sum(part.items for part in row.left_out) == pooled.n_left_out
        for part in row.left_out:
            assert len(part.item) == len(part.name) == len(part.country) == part.items
            assert set(part.country) == {""}


def test_targets_are_those_the_plan_names(report):
    named = {
        (question.key, row.series.output)
        for question in report.questions
        for row in question.rows
        if row.is_target
    }
    assert named == {
        ("faithfulness", "ALIGN"),
        ("faithfulness", "HAL"),
        ("hallucination", "HAL"),
    }


def test_the_planned_aggregation_comes_first_and_alone(report):
    for output in ("ALIGN", "HAL"):
        levels = row_of(report, "faithfulness", output).levels
        first = levels[0]
        assert (first.correlation.level, first.grouping) == ("within", "country")
        assert [one.as_planned for one in levels].count(True) == 1
        assert first.correlation.method == "spearman"


def test_every_level_is_named_and_the_engines(report, study, answers):
    country = {"NP": 0, "IR": 1, "BR": 2}
    row = row_of(report, "faithfulness", "ALIGN")
    system = {"Moth": 0, "Lantern": 1}
    by_system = engine_items(
        study, answers, "ALIGN", group=lambda item: system[study.items[item].system]
    )
    for level in ("within", "system"):
        (expected,) = correlate_at_level(
            items=by_system, level=level, replicates=DRAWS, seed=SEED, raters="within"
        )
        assert row.level(level, "spearman", "system").correlation == expected
    by_country = engine_items(
        study, answers, "ALIGN", group=lambda item: country[study.items[item].country]
    )
    for level in ("within", "centred"):
        (expected,) = correlate_at_level(items=by_country, level=level, seed=SEED)
        found = row.level(level, "spearman", "country").correlation
        assert found.value == pytest.approx(expected.value, abs=1e-12)
        assert found.fisher_mean == pytest.approx(expected.fisher_mean) or level == "centred"
        assert found.n_units == expected.n_units


def test_two_systems_have_no_system_level_coefficient(report):
    found = row_of(report, "faithfulness", "ALIGN").level("system", "spearman", "system")
    assert (found.correlation.value, found.correlation.reason) == (None, "too_few_systems")
    assert found.correlation.p_value is None


def test_a_country_is_its_own_annotators_over_their_own_items(report, study, answers):
    items = engine_items(
        study, answers, "ALIGN", keep=lambda item: study.items[item].country == "NP"
    )
    (expected,) = correlate_scores(scores=items.score, mean_ratings=items.mean)
    nepal = part_of(row_of(report, "faithfulness", "ALIGN"), "country", "NP")
    assert nepal.value == pytest.approx(expected.value, abs=1e-12)
    assert nepal.p_value == pytest.approx(expected.p_value)
    assert nepal.n_units + nepal.n_without_score + nepal.n_without_rating == 10
    assert nepal.name == "Nepal"


def test_regions_and_systems_are_parts_of_a_target_only(report):
    target = row_of(report, "faithfulness", "ALIGN")
    other = row_of(report, "hallucination", "ALIGN")
    assert {one.kind for one in target.slices} == {"country", "region", "system"}
    assert {one.kind for one in other.slices} == {"country"}
    assert {one.correlation.level for one in other.levels} == {"pooled"}
    assert part_of(target, "region", "Global North and South: Global South").n_units == sum(
        part_of(target, "country", code).n_units for code in ("NP", "IR")
    )


def test_the_country_average_is_the_within_level_by_both_rules(report):
    row = row_of(report, "faithfulness", "ALIGN")
    within = row.level("within", "spearman", "country").correlation
    (average,) = [one for one in row.averages if one.method == "spearman"]
    assert average.average.arithmetic == pytest.approx(within.value, abs=1e-12)
    assert average.average.fisher == pytest.approx(within.fisher_mean, abs=1e-12)
    sizes, values = average.sizes, average.values
    assert average.average.weighted == pytest.approx(
        sum(n * value for n, value in zip(sizes, values, strict=True)) / sum(sizes)
    )
    assert average.average.sd == pytest.approx(stdev(values))


def test_p_values_are_adjusted_within_what_a_table_shows(report):
    rows = report.question("faithfulness").rows
    pooled = [row.level("pooled", "spearman") for row in rows]
    for method, name in (("holm", "holm"), ("benjamini-hochberg", "bh")):
        expected = adjust_p_values(
            p_values=[one.correlation.p_value for one in pooled], method=method, family=""
        )
        assert [getattr(one.adjusted, name) for one in pooled] == list(expected.adjusted)
    assert {one.adjusted.n_tests for one in pooled} == {2}  # a constant metric has no p
    assert "all metrics with Faithfulness, items pooled" in pooled[0].adjusted.family


def test_a_constant_metric_and_a_constant_question_are_undefined_by_name(report):
    flat = row_of(report, "faithfulness", "FLAT").level("pooled", "spearman").correlation
    assert (flat.value, flat.reason) == (None, "constant_metric")
    same = row_of(report, "constant", "ALIGN").level("pooled", "spearman").correlation
    assert (same.value, same.reason) == (None, "no_variation")
    assert report.question("constant").ceiling.reason == "no_variation"


def test_the_ceiling_and_the_lines_are_the_engines(report, study, answers):
    question = report.question("faithfulness")
    items = engine_items(study, answers, "ALIGN")
    assert question.ceiling == human_ceiling(items=items)
    assert not question.exchangeable
    assert question.slots is None
    line = row_of(report, "faithfulness", "ALIGN").leave_one_out
    expected = leave_one_out(items=items)
    assert (line.human, line.metric) == (expected.human, expected.metric)
    assert row_of(report, "hallucination", "ALIGN").leave_one_out is None


def test_two_different_people_an_item_are_slots_and_nobody_is_left_out():
    rng = np.random.default_rng(1)
    answers = [
        (item, f"r{2 * item + slot}", "NP", int(rng.integers(1, 6)))
        for item in range(30)
        for slot in range(2)
    ]
    scores = {item: float(rng.normal()) for item in range(30)}
    data = score_data_of(
        [a_unit(item) for item in range(30)],
        metrics=[a_metric("A", scores)],
        humans=[a_human("q", answers)],
    )
    question = against(data, 0).question("q")
    items = rate_items(
        score=[scores[item] for item in range(30)],
        item=[row[0] for row in answers],
        value=[row[3] for row in answers],
        rater=list(range(60)),
    )
    expected = slot_agreement(items=items, categories=(1, 2, 3, 4, 5), seed=SEED)
    assert question.exchangeable
    (row,) = question.rows
    assert row.slots == expected
    assert row.leave_one_out is None
    assert question.slots.correlation == expected.correlation


def test_metrics_are_compared_in_one_direction(report, study, answers):
    (found,) = report.question("faithfulness").differences
    assert {found.first, found.second} == {"m/ALIGN//item", "m/HAL//item"}
    assert found.reversed == ("m/HAL//item",)
    # Planned within countries: the engine on the same groups, HAL turned round.
    country = {"NP": 0, "IR": 1, "BR": 2}
    order = sorted(study.items, key=lambda item: country[study.items[item].country])
    first, second = (
        next(one for one in study.metrics if one.facts.key == key)
        for key in (found.first, found.second)
    )
    place = {item: number for number, item in enumerate(order)}
    raters = {name: code for code, name in enumerate(dict.fromkeys(row[1] for row in answers))}

    def turned(series):
        sign = -1 if series.facts.output == "HAL" else 1
        values = [series.values.get(item, (None, ""))[0] for item in order]
        return [np.nan if value is None else sign * value for value in values]

    expected = compare_metrics(
        items=rate_items(
            score=turned(first),
            item=[place[row[0]] for row in answers],
            value=[row[3] for row in answers],
            rater=[raters[row[1]] for row in answers],
            group=[country[study.items[item].country] for item in order],
        ),
        other=turned(second),
        level="within",
        replicates=DRAWS,
        seed=SEED,
        raters="within",
    )
    assert found.comparison.difference == pytest.approx(expected.difference, abs=1e-12)
    assert found.comparison.n_units == expected.n_units
    assert found.comparison.level == "within"
    assert found.adjusted.holm == found.comparison.p_value


def test_comparisons_wait_for_the_intervals(study):
    assert against(study, 0).question("faithfulness").differences == ()


def test_the_heat_table_says_what_the_metrics_own_row_says(report, study, answers):
    heat = report.heat
    names = [series.output for series in heat.series]
    assert names == ["faithfulness", "hallucination", "constant", "ALIGN", "HAL", "FLAT"]
    assert len(heat.cells) == 15
    cells = {(names[cell.row], names[cell.column]): cell for cell in heat.cells}
    pooled = row_of(report, "faithfulness", "ALIGN").level("pooled", "spearman").correlation
    cell = cells["ALIGN", "faithfulness"]
    assert (cell.value, cell.n_units, cell.interval) == (
        pooled.value,
        pooled.n_units,
        pooled.interval,
    )
    # Hallucination was answered as 6 - faithfulness.
    assert cells["hallucination", "faithfulness"].value == pytest.approx(-1.0)
    assert cells["FLAT", "ALIGN"].reason == "no_variation"
    align, hal = (engine_items(study, answers, output).score for output in ("ALIGN", "HAL"))
    both = ~np.isnan(align) & ~np.isnan(hal)
    assert cells["HAL", "ALIGN"].value == pytest.approx(spearmanr(align[both], hal[both]).statistic)


def test_directions_are_held_to_what_is_declared(report):
    checks = {(check.series, check.question): check for check in report.directions}
    assert checks["m/ALIGN//item", "faithfulness"].expected == 1
    assert checks["m/ALIGN//item", "hallucination"].expected == -1
    assert checks["m/HAL//item", "hallucination"].expected == 1
    assert checks["m/FLAT//item", "faithfulness"].outcome == "not defined"
    pooled = row_of(report, "hallucination", "HAL").level("pooled", "spearman").correlation
    assert checks["m/HAL//item", "hallucination"].value == pooled.value


def test_an_outcome_is_read_off_the_interval_alone(report):
    interval = row_of(report, "faithfulness", "ALIGN").level("pooled", "spearman")
    bounds = interval.correlation.interval
    outcomes = {
        (1, 0.1, 0.5): "as declared",
        (-1, 0.1, 0.5): "contrary",
        (-1, -0.5, -0.1): "as declared",
        (1, -0.1, 0.5): "includes 0",
    }
    for (expected, low, high), outcome in outcomes.items():
        assert outcome_of(expected, 0.3, replace(bounds, low=low, high=high)) == outcome
    assert outcome_of(1, 0.3, replace(bounds, low=None, high=None)) == "no interval"


def test_the_items_behind_a_number_are_there_and_the_furthest_are_named(report, study, answers):
    scatter = row_of(report, "faithfulness", "ALIGN").scatter
    items = engine_items(study, answers, "ALIGN")
    both = ~np.isnan(items.score) & ~np.isnan(items.mean)
    assert scatter.n_points == both.sum() == len(scatter.points)
    assert {(p.human, p.score) for p in scatter.points} == set(
        zip(items.mean[both].tolist(), items.score[both].tolist(), strict=True)
    )
    assert len(scatter.furthest_points) == 20
    assert scatter.furthest_points[0] in scatter.points
    assert row_of(report, "hallucination", "ALIGN").scatter is None


def test_more_points_than_a_chart_can_show_are_counted_in_bins():
    n = 1_600
    rng = np.random.default_rng(2)
    data = score_data_of(
        [a_unit(item) for item in range(n)],
        metrics=[a_metric("A", {item: float(rng.random()) for item in range(n)})],
        humans=[a_human("q", [(item, "r", "NP", int(rng.integers(1, 6))) for item in range(n)])],
    )
    scatter = against(data, 0).question("q").rows[0].scatter
    assert scatter.points == ()
    assert sum(map(sum, scatter.counts)) == scatter.n_points == n
    assert (scatter.x_edges[0], scatter.x_edges[-1]) == (1.0, 5.0)


def test_a_metric_with_a_label_for_each_country_is_held_against_its_own_panel():
    rng = np.random.default_rng(8)
    items = range(12)
    own = {code: {i: float(rng.integers(1, 6)) for i in items} for code in ("NP", "IR")}
    answers = [
        (i, f"{code}-{r}", code, int(rng.integers(1, 6)))
        for code in ("NP", "IR")
        for i in items
        for r in range(2)
    ]
    data = score_data_of(
        [a_unit(i) for i in items],
        metrics=[
            a_metric("score", own[code], dimension=name, metric="caire", low=1.0, high=5.0)
            for code, name in (("NP", "Nepal"), ("IR", "Iran"))
        ],
        humans=[a_human("relevance", answers)],
    )
    (row,) = against(data, 0).question("relevance").rows
    assert row.matched
    for code in ("NP", "IR"):
        means = [fmean(v for i, _, c, v in answers if (i, c) == (item, code)) for item in items]
        expected = pearsonr([own[code][item] for item in items], means).statistic
        assert part_of(row, "country", code, "pearson").value == pytest.approx(expected)
    assert row.level("pooled", "pearson").correlation.n_units == 24


def test_what_a_metric_with_labels_leaves_out_is_an_item_in_a_panel():
    answers = [
        (i, f"{c}-{r}", c, 1 + i % 5) for c in ("NP", "IR") for i in range(6) for r in (1, 2)
    ]
    data = score_data_of(
        [a_unit(i) for i in range(6)],
        metrics=[
            a_metric("score", {i: i / 6 for i in range(6) if i != gone}, dimension=name)
            for gone, name in ((2, "Nepal"), (5, "Iran"))
        ],
        humans=[a_human("relevance", answers)],
    )
    (row,) = against(data, 0).question("relevance").rows
    (part,) = row.left_out
    assert (part.reason, part.items) == ("not_scored", 2)
    assert set(zip(part.name, part.country, strict=True)) == {("item 2", "NP"), ("item 5", "IR")}


def test_people_asked_about_their_own_country_are_held_against_people_of_the_same():
    # Each country agrees on what is its own; of one item the two say the opposite.
    own = {code: [1.0, 2.0, 3.0, 4.0, 5.0, 3.0] for code in ("NP", "IR")}
    own["IR"] = [6.0 - value for value in own["NP"]]
    answers = [
        (item, f"{code}-{r}", code, value)
        for code, values in own.items()
        for item, value in enumerate(values)
        for r in range(3)
    ]
    data = score_data_of(
        [a_unit(item) for item in range(6)],
        metrics=[
            a_metric("score", dict(enumerate(own[code])), dimension=name, metric="caire",
                     low=1.0, high=5.0)
            for code, name in (("NP", "Nepal"), ("IR", "Iran"))
        ],
        humans=[a_human("relevance", answers)],
    )  # fmt: skip
    question = against(data, 0).question("relevance")
    assert question.pairwise.value == pytest.approx(1.0)
    assert question.pairwise.n_pairs == 6
    assert question.ceiling.value == pytest.approx(1.0)
    assert (question.ceiling.n_items, question.ceiling.k) == (12, 3.0)


def test_the_sentence_of_a_mean_over_countries_counts_what_it_rests_on():
    rng = np.random.default_rng(2)
    places = ["NP"] * 6 + ["IR"] * 6 + ["BR"] * 3  # three items have no coefficient
    answers = [
        (item, f"{code}-{r}", code, int(rng.integers(1, 6)))
        for item, code in enumerate(places)
        for r in range(3)
    ]
    data = score_data_of(
        [a_unit(item, country=code) for item, code in enumerate(places)],
        metrics=[a_metric("A", {item: float(rng.random()) for item in range(15)})],
        humans=[a_human("q", answers)],
    )
    question = against(data, 0).question("q")
    within = question.rows[0].level("within", "spearman", "country")
    assert (within.correlation.n_items, within.correlation.n_groups_undefined) == (12, 1)
    assert level_sentence(question, "A", within).endswith("12\u00a0items, 2\u00a0groups.")
    pooled = question.rows[0].level("pooled", "spearman")
    assert level_sentence(question, "A", pooled).endswith("15\u00a0items.")


def test_an_item_has_one_mean_where_people_answered_unequally_often():
    # Of one person three answers on an item count, of the other one.
    answers = [(item, "a", "NP", 1) for item in range(4) for _ in range(3)]
    answers += [(item, "b", "NP", 0) for item in range(4)]
    human = a_human("seen", answers, points=(0, 1), kind="multi")
    assert set(human.series(range(4)).values.values()) == {(0.5, "")}
    once = human.once_each()
    assert (once.value.tolist(), once.repeats) == ([1.0, 0.0] * 4, False)
    assert list(zip(once.item.tolist(), once.rater.tolist(), strict=True)) == [
        (item, rater) for item in range(4) for rater in (0, 1)
    ]


def test_answers_by_one_person_on_several_probes_are_averaged_first():
    answers = [(item, "r", "NP", probe) for item in range(6) for probe in (0, 1, item % 2)]
    data = score_data_of(
        [a_unit(item) for item in range(6)],
        metrics=[a_metric("A", {item: float(item) for item in range(6)})],
        humans=[a_human("seen", answers, points=(0, 1), kind="multi")],
    )
    pooled = against(data, 0).question("seen").rows[0].level("pooled", "spearman").correlation
    means = [(0 + 1 + item % 2) / 3 for item in range(6)]
    assert pooled.value == pytest.approx(spearmanr(range(6), means).statistic)
    assert pooled.n_ratings == 6


def test_a_judge_is_counted_against_the_majority_with_ties_left_out():
    answers = [(0, r, "NP", v) for r, v in (("a", 2), ("b", 2), ("c", 3))]
    answers += [(1, "a", "NP", 4), (1, "b", "NP", 5)]  # a tie
    answers += [(item, "a", "NP", 1 + item % 5) for item in range(2, 8)]
    judge = {item: float(1 + item % 5) for item in range(8)} | {0: 3.0, 5: "refused"}
    data = score_data_of(
        [a_unit(item) for item in range(8)],
        metrics=[
            a_metric("judge", judge, low=1.0, high=5.0),
            a_metric("smooth", {item: item + 0.5 for item in range(8)}),
        ],
        humans=[a_human("q", answers)],
    )
    (table,) = against(data, 0).question("q").judges
    assert table.series == "m/judge//item"
    assert (table.n_tied, table.n_without_score, table.n_items) == (1, 1, 6)
    assert table.counts[1][2] == 1  # item 0: people 2, the judge 3
    assert sum(map(sum, table.counts)) == 6
    raw = next(one for one in table.agreement if one.coefficient == "percent_agreement")
    assert raw.value == pytest.approx(5 / 6)
    assert {one.coefficient for one in table.agreement} == {
        "krippendorff_alpha",
        "gwet_ac1",
        "percent_agreement",
    }


def test_labels_are_held_against_gold_by_threshold():
    scores = {"A": [5.0, 2.0, 4.0], "B": [4.0, 4.0, "no_article"], "C": [1.0, 5.0, 1.0]}
    gold = {0: {"A": 1.0}, 1: {"B": 1.0, "C": 1.0}, 2: {"A": 1.0, "B": 0.0}}
    data = score_data_of(
        [a_unit(item) for item in range(3)],
        metrics=[
            a_metric("score", dict(enumerate(values)), dimension=label, metric="caire",
                     low=1.0, high=5.0)
            for label, values in scores.items()
        ],
        gold={"cities": gold},
    )  # fmt: skip
    (table,) = against(data, 0).labels
    assert (table.label_set, table.headline, table.n_items, table.n_labels) == ("cities", 4.0, 3, 3)
    at_four = next(s for s in table.scores if (s.threshold, s.averaging) == (4.0, "micro"))
    # Given: 0 A B, 1 B C, 2 A. Gold: 0 A, 1 B C, 2 A. One false alarm; one label has no score.
    assert (at_four.true_positives, at_four.false_positives, at_four.false_negatives) == (4, 1, 0)
    assert (at_four.n_decisions, at_four.n_unscored) == (8, 1)
    items = next(s for s in table.scores if (s.threshold, s.averaging) == (4.0, "items"))
    assert items.f1.value == pytest.approx(fmean([2 / 3, 1.0, 1.0]))
    assert {s.threshold for s in table.scores} == {2.0, 3.0, 4.0, 5.0}


def test_an_item_with_gold_in_two_label_sets_is_one_item_of_both_together():
    values = {"A": 5.0, "B": 2.0, "C": 4.0}
    data = score_data_of(
        [a_unit(0)],
        metrics=[
            a_metric("score", {0: value}, dimension=label, metric="caire", low=1.0, high=5.0)
            for label, value in values.items()
        ],
        gold={"cities": {0: {"A": 1.0, "B": 0.0}}, "states": {0: {"C": 1.0}}},
    )
    *single, together = against(data, 0).labels
    assert [one.label_set for one in single] == ["cities", "states"]
    assert (together.label_set, together.n_items, together.n_labels) == ("", 1, 3)
    micro = next(s for s in together.scores if (s.threshold, s.averaging) == (4.0, "micro"))
    assert (micro.true_positives, micro.n_decisions, micro.n_unscored) == (2, 3, 0)


def test_an_order_without_points_is_held_against_gold_at_no_threshold():
    data = score_data_of(
        [a_unit(0)],
        metrics=[
            a_metric("log", {0: -2.0}, dimension="A", metric="likelihood", low=None, high=0.0)
        ],
        gold={"cities": {0: {"A": 1.0}}},
    )
    assert against(data, 0).labels == ()


def published_rows():
    with PUBLISHED.open(newline="") as file:
        return list(csv.DictReader(file))


NO_TEST = {
    ("CLIP (probe baseline)", "natural"),
    ("CLIP (probe baseline)", "generated"),
    ("LLaMA3.2-V (no retrieval)", "generated"),
}


def countries_of(row):
    return [
        float(row[name]) for name in row if name not in ("system", "image_set", "printed_average")
    ]


@pytest.mark.parametrize(
    "row",
    [r for r in published_rows() if (r["system"], r["image_set"]) not in NO_TEST],
    ids=lambda row: f"{row['system']} {row['image_set']}",
)
def test_the_plain_mean_over_countries_is_the_published_one(row):
    values = countries_of(row)
    average = average_over_groups(values=values, sizes=[200] * 10)
    # Ten printed values are each right to half a unit of the last digit.
    assert average.arithmetic == pytest.approx(float(row["printed_average"]), abs=0.01)
    assert average.weighted == pytest.approx(average.arithmetic)
    assert (average.n_groups, average.n_undefined) == (10, 0)


def test_the_fisher_mean_of_the_published_countries_is_that_of_their_z_values():
    for row in published_rows():
        values = countries_of(row)
        expected = math.tanh(fmean(math.atanh(value) for value in values))
        average = average_over_groups(values=values, sizes=[200] * 10)
        assert average.fisher == pytest.approx(expected, abs=1e-12)


def test_undefined_countries_enter_no_average_and_are_counted():
    average = average_over_groups(values=[0.5, None, 0.1], sizes=[10, 3, 30])
    assert (average.n_groups, average.n_undefined) == (2, 1)
    assert average.arithmetic == pytest.approx(0.3)
    assert average.weighted == pytest.approx((5 + 3) / 40)
    perfect = average_over_groups(values=[1.0, 0.2], sizes=[4, 4])
    assert (perfect.fisher, perfect.fisher_reason) == (None, "perfect_correlation")
    nothing = average_over_groups(values=[None], sizes=[2])
    assert (nothing.arithmetic, nothing.reason) == (None, "no_defined_group")


def test_steps_are_as_many_with_and_without_intervals(study):
    counts = []
    for draws in (0, 20):
        steps = []
        against_people(data=study, replicates=draws, on_step=lambda s=steps: s.append(1))
        counts.append(len(steps))
    assert counts[0] == counts[1] > 0
