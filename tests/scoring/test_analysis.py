"""Every number of a report, on a study small enough to check by hand."""

import dataclasses
import json
import math
from statistics import mean, stdev

import krippendorff
import numpy as np
import pytest
from scipy.stats import spearmanr

from annotation.ratings import mean_ratings, rating_counts
from scoring.analysis.codec import UnreadableReport, from_json, to_json
from scoring.analysis.compute import analyse
from scoring.analysis.prompts import prompt_clusters
from scoring.models import WorkState
from scoring.stats.agreement import Coefficient
from scoring.stats.bootstrap import bootstrap_agreement
from scoring.stats.correlation import correlate_scores
from scoring.stats.counts import ratings_from_labels
from scoring.stats.scale import declare_scale
from tests.scoring.report_study import (
    a_question,
    a_rater,
    a_researcher,
    a_run,
    a_study,
    an_item,
    rate,
)

DRAWS = 200
SEED = 11

# Nepal's answers to "faithfulness": item -> {rater: value}. n5 is never rated.
NEPAL = {
    "n1": {"NP-01": 5, "NP-02": 4, "NP-03": 5},
    "n2": {"NP-01": 2, "NP-02": 1},
    "n3": {"NP-01": 3, "NP-02": 3, "NP-03": 4},
    "n4": {"NP-01": 1, "NP-03": 2},
}
IRAN = {"i1": {"IR-01": 4}, "i2": {"IR-01": 2}}
SCORES = {"n1": 0.9, "n2": 0.2, "n3": 0.4, "n5": 0.5, "i1": 0.8, "i2": 0.3}


@pytest.fixture
def filled(db):
    study = a_study(owner=a_researcher(), seed=SEED)
    faithfulness = a_question(study, "faithfulness")
    realism = a_question(study, "realism")
    a_question(study, "never_asked")
    names = [*NEPAL, "n5", *IRAN]
    items = {
        name: an_item(
            study,
            name,
            country="NP" if name.startswith("n") else "IR",
            system="Lantern" if name in ("n1", "n2", "i1") else "Moth",
            prompt=f"prompt of {name}",
        )
        for name in names
    }
    raters = {}
    for name, answers in (NEPAL | IRAN).items():
        for code, value in answers.items():
            if code not in raters:
                raters[code] = a_rater(
                    study, code, country=code[:2], simulated=code.startswith("IR")
                )
            rate(raters[code], items[name], {faithfulness: value, realism: 3})
    late = a_rater(study, "NP-04", country="NP")
    rate(late, items["n1"], {faithfulness: 1, realism: 1}, counted=False)
    rate(late, items["n5"], {faithfulness: 1, realism: 1}, counted=None)
    a_run(
        study,
        {
            "ahead_align": {items[name]: value for name, value in SCORES.items()},
            "ahead_hal": {
                items["n1"]: 0.1,
                items["n2"]: 0.6,
                items["n3"]: None,
                items["i1"]: 0.2,
                items["i2"]: 0.7,
            },
        },
    )
    return study


@pytest.fixture
def report(filled):
    return analyse(filled, replicates=DRAWS)


def question_of(report, key):
    return next(question for question in report.questions if question.key == key)


def group_of(report, key, group):
    return next(g for g in question_of(report, key).groups if g.group == group)


def row_of(report, output, question):
    (row,) = [row for row in report.against.question(question).rows if row.series.output == output]
    return row


def pooled(report, output, question):
    return row_of(report, output, question).level("pooled", "spearman").correlation


def panel(report, output, question, group):
    (found,) = [
        one
        for one in row_of(report, output, question).slices
        if (one.kind, one.key, one.method) == ("country", group, "spearman")
    ]
    return found


def long_form(*tables):
    return [
        (item, rater, value)
        for table in tables
        for item, answers in table.items()
        for rater, value in answers.items()
    ]


