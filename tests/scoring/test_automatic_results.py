"""The automatic results: every number held to a plain computation on series made by hand."""

from statistics import fmean, stdev

import numpy as np
import pytest

from scoring.analysis.automatic import automatic_results
from scoring.analysis.category_extremes import extremes_of
from scoring.analysis.standing import best_and_worst, dispersion, mean_ranks
from scoring.stats.means import Column, clustered_means
from tests.scoring.series_study import a_human, a_metric, a_unit, score_data_of

DRAWS = 400
REGIONS = {"Global North and South": {"Global South": ("NP", "IR", "BR"), "Global North": ()}}


def results(data, draws=0):
    return automatic_results(data=data, replicates=draws, on_step=lambda: None)


def cells_of(report, series, factor, subset="all"):
    breakdown = report.one(series).by(factor, subset)
    return {cell.level: cell for cell in breakdown.cells}


@pytest.fixture(scope="module")
def study():
    """12 items of 2 systems in 3 countries; two have no score, one was not part of the run."""
    places = ["NP", "IR", "BR"]
    units = [
        a_unit(
            n, country=places[n % 3], system="Lantern" if n < 6 else "Moth", category=f"c{n % 2}"
        )
        for n in range(12)
    ]
    scores = {n: n / 12 for n in range(12)}
    scores |= {3: "no_prediction", 7: "no_prediction"}
    del scores[11]
    hal = {n: 1 - n / 12 for n in range(12)}
    rated = [(n, f"r{n}", places[n % 3], 1 + n % 5) for n in range(8)]
    return score_data_of(
        units,
        metrics=[
            a_metric("ALIGN", scores),
            a_metric("HAL", hal, better="lower"),
            a_metric("FLAT", dict.fromkeys(range(12), 0.5)),
            a_metric("NEVER", dict.fromkeys(range(12), "no_prompt")),
            a_metric("ALIGN", {n: n / 24 for n in range(12)}, dimension="attire"),
        ],
        humans=[a_human("faithfulness", rated)],
        groupings=REGIONS,
    )


@pytest.fixture(scope="module")
def report(study):
    return results(study, DRAWS)


def test_the_mean_and_spread_are_over_items_that_have_a_value(report):
    whole = report.one("m/ALIGN//item").overall
    values = [n / 12 for n in range(11) if n not in (3, 7)]
    assert whole.mean.value == pytest.approx(fmean(values), abs=1e-12)
    assert whole.mean.sd == pytest.approx(stdev(values), abs=1e-12)
    assert whole.mean.n_units == 9


def test_items_without_a_value_are_counted_by_reason_and_never_as_0(report):
    whole = report.one("m/ALIGN//item").overall
    assert {part.reason: part.items for part in whole.undefined} == {
        "no_prediction": 2,
        "not_scored": 1,
    }
    assert whole.mean.n_units + whole.n_undefined == 12
    assert all(part.sentence.endswith(".") for part in whole.undefined)


def test_a_metric_without_a_single_value_has_no_mean_and_says_so(report):
    never = report.one("m/NEVER//item")
    assert (never.overall.mean.value, never.overall.mean.reason) == (None, "no_values")
    assert never.overall.mean.interval.reason == "no_values"
    assert never.by("system").best == ()


def test_systems_countries_regions_and_categories_partition_the_items(report):
    for factor in ("system", "country", "grouping:Global North and South", "category"):
        cells = cells_of(report, "m/HAL//item", factor).values()
        assert sum(cell.mean.n_units for cell in cells) == 12, factor


def test_a_level_is_the_mean_of_its_own_items(report):
    by_country = cells_of(report, "m/HAL//item", "country")
    assert list(by_country) == ["BR", "IR", "NP"]  # by name
    assert by_country["NP"].mean.value == pytest.approx(fmean(1 - n / 12 for n in (0, 3, 6, 9)))


def test_best_and_worst_heed_the_direction(report):
    align = report.one("m/ALIGN//item").by("system")
    hal = report.one("m/HAL//item").by("system")
    assert (align.best, align.worst) == (("Moth",), ("Lantern",))
    assert (hal.best, hal.worst) == (("Moth",), ("Lantern",))
    assert {cell.level: cell.rank for cell in hal.cells} == {"Lantern": 2.0, "Moth": 1.0}


def test_a_constant_metric_has_neither_best_nor_worst_and_ranks_are_shared(report):
    flat = report.one("m/FLAT//item").by("system")
    assert (flat.best, flat.worst) == ((), ())
    assert {cell.rank for cell in flat.cells} == {1.5}


def test_dispersion_over_countries_is_that_of_their_means(report):
    breakdown = report.one("m/HAL//item").by("country")
    means = [cell.mean.value for cell in breakdown.cells]
    assert breakdown.sd == pytest.approx(stdev(means))
    assert breakdown.spread == pytest.approx(max(means) - min(means))
    assert breakdown.n_defined == 3


