"""Scores against gold labels and people, held to hand-computed cases and the published table."""

import csv
from pathlib import Path

import numpy as np
import pytest

from scoring.backends.answer_options import OptionProbabilities
from scoring.backends.chat import BadAnswerError, Choice
from scoring.metrics.caire.baselines import probe_levels, probe_sentences
from scoring.metrics.caire.evaluation import (
    CountryPearson,
    at_thresholds,
    averaged,
    of_upper_bound,
    pearson_by_country,
)
from scoring.metrics.caire.likelihood import debiased
from scoring.metrics.caire.relevance import (
    coverage,
    expected_point,
    mean_distance,
    most_probable_point,
    read_free,
)

DATA = Path(__file__).resolve().parents[1] / "data" / "caire"
PRINTED_OTHERWISE = {
    ("CLIP (probe baseline)", "natural"),
    ("CLIP (probe baseline)", "generated"),
    ("LLaMA3.2-V (no retrieval)", "generated"),
}


def published_rows():
    with (DATA / "country_pearson.csv").open(encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


@pytest.mark.parametrize("row", published_rows(), ids=lambda r: f"{r['system']} {r['image_set']}")
def test_the_mean_over_countries_is_the_published_average(row):
    system, image_set = row.pop("system"), row.pop("image_set")
    printed = float(row.pop("printed_average"))
    found = averaged([CountryPearson(name, 20, float(r)) for name, r in row.items()])
    assert len(found.countries) == 10
    assert found.weighted == pytest.approx(found.mean)  # as many pictures in each
    agrees = abs(found.mean - printed) < 0.01  # both are rounded to two digits
    assert agrees is ((system, image_set) not in PRINTED_OTHERWISE)


def test_pearson_is_taken_in_each_country_and_weighted_by_pictures_beside_the_plain_mean():
    rng = np.random.default_rng(2)
    pairs = {
        name: [tuple(pair) for pair in rng.normal(size=(n, 2))]
        for name, n in [("BR", 5), ("CN", 40)]
    }
    pairs["DE"] = [(1.0, 2.0), (2.0, 3.0)]
    pairs["EG"] = [(3.0, 1.0), (3.0, 2.0), (3.0, 5.0)]
    found = pearson_by_country(pairs)
    r = [np.corrcoef(np.array(pairs[name]).T)[0, 1] for name in ("BR", "CN")]
    values = {row.country: row.r for row in found.countries}
    assert values["BR"] == pytest.approx(r[0])
    assert values["CN"] == pytest.approx(r[1])
    assert (values["DE"], values["EG"]) == (None, None)
    assert found.mean == pytest.approx(np.mean(r))
    assert found.weighted == pytest.approx((5 * r[0] + 40 * r[1]) / 45)
    assert found.sd == pytest.approx(np.std(r, ddof=1))


def test_a_country_of_three_pictures_has_no_coefficient():
    three = [(1.0, 1.0), (2.0, 2.0), (3.0, 3.0)]
    found = pearson_by_country({"BR": three, "CN": [*three, (4.0, 2.0)]})
    assert [row.r is None for row in found.countries] == [True, False]
    assert found.mean == found.countries[1].r


def test_without_a_country_that_varies_there_is_no_mean():
    found = pearson_by_country({"BR": [(1.0, 1.0)]})
    assert (found.mean, found.weighted, found.sd) == (None, None, None)


SCORES = {
    "1": {"a": 5, "b": 4, "c": 1},
    "2": {"a": 2, "b": 3, "c": 3},
    "3": {"a": 4, "b": 4, "c": 4},
    "4": {"a": 5, "b": 5, "c": 5},  # gold is not among its labels
}
GOLD = {"1": ["a", "c"], "2": ["b"], "3": ["a", "x"], "4": ["y"]}


def test_means_over_pictures_over_labels_and_pooled_are_told_apart():
    [at] = at_thresholds(SCORES, GOLD, thresholds=[4])
    assert at.n == 3
    # 1: given a, b of gold a, c; 2: given none; 3: given a, b, c of gold a (x is no label).
    assert at.per_image.precision == pytest.approx((1 / 2 + 0 + 1 / 3) / 3)
    assert at.per_image.recall == pytest.approx((1 / 2 + 0 + 1) / 3)
    assert at.per_image.f1 == pytest.approx((1 / 2 + 0 + 1 / 2) / 3)
    assert at.micro.precision == pytest.approx(2 / 5)
    assert at.micro.recall == pytest.approx(2 / 4)
    assert at.micro.f1 == pytest.approx(4 / 9)
    # a: both 2 of 2 given and 2 gold; b: 0 of 2 given, 1 gold; c: 0 of 1 given, 1 gold.
    assert at.by_label.precision == pytest.approx((1 + 0 + 0) / 3)
    assert at.by_label.recall == pytest.approx((1 + 0 + 0) / 3)
    assert at.by_label.f1 == pytest.approx(1 / 3)


def test_all_four_thresholds_are_given_and_a_higher_one_gives_no_more_labels():
    found = at_thresholds(SCORES, GOLD)
    assert [at.threshold for at in found] == [2, 3, 4, 5]
    recalls = [at.micro.recall for at in found]
    assert recalls == sorted(recalls, reverse=True)
    assert found[3].by_label.precision == pytest.approx(1.0)  # defined for a alone
    assert found[3].by_label.recall == pytest.approx((1 / 2 + 0 + 0) / 3)


def test_no_gold_among_the_labels_is_an_error():
    with pytest.raises(ValueError, match="gold"):
        at_thresholds(SCORES, {"1": ["z"]})


@pytest.mark.parametrize(
    ("retrieved", "gold", "ratio"),
    [(0.6, 0.8, 0.75), (0.6, 0.0, None), (None, 0.8, None), (0.6, None, None), (0.0, 0.5, 0.0)],
)
def test_the_ratio_to_the_upper_bound_is_undefined_where_that_is_0(retrieved, gold, ratio):
    assert of_upper_bound(retrieved, gold) == (ratio and pytest.approx(ratio))


@pytest.mark.parametrize("seed", range(5))
def test_the_diversity_of_a_set_is_that_of_scipy(seed):
    from scipy.spatial.distance import jensenshannon

    x = np.random.default_rng(seed).integers(1, 6, size=(6, 4)).astype(float)
    pairs = [jensenshannon(x[i], x[j]) for i in range(6) for j in range(i)]
    assert mean_distance(x) == pytest.approx(np.mean(np.nan_to_num(pairs)), abs=1e-7)


def test_equal_pictures_have_no_distance_and_those_that_share_no_label_the_largest():
    assert mean_distance(np.array([[1, 5], [2, 10]])) == pytest.approx(0, abs=1e-7)
    assert mean_distance(np.array([[1, 0], [0, 3]])) == pytest.approx(np.sqrt(np.log(2)))
    # (1, 0) and (1/2, 1/2): divergence log 2 - 3/4 log(4/3) ... by hand .2157615543388357
    assert mean_distance(np.array([[1, 0], [1, 1]])) ** 2 == pytest.approx(0.2157615543388357)


@pytest.mark.parametrize("x", [[[1, 2]], [[0, 0], [1, 1]], [[-1, 2], [1, 1]], [1, 2]])
def test_a_distance_needs_two_rows_that_are_not_empty(x):
    with pytest.raises(ValueError, match="No distances"):
        mean_distance(np.array(x))


def test_coverage_is_the_share_of_labels_that_some_picture_reaches_4_on():
    assert coverage(np.array([[4, 1, 1], [1, 5, 3]])) == pytest.approx(2 / 3)
    with pytest.raises(ValueError, match="No coverage"):
        coverage(np.empty((0, 3)))


def test_the_score_is_the_most_probable_point_and_the_expected_one_lies_between():
    p = OptionProbabilities({"1": 0.1, "2": 0.0, "3": 0.2, "4": 0.4, "5": 0.3}, 0.9).of
    assert most_probable_point(p) == 4
    assert expected_point(p) == pytest.approx(0.1 + 0.6 + 1.6 + 1.5)
    assert most_probable_point({"1": 0.0, "2": 0.5, "3": 0.5, "4": 0.0, "5": 0.0}) == 2


@pytest.mark.parametrize("text", ["4", " 4 ", "4.", "4\n"])
def test_a_digit_alone_is_read(text):
    assert read_free(Choice(text, "answered")) == 4


@pytest.mark.parametrize("text", ["", "6", "0", "45", "I say 4", "4 of 5", "four"])
def test_anything_else_is_no_score(text):
    with pytest.raises(BadAnswerError) as caught:
        read_free(Choice(text, "answered"))
    assert caught.value.reason == "parse_failed"


@pytest.mark.parametrize(
    ("raw", "base", "value"), [(-3.0, -5.0, 2.0), (-3.0, -50.0, 17.0), (-30.0, -1.0, -29.0)]
)
def test_the_base_is_taken_off_down_to_its_floor(raw, base, value):
    assert debiased(raw, base, weight=1.0, floor=-20.0) == pytest.approx(value)
    assert debiased(raw, base, weight=0.0, floor=-20.0) == raw


def test_there_are_five_probe_sentences_with_the_label_as_written():
    assert len(probe_levels()) == 5
    assert all("Ming (明)" in sentence for sentence in probe_sentences("Ming (明)"))
    assert probe_sentences("$100")[0].endswith("$100")