def engine(rows):
    units, raters, values = zip(*rows, strict=True)
    ratings = ratings_from_labels(
        units=units,
        raters=raters,
        values=values,
        scale=declare_scale(level="ordinal", categories=[1, 2, 3, 4, 5]),
    )
    # Raters are drawn within their panels.
    strata = [int(rater.startswith("NP")) for rater in dict.fromkeys(raters)]
    return bootstrap_agreement(
        ratings=ratings,
        coefficients=[
            Coefficient("krippendorff_alpha", "ordinal"),
            Coefficient("percent_agreement"),
        ],
        replicates=DRAWS,
        seed=SEED,
        rater_strata=strata if len(set(strata)) > 1 else None,
    )


def test_the_data_line_counts_what_counts_and_names_the_rest(report):
    facts = report.data
    assert (facts.items, facts.raters, facts.ratings) == (6, 4, 12)
    assert facts.answers == 24
    assert facts.surplus == 1
    assert facts.simulated == 2


def test_groups_are_everybody_and_each_panel_by_name(report):
    rows = [(g.key, g.items, g.raters, g.ratings, g.simulated) for g in report.groups]
    assert rows == [("all", 6, 4, 12, 2), ("IR", 2, 1, 2, 2), ("NP", 4, 3, 10, 0)]


def test_means_and_deviations_are_over_single_counted_ratings(report):
    for group, tables in (("all", (NEPAL, IRAN)), ("NP", (NEPAL,)), ("IR", (IRAN,))):
        values = [value for _, _, value in long_form(*tables)]
        summary = group_of(report, "faithfulness", group).summary
        assert summary.mean == pytest.approx(mean(values), abs=1e-12)
        assert summary.sd == pytest.approx(stdev(values), abs=1e-12)
        assert summary.n_ratings == len(values)
        assert summary.counts == tuple(values.count(point) for point in (1, 2, 3, 4, 5))


def test_agreement_is_the_engines_with_the_studys_seed(report):
    for group, tables in (("all", (NEPAL, IRAN)), ("NP", (NEPAL,)), ("IR", (IRAN,))):
        alpha, same = engine(long_form(*tables))
        answers = group_of(report, "faithfulness", group)
        assert answers.alpha == alpha
        assert answers.agreement == same


def test_alpha_is_what_an_independent_package_gives(report):
    raters = ["NP-01", "NP-02", "NP-03"]
    wide = [[NEPAL[item].get(rater, np.nan) for item in NEPAL] for rater in raters]
    expected = krippendorff.alpha(
        reliability_data=wide, level_of_measurement="ordinal", value_domain=[1, 2, 3, 4, 5]
    )
    alpha = group_of(report, "faithfulness", "NP").alpha
    assert alpha.value == pytest.approx(expected, abs=1e-12)
    # With three raters and four items too many draws hold no pair: no bounds, and the reason.
    assert (alpha.interval.low, alpha.interval.reason) == (None, "undefined_replicates")
    assert alpha.interval.resampled == "items and raters"
    check = next(c for c in report.self_check if (c.question, c.group) == ("faithfulness", "NP"))
    assert check.ours == alpha.value
    assert check.package == pytest.approx(expected, abs=1e-12)


def test_the_percentage_of_same_points_is_the_mean_over_items(report):
    # n1: 1 of 3 pairs, n2: 0, n3: 1 of 3, n4: 0
    assert group_of(report, "faithfulness", "NP").agreement.value == pytest.approx(1 / 6)


def test_a_constant_question_is_undefined_for_want_of_variation(report):
    answers = group_of(report, "realism", "all")
    assert (answers.alpha.value, answers.alpha.reason) == (None, "no_variation")
    assert answers.agreement.value == 1.0
    assert answers.summary.sd == 0.0


def test_a_panel_of_one_rater_has_no_pairs(report):
    alpha = group_of(report, "faithfulness", "IR").alpha
    assert (alpha.value, alpha.reason) == (None, "no_pairs")
    assert alpha.n_units == 2


def test_a_question_without_ratings_says_so(report):
    answers = group_of(report, "never_asked", "all")
    assert (answers.summary.mean, answers.summary.reason) == (None, "no_ratings")
    assert (answers.alpha.value, answers.alpha.reason) == (None, "no_ratings")
    assert answers.summary.counts == (0, 0, 0, 0, 0)