def test_metrics_are_computed_again_on_exactly_the_rated_items(report):
    align = report.one("m/ALIGN//item")
    values = [n / 12 for n in range(8) if n not in (3, 7)]
    assert align.rated.mean.value == pytest.approx(fmean(values))
    assert align.rated.mean.n_units == 6
    moth = {cell.level: cell for cell in align.by("system", "rated").cells}["Moth"]
    assert moth.mean.value == pytest.approx(6 / 12)
    assert moth.n_undefined == 1


def test_people_stand_beside_metrics_with_the_mean_of_each_items_answers(report):
    human = report.one("people/faithfulness")
    assert human.overall.mean.value == pytest.approx(fmean(1 + n % 5 for n in range(8)))
    assert {part.reason: part.items for part in human.overall.undefined} == {"no_rating": 4}


def test_intervals_are_the_engines_on_the_same_draws(study, report):
    items = list(study.items)
    country = {"NP": 0, "IR": 1, "BR": 2}
    strata = [country[study.items[item].country] for item in items]
    own = [item for item in items if study.items[item].system == "Moth"]
    (expected,) = clustered_means(
        columns=[Column(np.array([1 - n / 12 for n in own]), np.array(own))],
        n_clusters=12,
        strata=strata,
        replicates=DRAWS,
        seed=5,
        resampled="items within countries",
    )
    moth = cells_of(report, "m/HAL//item", "system")["Moth"].mean
    assert moth == expected
    assert moth.interval.low < moth.value < moth.interval.high


