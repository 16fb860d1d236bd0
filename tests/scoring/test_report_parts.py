"""Every number on the report's pages on people, held to the statistics engine and to counts made
from the rows themselves, on a study with missing ratings, a constant question, a panel of two,
answers that something does not apply, exclusions, repeats and a pilot."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import defaultdict
from dataclasses import replace
from statistics import fmean, stdev

import numpy as np
import pytest

from annotation.models import Rating
from scoring.analysis.codec import from_json, to_json
from scoring.analysis.compute import analyse
from scoring.analysis.report import Point
from scoring.analysis.selection import Selection
from scoring.models import MetricRun, Score
from scoring.reports import overview_page
from scoring.reports.against_items import scatter_chart
from scoring.reports.parts import PARTS
from scoring.reports.plots import chart_keys, draw_file, draw_plots
from scoring.reports.plots.choices import choices_fit
from scoring.reports.score_words import scores_finding
from scoring.reports.tables import flat, shown, tables
from scoring.stats.agreement import Coefficient, estimate_agreement
from scoring.stats.bootstrap import bootstrap_agreement
from scoring.stats.clustered import clustered_mean
from scoring.stats.counts import ratings_from_labels
from scoring.stats.rankings import code_rankings, mean_ranks, win_matrix
from scoring.stats.scale import declare_scale
from scoring.stats.sets import jaccard_similarity
from scoring.stats.strengths import fit_strengths
from studies.models import AnalysisPlan
from tests.scoring.every_kind_study import SYSTEMS, every_kind_study
from tests.scoring.report_study import a_researcher

pytestmark = pytest.mark.django_db

DRAWS = 60


@pytest.fixture(scope="module")
def made(django_db_setup, django_db_blocker):
    """(study, its report, every counted answer as a row), made once and taken away again."""
    from django.db import transaction

    with django_db_blocker.unblock():
        block = transaction.atomic()
        block.__enter__()
        try:
            study = every_kind_study(a_researcher())
            yield study, analyse(study, replicates=DRAWS), list(_rows(study))
        finally:
            transaction.set_rollback(True)
            block.__exit__(None, None, None)


@pytest.fixture
def report(made):
    return made[1]


@pytest.fixture
def rows(made):
    return made[2]


def _rows(study):
    """Counted answers straight from the tables, after exclusions."""
    counted = Rating.objects.filter(
        assignment__participation__study=study,
        assignment__participation__pilot=False,
        assignment__counted=True,
        assignment__excluded="",
    )
    names = (
        "question__key", "assignment_id", "assignment__participation__code",
        "assignment__participation__panel__country", "assignment__unit__key", "item__external_id",
        "item__system__name", "item__category", "probe__external_id", "probe__dimension",
        "descriptor_id", "descriptor__dimension", "value", "not_applicable", "text",
    )  # fmt: skip
    short = (
        "question", "screen", "rater", "panel", "unit", "item", "system", "category", "probe",
        "dimension", "descriptor", "descriptor_dimension", "value", "na", "text",
    )  # fmt: skip
    for values in counted.order_by("id").values_list(*names):
        yield dict(zip(short, values, strict=True))


def of(rows, question, **wanted):
    return [
        row
        for row in rows
        if row["question"] == question and all(row[name] == value for name, value in wanted.items())
    ]


def question_of(report, key):
    return next(one for one in report.questions if one.key == key)


def group_of(question, key):
    return next(one for one in question.groups if one.group == key)


def applicable(rows, key):
    """Answers after the rule: an item goes where a majority of a panel says it does not apply."""
    votes = defaultdict(list)
    for row in of(rows, key):
        votes[row["panel"], row["item"]].append(row["na"])
    return [
        row
        for row in of(rows, key)
        if not row["na"]
        and 2 * sum(votes[row["panel"], row["item"]]) <= len(votes[row["panel"], row["item"]])
    ]


def test_the_study_holds_what_makes_it_hard(rows, report):
    assert len({row["rater"] for row in rows if row["panel"] == "IR"}) == 2
    assert {row["value"] for row in of(rows, "realism")} == {3}
    assert sum(row["na"] for row in of(rows, "faithfulness")) > 3
    per_item = defaultdict(set)
    for row in of(rows, "clear"):
        per_item[row["item"]].add(row["rater"])
    assert len({len(raters) for raters in per_item.values()}) > 1
    assert len(report.exclusions) == 2
    assert report.pilot is not None


def test_not_applicable_answers_go_by_the_majority_of_a_panel_and_are_counted(rows, report):
    left = applicable(rows, "faithfulness")
    question = question_of(report, "faithfulness")
    for key in ("all", "NP", "IR"):
        values = [row["value"] for row in left if key in ("all", row["panel"])]
        summary = group_of(question, key).summary
        assert summary.n_ratings == len(values)
        assert summary.mean == pytest.approx(fmean(values))
        assert summary.sd == pytest.approx(stdev(values))
        assert summary.counts == tuple(values.count(point) for point in range(1, 6))
        assert summary.rescaled == pytest.approx((fmean(values) - 1) / 4)
    everybody, *_ = report.disputes.questions[0].applicability
    assert everybody.n_not_applicable == sum(row["na"] for row in of(rows, "faithfulness"))
    assert everybody.n_removed == 1
    facts = report.overview.questions[0]
    assert facts.n_not_applicable == everybody.n_not_applicable
    assert facts.n_answers == sum(not row["na"] for row in of(rows, "faithfulness"))


def test_intervals_of_means_know_who_said_it_and_on_what(rows, report):
    left = [row for row in of(rows, "clear") if row["panel"] == "NP"]
    raters = {code: n for n, code in enumerate(sorted({row["rater"] for row in left}))}
    found = clustered_mean(
        values=[row["value"] for row in left],
        rater=[raters[row["rater"]] for row in left],
        prompt=[int(row["item"][2:]) // 3 for row in left],
        bounds=(0, 1),
    )
    summary = group_of(question_of(report, "clear"), "NP").summary
    assert summary.mean == pytest.approx(found.value)
    assert summary.se == pytest.approx(found.se)
    assert summary.interval.low == pytest.approx(found.interval.low)
    assert summary.interval.high == pytest.approx(found.interval.high)


@pytest.mark.parametrize(
    ("key", "level", "points"),
    [
        ("faithfulness", "ordinal", range(1, 6)),
        ("clear", "nominal", (0, 1)),
        ("style", "nominal", (1, 2, 3)),
        ("liking", "interval", range(101)),
    ],
)
def test_coefficients_are_the_engines_on_the_same_answers(rows, report, key, level, points):
    left = applicable(rows, key)
    for group in ("all", "NP", "IR"):
        chosen = [row for row in left if group in ("all", row["panel"])]
        ratings = ratings_from_labels(
            units=[row["item"] for row in chosen],
            raters=[row["rater"] for row in chosen],
            values=[row["value"] for row in chosen],
            scale=declare_scale(level=level, categories=list(points)),
        )
        found = group_of(question_of(report, key), group).coefficients
        asked = [
            Coefficient(one.coefficient, level, weights=one.weights, form=one.form or "ICC2")
            for one in found
        ]
        expected = estimate_agreement(ratings=ratings, coefficients=asked)
        assert len(found) >= 3
        for one, other in zip(found, expected, strict=True):
            assert one.coefficient == other.coefficient
            assert one.reason == other.reason
            assert one.value == pytest.approx(other.value, abs=1e-12)
            assert (one.n_units, one.n_ratings) == (other.n_units, other.n_ratings)


def test_the_interval_is_two_way_with_raters_drawn_within_their_panels(rows, report):
    left = applicable(rows, "clear")
    raters = list(dict.fromkeys(row["rater"] for row in left))
    ratings = ratings_from_labels(
        units=[row["item"] for row in left],
        raters=[row["rater"] for row in left],
        values=[row["value"] for row in left],
        scale=declare_scale(level="nominal", categories=[0, 1]),
    )
    (expected,) = bootstrap_agreement(
        ratings=ratings,
        coefficients=[Coefficient("krippendorff_alpha", "nominal")],
        replicates=DRAWS,
        seed=5,
        rater_strata=[int(code.startswith("NP")) for code in raters],
    )
    found = group_of(question_of(report, "clear"), "all").alpha
    assert found.interval.resampled == expected.interval.resampled
    assert found.interval.replicates == DRAWS
    assert found.interval.low <= found.value <= found.interval.high


def test_a_constant_question_is_undefined_and_says_why(report):
    pooled = group_of(question_of(report, "realism"), "all")
    assert (pooled.alpha.value, pooled.alpha.reason) == (None, "no_variation")
    assert pooled.summary.interval.low is None
    assert pooled.summary.interval.reason == "no_variation"


def test_answers_about_irrelevant_probes_are_left_out_by_their_country(rows, report):
    votes = defaultdict(list)
    for row in of(rows, "relevance"):
        votes[row["panel"], row["unit"], row["probe"]].append(row["value"])
    irrelevant = {key for key, values in votes.items() if 2 * sum(values) < len(values)}
    tied = [key for key, values in votes.items() if 2 * sum(values) == len(values)]
    kept = [
        row
        for row in of(rows, "accuracy")
        if (row["panel"], row["unit"], row["probe"]) not in irrelevant
    ]
    assert irrelevant
    assert group_of(question_of(report, "accuracy"), "all").summary.n_ratings == len(kept)
    (relevance,) = report.scores.relevance
    first = relevance.rows[0]
    assert (first.n_probes, first.n_irrelevant, first.n_tied) == (
        len(votes),
        len(irrelevant),
        len(tied),
    )
    assert first.answers.value == pytest.approx(
        fmean(row["value"] for row in of(rows, "relevance"))
    )
    dropped = len(of(rows, "accuracy")) - len(kept)
    facts = next(one for one in report.overview.questions if one.key == "accuracy")
    assert facts.n_irrelevant == dropped


def test_marked_sets_agree_by_their_mean_jaccard(rows, report):
    votes = defaultdict(list)
    for row in of(rows, "relevance"):
        votes[row["panel"], row["unit"], row["probe"]].append(row["value"])
    sets = defaultdict(lambda: defaultdict(set))
    for row in of(rows, "accuracy"):
        key = (row["panel"], row["unit"], row["probe"])
        if 2 * sum(votes[key]) >= len(votes[key]):
            chosen = sets[key][row["rater"]]
            if row["value"]:
                chosen.add(row["item"])
    means = []
    for judged in sets.values():
        given = [frozenset(one) for one in judged.values()]
        pairs = [
            jaccard_similarity(one, other)
            for n, one in enumerate(given)
            for other in given[n + 1 :]
        ]
        if pairs:
            means.append(fmean(pairs))
    found = group_of(question_of(report, "accuracy"), "all").alpha
    assert found.coefficient == "average_pairwise_jaccard"
    assert found.value == pytest.approx(fmean(means))
    assert found.n_units_paired == len(means)


def test_ranks_win_rates_and_strengths_are_the_engines(rows, report):
    ranked = of(rows, "preference")
    raters = sorted({row["rater"] for row in ranked})
    units = sorted({row["unit"] for row in ranked})
    names = sorted(SYSTEMS)
    rankings = code_rankings(
        rater=[raters.index(row["rater"]) for row in ranked],
        prompt=[units.index(row["unit"]) for row in ranked],
        item=[names.index(row["system"]) for row in ranked],
        rank=[row["value"] for row in ranked],
        n_items=3,
    )
    pooled = report.scores.rankings[0]
    assert pooled.n_rankings == rankings.n_rankings
    for row, expected in zip(pooled.rows, mean_ranks(rankings=rankings), strict=True):
        assert row.name == names[expected.item]
        assert row.mean == pytest.approx(expected.value)
        assert row.se_naive == pytest.approx(expected.se_naive)
        assert sum(row.places) == row.n == expected.n
    wins = win_matrix(rankings=rankings)
    for first, row in enumerate(pooled.wins):
        assert row.rates == tuple(wins.rate(first, second) for second in range(3))
    fit = fit_strengths(rankings=rankings)
    assert pooled.reason == fit.reason
    for row, strength in zip(pooled.rows, fit.items, strict=True):
        assert row.strength == pytest.approx(strength.value) if strength.value else not row.strength


def test_descriptor_precision_is_shares_of_verdicts_and_of_majorities(rows, report):
    verdicts = [row for row in of(rows, "list") if row["descriptor"] is not None]
    (precision,) = report.scores.precision
    by_key = {(row.group, row.dimension): row for row in precision.rows}
    for group in ("all", "NP", "IR"):
        for dimension in ("", "attire", "setting"):
            chosen = [
                row
                for row in verdicts
                if group in ("all", row["panel"]) and dimension in ("", row["descriptor_dimension"])
            ]
            found = by_key[group, dimension]
            assert found.verdicts.value == pytest.approx(fmean(row["value"] for row in chosen))
            assert found.verdicts.n == len(chosen)
            things = defaultdict(list)
            for row in chosen:
                things[row["item"], row["descriptor"]].append(row["value"])
            decided = [
                2 * sum(given) > len(given)
                for given in things.values()
                if 2 * sum(given) != len(given)
            ]
            assert found.descriptors.value == pytest.approx(fmean(decided))
            assert found.n_tied == len(things) - len(decided)
    gaps = {row["rater"] for row in of(rows, "list") if row["text"]}
    assert precision.coverage[0].n_raters_gap == len(gaps)
    assert precision.coverage[0].summary.mean == 4.0


def test_rater_majority_agreement_leaves_ties_and_single_answers_out(rows, report):
    things = defaultdict(dict)
    for row in of(rows, "clear"):
        things[row["item"]][row["rater"]] = row["value"]
    of_all, of_others, tied = [], [], 0
    for given in things.values():
        yes, n = sum(given.values()), len(given)
        tied += 2 * yes == n
        for own in given.values():
            if n > 1 and 2 * yes != n:
                of_all.append(own == (2 * yes > n))
            rest, m = yes - own, n - 1
            if m and 2 * rest != m:
                of_others.append(own == (2 * rest > m))
    majority = next(one for one in report.scores.rater_majority if one.question == "clear")
    first = majority.rows[0]
    assert first.of_all.value == pytest.approx(fmean(of_all))
    assert first.of_others.value == pytest.approx(fmean(of_others))
    assert (first.of_all.n, first.of_others.n, first.n_tied) == (len(of_all), len(of_others), tied)


def test_metric_majority_agreement_holds_answers_to_the_very_probes_people_saw(made):
    study, _, rows = made
    votes = defaultdict(list)
    for row in of(rows, "accuracy"):
        votes[row["item"], row["probe"]].append(row["value"])
    run = MetricRun.objects.create(
        study=study, metric="culturescore", metric_version="1", state="done", model_id="m"
    )
    items = {item.external_id: item for item in study.items.all()}
    for (item, probe), _given in votes.items():
        Score.objects.create(
            run=run,
            item=items[item],
            output="culturescore",
            dimension=probe,
            value=1.0,
            evidence={"questions": [{"probe": probe, "yes": True}]},
        )
    report = analyse(study, replicates=0)
    (found,) = (one for one in report.scores.metric_majority if one.question == "accuracy")
    kept = group_of(question_of(report, "accuracy"), "all").summary.n_ratings
    assert kept < len(of(rows, "accuracy"))
    left = report.scores.relevance[0].rows[0]
    irrelevant = left.n_irrelevant
    first = found.rows[0]
    assert first.metric == "culturescore"
    assert first.n_without_score == 0
    assert first.agreement.n + first.n_tied == 3 * (left.n_probes - irrelevant)
    assert 0 < first.agreement.value < 1


def test_self_consistency_counts_second_answers_only(report):
    lines = next(one for one in report.disputes.questions if one.question == "clear").consistency
    everybody, person = lines
    assert (everybody.n_units, everybody.n_repeats) == (6, 6)
    assert everybody.exact == pytest.approx(4 / 6)
    assert (person.rater, person.exact) == ("NP-1", everybody.exact)


def test_leaving_a_person_out_gives_the_coefficient_of_the_rest(rows, report):
    left = applicable(rows, "clear")
    lines = next(one for one in report.disputes.questions if one.question == "clear").raters
    assert {line.rater for line in lines} == {row["rater"] for row in left}
    for line in lines:
        rest = [row for row in left if row["rater"] != line.rater]
        ratings = ratings_from_labels(
            units=[row["item"] for row in rest],
            raters=[row["rater"] for row in rest],
            values=[row["value"] for row in rest],
            scale=declare_scale(level="nominal", categories=[0, 1]),
        )
        (expected,) = estimate_agreement(
            ratings=ratings, coefficients=[Coefficient("krippendorff_alpha", "nominal")]
        )
        assert line.without == pytest.approx(expected.value)


def test_pairs_of_people_share_units_and_answers(rows, report):
    answers = defaultdict(dict)
    for row in of(rows, "style"):
        answers[row["rater"]][row["item"]] = row["value"]
    pairs = next(one for one in report.disputes.questions if one.question == "style").pairs
    assert pairs.n_pairs_with_enough == len(pairs.lowest) + len(pairs.highest) == 4
    for pair in (*pairs.lowest, *pairs.highest):
        first, second = answers[pair.first], answers[pair.second]
        both = first.keys() & second.keys()
        assert pair.n_units == len(both)
        assert pair.same == pytest.approx(fmean(first[unit] == second[unit] for unit in both))


def test_disputed_units_are_those_with_the_greatest_differences(rows, report):
    units = next(one for one in report.disputes.questions if one.question == "liking").units
    values = defaultdict(list)
    for row in of(rows, "liking"):
        values[row["item"]].append(row["value"])
    apart = {
        item: 2 * float(np.var(given, ddof=1)) for item, given in values.items() if len(given) > 1
    }
    assert [unit.figure for unit in units] == pytest.approx(
        sorted(apart.values(), reverse=True)[: len(units)]
    )
    order = next(one for one in report.disputes.questions if one.question == "liking").order
    assert list(order.figure) == pytest.approx(sorted(apart.values(), reverse=True))
    assert dict(zip(order.name, order.n_answers, strict=True)) == {
        item: len(values[item]) for item in apart
    }
    assert order.n_alone == len(values) - len(apart)
    assert len(units[0].answers) == len(values[units[0].name])
    assert units[0].words[0] == f"Because of {units[0].name}."


def test_the_overview_counts_ratings_of_an_item_from_its_screens(rows, report):
    screens = defaultdict(set)
    for row in rows:
        if row["item"] is not None:
            screens[row["item"]].add(row["screen"])
    pooled = report.overview.per_item[0]
    counts = [len(found) for found in screens.values()]
    assert (pooled.least, pooled.median, pooled.most) == (
        min(counts),
        float(np.median(counts)),
        max(counts),
    )
    assert pooled.n_ratings == len({row["screen"] for row in rows})
    assert report.overview.timeline.lines[-1].counts[-1] == len(
        {row["screen"] for row in rows if row["panel"] == "NP"}
    )
    assert report.overview.plan.standing == "in_time"
    left = report.overview.left_out
    assert (left.raters_by_rule, left.ratings_by_hand, left.pilot, left.repeats) == (1, 1, 1, 6)


def test_a_scatter_names_the_systems_it_shows_in_the_colours_of_all_charts(report):
    pairs = [
        (question, row)
        for question in report.against.questions
        for row in question.rows
        if row.scatter is not None and row.scatter.points
    ]
    assert pairs
    question, row = pairs[0]
    names = {one.series.key: one.series.key for one in question.rows}
    whole = dict(scatter_chart(report, question, row, names).legend)
    assert sorted(whole.values()) == sorted({point.system for point in row.scatter.points})
    one = row.scatter.points[0].system
    alone = tuple(point for point in row.scatter.points if point.system == one)
    few = replace(row, scatter=replace(row.scatter, points=alone))
    legend = scatter_chart(report, question, few, names).legend
    assert [name for _, name in legend] == [one]
    assert whole[legend[0][0]] == one


def test_a_plan_of_majorities_is_told_what_correlations_rest_on(report):
    def warnings(aggregation: AnalysisPlan.Aggregation) -> list[str]:
        plan = replace(report.overview.plan, aggregation=aggregation.label)
        overview = replace(report.overview, plan=plan)
        found = overview_page.sections(replace(report, overview=overview), {})
        (section,) = (one for one in found if one.id == "plan")
        return [note.text for note in section.notes if note.warns]

    assert overview_page.MEANS_IN_ANY_CASE in warnings(AnalysisPlan.Aggregation.MAJORITY)
    assert overview_page.MEANS_IN_ANY_CASE not in warnings(AnalysisPlan.Aggregation.MEAN)


def test_the_layers_rest_on_more_and_more_exclusions_and_the_pilot_stays_apart(report):
    assert [layer.layer for layer in report.layers] == ["all", "after-rules", "after-all"]
    ratings = [layer.ratings for layer in report.layers]
    assert ratings == sorted(ratings, reverse=True)
    assert report.layers[-1].answers[2].alpha.value == report.questions[2].groups[0].alpha.value
    assert (report.pilot.ratings, report.pilot.answers[0].summary.mean) == (1, 5.0)


def test_a_selection_is_the_same_analysis_on_what_it_keeps(made):
    study, report, rows = made
    panel = analyse(study, selection=Selection(panel="IR"), replicates=0)
    for whole, part in zip(report.questions, panel.questions, strict=True):
        assert part.groups[0].summary == group_of(whole, "IR").summary
        assert part.groups[0].alpha.value == group_of(whole, "IR").alpha.value
    moth = analyse(study, selection=Selection(system="Moth"), replicates=0)
    kept = [row for row in of(rows, "clear") if row["system"] == "Moth"]
    assert question_of(moth, "clear").groups[0].summary.n_ratings == len(kept)
    assert question_of(moth, "preference").groups[0].alpha.value == (
        question_of(report, "preference").groups[0].alpha.value
    )
    dance = analyse(study, selection=Selection(category="dance"), replicates=0)
    kept = [row for row in of(rows, "clear") if row["category"] == "dance"]
    assert question_of(dance, "clear").groups[0].summary.n_ratings == len(kept)
    identity = analyse(study, selection=Selection(dimension="identity"), replicates=0)
    kept = [row for row in of(rows, "relevance") if row["dimension"] == "identity"]
    assert question_of(identity, "relevance").groups[0].summary.n_ratings == len(kept)
    everybody = analyse(study, selection=Selection(layer="all"), replicates=0)
    assert everybody.data.ratings == report.layers[0].ratings


def test_the_report_is_stored_and_read_without_loss(report):
    assert from_json(to_json(report)) == report


def test_pages_tables_charts_and_files_come_from_the_same_numbers(report):
    plots = draw_plots(report)
    names = [table.name for table in tables(report)]
    assert len(names) == len(set(names))
    for table in tables(report):
        keys, flat_rows = flat(table)
        assert len(flat_rows) == len(table.rows) == len(shown(table).rows)
        assert len(set(keys)) == len(keys), table.name
        assert table.unit
        assert table.aggregation
    for part in PARTS:
        sections = part.sections(report, plots)
        ids = [section.id for section in sections]
        assert len(ids) == len(set(ids)), part.key
    drawn = {
        chart.key for part in PARTS for one in part.sections(report, plots) for chart in one.charts
    }
    assert set(plots) <= drawn
    assert chart_keys(report) == list(plots)
    assert draw_file(report, "timeline", "pdf").startswith(b"%PDF")
    assert draw_file(report, "timeline", "png").startswith(b"\x89PNG")


def test_the_options_of_a_choice_have_the_shares_that_were_chosen(rows, report):
    question = question_of(report, "style")
    taken = {
        system: [row["value"] for row in of(rows, "style", system=system)] for system in SYSTEMS
    }
    (table,) = [one for one in tables(report) if one.name == "scores-style-by-model"]
    for row in table.rows:
        values = taken[row.cells[0]]
        shares = [values.count(option) / len(values) for option in (1, 2, 3)]
        assert list(row.cells[1:4]) == pytest.approx(shares)
        assert row.cells[-1] == len(values)
    drawn = draw_plots(report)["choices-style"]
    every = [value for values in taken.values() for value in values]
    most = max((1, 2, 3), key=every.count)
    assert [every.count(option) for option in (1, 2, 3)].count(every.count(most)) == 1
    name = question.points[most - 1].label
    share = f"{100 * every.count(most) / len(every):.0f}\u00a0%"
    assert f"\u201c{name}\u201d was chosen most, {share} of {len(every)}" in drawn["alt"]
    assert drawn["alt"].endswith("Table follows.")
    assert len(drawn["alt"].split()) < 60
    of_model = {system: values.count(most) / len(values) for system, values in taken.items()}
    high, low = (f"{100 * end(of_model.values()):.0f}\u00a0%" for end in (max, min))
    assert f"Most often for {max(of_model, key=of_model.get)}, {high};" in drawn["alt"]
    assert f"least often for {min(of_model, key=of_model.get)}, {low}." in drawn["alt"]
    for width in ("wide", "narrow"):
        texts = [text.strip() for text in ET.fromstring(drawn[width]).itertext()]
        for values in taken.values():
            for option in (1, 2, 3):
                assert f"{100 * values.count(option) / len(values):.0f}\u00a0%" in texts


def test_options_that_share_the_first_place_are_both_named(report):
    question = question_of(report, "style")
    (pooled, *groups) = question.groups
    tied = replace(pooled, summary=replace(pooled.summary, counts=(4, 4, 2)))
    words = scores_finding(replace(question, groups=(tied, *groups)))
    assert words == (
        "style?: \u201cDrawing\u201d and \u201cPhoto\u201d were chosen most, 40\u00a0% each of "
        "10\u00a0answers."
    ).replace("style?", question.label)


def test_a_choice_among_more_options_than_fit_has_its_table_alone(report):
    question = question_of(report, "style")
    many = replace(question, points=tuple(Point(value=n, label=f"Kind {n}") for n in range(9)))
    assert choices_fit(question)
    assert not choices_fit(many)


def test_no_chart_says_less_than_what_is_in_it(report):
    plots = draw_plots(report)
    for key in (
        "timeline", "ranks-preference", "means-clear", "choices-style", "forest-accuracy",
        "sensitivity",
    ):  # fmt: skip
        alt = plots[key]["alt"]
        assert any(letter.isdigit() for letter in alt), key
        assert alt.endswith("Table follows."), key