def test_the_points_of_the_scale_come_from_the_question(report):
    alpha = group_of(report, "faithfulness", "IR").alpha
    assert alpha.categories_declared == ("1", "2", "3", "4", "5")
    assert alpha.categories_used == ("2", "4")


def test_systems_go_best_mean_first(report):
    systems = question_of(report, "faithfulness").systems
    lantern = [5, 4, 5, 2, 1, 4]
    moth = [3, 3, 4, 1, 2, 2]
    assert [s.system for s in systems] == ["Lantern", "Moth"]
    assert [s.summary.mean for s in systems] == [pytest.approx(mean(v)) for v in (lantern, moth)]
    assert systems[0].summary.counts == (1, 1, 0, 2, 2)


def test_a_metric_is_held_against_the_mean_rating_of_the_same_items(report):
    both = {name: values for name, values in (NEPAL | IRAN).items() if name in SCORES}
    scores = [SCORES[name] for name in both]
    means = [mean(values.values()) for values in both.values()]
    found = pooled(report, "ahead_align", "faithfulness")
    assert found.value == pytest.approx(spearmanr(scores, means).statistic)
    (direct,) = correlate_scores(scores=scores, mean_ratings=means)
    assert found.p_value == direct.p_value
    assert found.n_units == 5
    assert found.interval.resampled == "items, ratings within items"


def test_items_left_out_are_counted_by_reason(report):
    align = row_of(report, "ahead_align", "faithfulness")
    assert {part.reason: part.items for part in align.left_out} == {"no_rating": 1, "not_scored": 1}
    hal = row_of(report, "ahead_hal", "faithfulness")
    assert {part.reason: part.items for part in hal.left_out} == {
        "no_prediction": 1,
        "no_rating": 1,
        "not_scored": 1,
    }
    whole = pooled(report, "ahead_hal", "faithfulness")
    assert sum(part.items for part in hal.left_out) == whole.n_left_out == 3
    nepal = panel(report, "ahead_hal", "faithfulness", "NP")
    assert (nepal.n_units, nepal.n_without_score, nepal.n_without_rating) == (2, 2, 1)


def test_a_correlation_with_constant_ratings_is_undefined(report):
    found = pooled(report, "ahead_align", "realism")
    assert (found.value, found.reason) == (None, "no_variation")


def test_a_panel_is_compared_over_the_items_it_is_asked_about(report):
    nepal = panel(report, "ahead_align", "faithfulness", "NP")
    iran = panel(report, "ahead_align", "faithfulness", "IR")
    assert nepal.n_units + nepal.n_without_score + nepal.n_without_rating == 5
    assert iran.n_units + iran.n_without_score + iran.n_without_rating == 2
    assert (iran.value, iran.reason) == (None, "too_few_items")


def test_the_direction_of_an_output_is_stated(report):
    (metric,) = report.metrics
    assert {o.name: o.better for o in metric.outputs} == {"ALIGN": "higher", "HAL": "lower"}


def test_items_of_one_prompt_are_drawn_together(filled, monkeypatch):
    monkeypatch.setattr("scoring.analysis.prompts.FEWEST_PROMPTS", 2)
    filled.items.filter(external_id__in=["n1", "n2"]).update(prompt="a wedding")
    report = analyse(filled, replicates=DRAWS)
    alpha = group_of(report, "faithfulness", "all").alpha
    assert alpha.interval.resampled == ("clusters of items and raters within strata")
    found = pooled(report, "ahead_align", "faithfulness")
    assert found.interval.resampled == "clusters of items, ratings within items"


def test_items_are_drawn_where_prompts_are_too_few_to_draw_from(filled):
    filled.items.filter(external_id__in=["n1", "n2"]).update(prompt="a wedding")
    report = analyse(filled, replicates=DRAWS)
    assert group_of(report, "faithfulness", "NP").alpha.interval.resampled == "items and raters"
    pooled_interval = group_of(report, "faithfulness", "all").alpha.interval
    assert pooled_interval.resampled == "items and raters within strata"
    found = pooled(report, "ahead_align", "faithfulness")
    assert found.interval.resampled == "items, ratings within items"