def test_prompts_are_drawn_whole_where_there_are_twenty():
    units = [a_unit(n, cluster=f"p{n // 2}") for n in range(40)]
    data = score_data_of(units, metrics=[a_metric("A", {n: float(n // 2) for n in range(40)})])
    report = results(data, DRAWS)
    mean = report.one("m/A//item").overall.mean
    assert mean.interval.resampled == "clusters of items"
    assert mean.n_drawn == 20
    # Items of one prompt are equal here: drawing items would halve the variance.
    assert mean.se == pytest.approx(np.std(range(20)) / np.sqrt(20), rel=0.15)


def test_a_country_with_one_prompt_has_no_interval():
    units = [a_unit(n, cluster=f"p{n // 2}", country="NP" if n < 42 else "IR") for n in range(44)]
    data = score_data_of(units, metrics=[a_metric("A", {n: float(n) for n in range(44)})])
    cells = cells_of(results(data, DRAWS), "m/A//item", "country")
    assert cells["IR"].mean.interval.reason == "one_cluster"
    assert cells["IR"].mean.value == 42.5


def test_dimensions_are_series_of_their_own(report):
    assert report.one("m/ALIGN/attire/item").facts.name == "ALIGN · attire"
    assert report.one("m/ALIGN/attire/item").overall.mean.value == pytest.approx(
        fmean(n / 24 for n in range(12))
    )


def test_scores_of_cells_have_cells_as_units():
    cells = [
        a_unit("c1", country="NP", system="Lantern"),
        a_unit("c2", country="IR", system="Lantern"),
    ]
    data = score_data_of(
        [a_unit(1)],
        metrics=[a_metric("DDIV", {"c1": 0.25, "c2": "too_few"}, unit="cell")],
        cells=cells,
    )
    found = results(data).one("m/DDIV//cell")
    assert found.overall.mean.unit_of_analysis == "cell"
    assert found.overall.mean.value == 0.25
    assert found.overall.n_undefined == 1


def variants_study(unique=None):
    """Two scenarios of two systems; one removed variant and one base variant are missing.

    ``unique``: whether the scenarios are unique without their country, where that was judged.
    """
    rows = [
        # (item, system, scenario, variant, score)
        (1, "A", "s1", "base", 0.2), (2, "A", "s1", "extended", 0.6),
        (3, "A", "s1", "country-removed", 0.1),
        (4, "A", "s2", "base", 0.4), (5, "A", "s2", "extended", 0.5),
        (6, "B", "s1", "base", 0.3), (7, "B", "s1", "extended", 0.3),
        (8, "B", "s1", "country-removed", 0.2),
        (9, "B", "s2", "extended", 0.9), (10, "B", "s2", "country-removed", 0.0),
        (11, "A", "s1", "base", 0.4),
    ]  # fmt: skip
    units = [
        a_unit(
            item,
            system=system,
            scenario=scenario,
            variant=variant,
            cluster=scenario,
            unique=(unique or {}).get(scenario),
        )
        for item, system, scenario, variant, _ in rows
    ]
    return score_data_of(units, metrics=[a_metric("S", {row[0]: row[4] for row in rows})])


def contrast(report, name, factor="", level=""):
    (found,) = [
        one
        for one in report.one("m/S//item").contrasts
        if (one.name, one.factor, one.level) == (name, factor, level)
    ]
    return found


def test_a_gain_is_over_pairs_that_have_base_and_extended():
    gain = contrast(results(variants_study()), "gain")
    # A s1: .6 - mean(.2, .4); A s2: .5 - .4; B s1: 0; B s2 has no base.
    assert gain.difference.value == pytest.approx(fmean([0.3, 0.1, 0.0]))
    assert (gain.difference.n_units, gain.n_unmatched) == (3, 1)
    assert gain.first - gain.second == pytest.approx(gain.difference.value)
    assert gain.formula == "extended − base"


def test_drops_are_signed_and_on_the_set_that_has_every_variant():
    report = results(variants_study())
    from_extended = contrast(report, "drop-extended")
    from_base = contrast(report, "drop-base")
    assert from_extended.difference.value == pytest.approx(fmean([0.1 - 0.6, 0.2 - 0.3]))
    assert from_base.difference.value == pytest.approx(fmean([0.1 - 0.3, 0.2 - 0.3]))
    assert from_extended.difference.n_units == from_base.difference.n_units == 2
    assert from_extended.n_unmatched == 2
    assert from_extended.difference.aggregation == "mean over matched pairs of model and scenario"


def test_where_scenarios_were_judged_drops_are_over_unique_ones_and_gains_over_all():
    report = results(variants_study({"s1": False, "s2": True}))
    drop = contrast(report, "drop-extended")
    assert drop.difference.value is None  # s2 lacks a variant in each system
    assert contrast(report, "gain").difference.n_units == 3
    report = results(variants_study({"s1": True, "s2": False}))
    drop = contrast(report, "drop-extended")
    assert drop.difference.value == pytest.approx(fmean([0.1 - 0.6, 0.2 - 0.3]))
    assert drop.difference.aggregation.endswith("scenarios unique without their country alone")
    report = results(variants_study({"s1": False}))
    assert contrast(report, "drop-base").difference.n_units == 0


def test_contrasts_are_given_by_system_too():
    report = results(variants_study())
    assert contrast(report, "gain", "system", "A").difference.value == pytest.approx(0.2)
    assert contrast(report, "gain", "system", "B").difference.value == pytest.approx(0.0)


def test_a_study_of_one_variant_has_no_contrasts(report):
    assert report.one("m/HAL//item").contrasts == ()


def test_best_and_worst_categories_by_country_and_how_often():
    values, units = {}, []
    # In each country category k has mean k; HAL turns the order.
    for c, country in enumerate(("NP", "IR")):
        for k in range(7 if country == "NP" else 4):
            key = 10 * c + k
            units.append(a_unit(key, country=country, category=f"k{k}"))
            values[key] = float(k)
    by_key = {unit.key: unit for unit in units}
    high = a_metric("A", values)
    found = extremes_of(high, high.facts, by_key)
    iran, nepal = found.countries
    assert [one.category for one in nepal.best] == ["k6", "k5", "k4"]
    assert [one.category for one in nepal.worst] == ["k0", "k1", "k2"]
    assert [one.category for one in iran.best] == ["k3", "k2"]  # four categories: two at each end
    counts = {one.category: (one.best, one.worst, one.countries) for one in found.counts}
    assert counts["k2"] == (1, 1, 2)
    assert counts["k0"] == (0, 2, 2)
    low = a_metric("H", values, better="lower")
    assert [one.category for one in extremes_of(low, low.facts, by_key).countries[1].best] == [
        "k0",
        "k1",
        "k2",
    ]


def test_a_tie_at_the_end_of_the_list_is_said():
    units = {n: a_unit(n, category=f"k{n}") for n in range(6)}
    series = a_metric("A", dict(enumerate([1.0, 1.0, 0.5, 0.5, 0.2, 0.1])))
    assert extremes_of(series, series.facts, units).countries[0].tied


def test_a_panel_ranks_systems_by_people_and_by_each_metric(report):
    (panel,) = report.rank_panels
    assert panel.key == "faithfulness"
    assert panel.subset == "rated"
    assert panel.series[0] == "people/faithfulness"
    assert set(panel.series[1:]) == {"m/ALIGN//item", "m/HAL//item", "m/FLAT//item"}


def test_without_ratings_systems_are_ranked_by_dimension():
    units = [a_unit(n, system="A" if n % 2 else "B") for n in range(6)]
    data = score_data_of(
        units,
        metrics=[
            a_metric("X", {n: float(n) for n in range(6)}, dimension="identity", metric=metric)
            for metric in ("one", "two")
        ],
    )
    (panel,) = results(data).rank_panels
    assert (panel.key, len(panel.series)) == ("identity", 2)


def test_ranks_share_ties_and_leave_out_what_has_no_mean():
    assert mean_ranks({"a": 3.0, "b": 1.0, "c": 3.0, "d": None}, "higher") == {
        "a": 1.5,
        "b": 3.0,
        "c": 1.5,
    }
    assert mean_ranks({"a": 3.0}, "") == {}
    assert best_and_worst({"a": 0.1 + 0.2, "b": 0.3, "c": 0.0}, "lower") == (("c",), ("a", "b"))
    assert dispersion({"a": 1.0}).reason == "one_group"


def test_steps_are_as_many_with_and_without_intervals(study):
    counts = []
    for draws in (0, 50):
        steps = []
        automatic_results(data=study, replicates=draws, on_step=lambda s=steps: s.append(1))
        counts.append(len(steps))
    assert counts[0] == counts[1] > 0