def test_prompts_are_drawn_from_twenty_on_and_only_where_items_share_them():
    assert prompt_clusters(np.arange(30)) is None
    assert prompt_clusters(np.repeat(np.arange(19), 2)) is None
    shared = np.repeat(np.arange(20), 2)
    assert prompt_clusters(shared) is shared
    one_left_out = np.arange(shared.size) != 0
    assert prompt_clusters(shared, counted=one_left_out) is shared
    one_each = np.arange(shared.size) % 2 == 0
    assert prompt_clusters(shared, counted=one_each) is None


def test_only_the_newest_finished_run_of_a_metric_is_used(filled):
    item = filled.items.get(external_id="n1")
    newer = a_run(filled, {"ahead_align": {item: 0.5}})
    a_run(filled, {"ahead_align": {item: 0.6}}, state=WorkState.RUNNING)
    (metric,) = analyse(filled, replicates=0).metrics
    assert metric.run == newer.pk


def test_point_estimates_come_without_intervals_and_say_so(filled):
    report = analyse(filled, replicates=0)
    assert not report.method.intervals_ready
    answers = group_of(report, "faithfulness", "NP")
    assert answers.alpha.interval is None
    assert answers.alpha.value is not None


def test_the_json_has_every_number_with_its_n_and_reason_and_comes_back_whole(report):
    text = json.dumps(to_json(report), allow_nan=False)
    assert from_json(json.loads(text)) == report
    document = json.loads(text)
    alpha = document["questions"][1]["groups"][0]["coefficients"][0]
    assert alpha["value"] is None
    assert alpha["reason"] == "no_variation"
    assert alpha["reason_in_words"]
    assert alpha["n_ratings"] == 12
    nepal = document["questions"][0]["groups"][2]["coefficients"][0]
    assert nepal["level"] == "ordinal"
    assert nepal["interval"]["kind"] == "percentile"
    assert nepal["interval"]["replicates"] == DRAWS
    assert nepal["too_few_for_interval"] is True
    assert document["method"]["seed"] == SEED
    assert document["method"]["software"].startswith("Concord ")


def test_a_number_that_is_not_finite_is_never_written(report):
    broken = dataclasses.replace(
        report,
        self_check=(dataclasses.replace(report.self_check[0], difference=math.nan),),
    )
    with pytest.raises(ValueError, match="not JSON compliant"):
        to_json(broken)


def test_a_report_of_another_shape_is_refused_with_a_sentence(report):
    document = to_json(report)
    with pytest.raises(UnreadableReport, match="Compute the report again"):
        from_json(document | {"schema": "concord.report/0"})
    del document["data"]
    with pytest.raises(UnreadableReport, match="data"):
        from_json(document)


def test_mean_ratings_of_items_count_only_what_counts(filled):
    means = mean_ratings(filled)
    item = filled.items.get(external_id="n1")
    question = filled.questions.get(key="faithfulness")
    assert means[item.pk][question.pk] == (pytest.approx(14 / 3), 3)
    assert filled.items.get(external_id="n5").pk not in means


def test_counts_of_ratings_agree_with_the_report(filled, report):
    counts = rating_counts(filled)
    assert (counts.items, counts.raters, counts.ratings) == (6, 4, 12)
    assert (counts.answers, counts.texts, counts.surplus, counts.simulated) == (24, 0, 1, 2)


def test_a_study_without_ratings_has_a_report_of_reasons(db):
    study = a_study(owner=a_researcher())
    a_question(study, "faithfulness")
    report = analyse(study, replicates=DRAWS)
    assert report.data.ratings == 0
    answers = group_of(report, "faithfulness", "all")
    assert answers.alpha.reason == "no_ratings"
    assert from_json(to_json(report)) == report


def test_a_panel_with_three_items_has_no_correlation(filled):
    report = analyse(filled, replicates=0)
    nepal = panel(report, "ahead_align", "faithfulness", "NP")
    assert (nepal.n_units, nepal.value, nepal.reason) == (3, None, "too_few_items")
    assert pooled(report, "ahead_align", "faithfulness").value is not None
