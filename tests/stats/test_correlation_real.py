"""Correlations of real metrics with real ratings at every level, where the data are at hand."""

from __future__ import annotations

import collections
import csv
import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from scoring.stats.ceiling import human_ceiling, leave_one_out, mean_pairwise
from scoring.stats.comparison import compare_metrics
from scoring.stats.levels import correlate_at_level
from scoring.stats.rated_items import RatedItems, rate_items
from scoring.stats.slots import slot_agreement

REFERENCE = Path(__file__).resolve().parents[2] / ".." / "shared" / "reference" / "ratings"

pytestmark = pytest.mark.skipif(
    not (REFERENCE / "dsg").is_dir(),
    reason="needs the real ratings in ../shared/reference/ratings, which are not in the project",
)

SCIPY = {
    "spearman": lambda x, y: stats.spearmanr(x, y).statistic,
    "pearson": lambda x, y: stats.pearsonr(x, y).statistic,
    "kendall": lambda x, y: stats.kendalltau(x, y).statistic,
}


def codes(labels) -> np.ndarray:
    return np.unique(labels, return_inverse=True)[1]


def dsg(metric: str, *, group: str = "t2i_model", empty_is_zero: bool = True) -> RatedItems:
    """800 images of five models, five raters each, and the share of "yes" of one model."""
    with (REFERENCE / "dsg" / "tifa160-likert-anns.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    images = list(dict.fromkeys((row["t2i_model"], row["item_id"]) for row in rows))
    place = {image: number for number, image in enumerate(images)}
    answers = collections.defaultdict(list)
    with (REFERENCE / "dsg" / f"{metric}_dsg.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            answers[row["t2i_model"], row["item_id"]].append(row["answer"] == "yes")
    empty = 0.0 if empty_is_zero else np.nan
    by = {"t2i_model": [image[0] for image in images], "item_id": [image[1] for image in images]}
    return rate_items(
        score=[np.mean(answers[image]) if answers[image] else empty for image in images],
        item=[place[row["t2i_model"], row["item_id"]] for row in rows],
        value=[float(row["answer"]) if row["answer"] else np.nan for row in rows],
        rater=codes([row["worker_id"] for row in rows]),
        group=codes(by[group]),
        cluster=codes(by["item_id"]),
    )


def tifa(metric: str) -> RatedItems:
    path = REFERENCE / "tifa" / "human_annotations_with_scores.json"
    images = list(json.loads(path.read_text(encoding="utf-8")).values())
    return rate_items(
        score=[image[metric] for image in images],
        item=np.repeat(np.arange(len(images)), 2),
        value=np.ravel([image["human_scores"] for image in images]),
        cluster=codes([image["text_id"] for image in images]),
    )


@pytest.mark.parametrize(
    ("metric", "spearman", "kendall"),
    [("mplug", 0.464, 0.378), ("instructblip", 0.436, 0.355), ("pali17b", 0.570, 0.457)],
)
def test_the_published_correlations_of_dsg(metric, spearman, kendall):
    found = correlate_at_level(items=dsg(metric), level="pooled", methods=["spearman", "kendall"])
    assert [round(result.value, 3) for result in found] == [spearman, kendall]
    assert [result.n_units for result in found] == [800, 800]


def test_images_without_answers_are_counted_not_scored():
    (found,) = correlate_at_level(items=dsg("mplug", empty_is_zero=False), level="pooled")
    assert (found.n_units, found.n_without_score) == (795, 5)


@pytest.mark.parametrize(
    ("metric", "method", "value"),
    [
        ("tifa_mplug-large", "kendall", 0.4717),
        ("tifa_vilt", "kendall", 0.3824),
        ("clipscore_vitb32", "kendall", 0.2314),
        ("meteor", "kendall", 0.2741),
        ("bleu", "kendall", 0.1879),
        ("tifa_mplug-large", "pearson", 0.5967),
        ("tifa_mplug-large", "spearman", 0.5922),
        ("meteor", "pearson", 0.3397),
        ("meteor", "spearman", 0.3723),
    ],
)
def test_the_published_correlations_of_tifa(metric, method, value):
    (found,) = correlate_at_level(items=tifa(metric), level="pooled", methods=[method])
    assert round(found.value, 4) == value


@pytest.mark.parametrize("method", SCIPY)
@pytest.mark.parametrize("group", ["t2i_model", "item_id"])
def test_levels_are_those_of_a_plain_loop(method, group):
    items = dsg("pali17b", group=group)
    x, y, groups = items.score, items.mean, items.group
    measure = SCIPY[method]
    each, means = [], []
    centred_x, centred_y = x.copy(), y.copy()
    for code in np.unique(groups):
        of = groups == code
        means.append((x[of].mean(), y[of].mean()))
        centred_x[of] -= x[of].mean()
        centred_y[of] -= y[of].mean()
        if np.ptp(x[of]) > 0 and np.ptp(y[of]) > 0:
            each.append(measure(x[of], y[of]))
    decimals = 15 if method == "pearson" else 7  # ranks need equal differences to tie
    expected = {
        "within": np.mean(each),
        "centred": measure(np.round(centred_x, decimals), np.round(centred_y, decimals)),
        "system": measure(*np.round(np.transpose(means), decimals)),
    }
    if method == "kendall":
        del expected["centred"]  # its p-value takes long over 800 images
    for level, value in expected.items():
        (found,) = correlate_at_level(items=items, level=level, methods=[method])
        assert found.value == pytest.approx(value, abs=1e-9), level
    assert found.n_points == len(means)


def test_two_metrics_of_dsg_differ_by_every_test():
    better, poorer = dsg("pali17b"), dsg("instructblip")
    found = compare_metrics(
        items=better, other=poorer.score, replicates=200, permutations=399, seed=1
    )
    assert found.difference == pytest.approx(0.5703 - 0.4362, abs=2e-4)
    assert found.interval.low > 0
    assert found.interval.resampled == "clusters of items"
    assert found.p_value < 0.05
    assert all(test.p_value < 0.001 for test in found.tests)


def test_no_metric_of_dsg_reaches_its_human_ceiling():
    items = dsg("pali17b")
    ceiling = human_ceiling(items=items)
    assert 0.8 < ceiling.low < ceiling.value < ceiling.high < 1
    one_out = leave_one_out(items=items)
    pairs = mean_pairwise(items=items)
    # A single rating is noisier than the mean of the others, and that than what it estimates.
    assert pairs.value < one_out.human < ceiling.value
    assert one_out.metric < one_out.human


def test_rater_slots_of_tifa_agree_less_than_the_ceiling():
    items = tifa("tifa_mplug-large")
    found = slot_agreement(items=items, categories=[1, 2, 3, 4, 5], assignments=200)
    assert found.n_units == 800
    assert found.correlation == pytest.approx(0.72, abs=0.03)
    assert found.metric < found.correlation < human_ceiling(items=items).value


def imagenhub_model(task: str, model: str) -> tuple[np.ndarray, np.ndarray]:
    """(consistency, quality) of one model, items x raters each."""
    columns = []
    for path in sorted((REFERENCE / "imagenhub" / task).glob("*.tsv")):
        with path.open(encoding="utf-8") as file:
            cells = [
                row[model].strip("[]").split(",") for row in csv.DictReader(file, delimiter="\t")
            ]
        columns.append(np.array(cells, dtype=float))
    both = np.stack(columns, axis=1)
    return both[..., 0], both[..., 1]


def test_a_model_whose_every_rating_is_zero_has_no_correlation_and_no_ceiling():
    consistency, quality = imagenhub_model("Text-Guided_IE", "Imagic")
    n, k = consistency.shape
    items = rate_items(
        score=quality.mean(axis=1),
        item=np.repeat(np.arange(n), k),
        value=consistency.ravel(),
        rater=np.tile(np.arange(k), n),
    )
    (found,) = correlate_at_level(items=items, level="pooled", replicates=20)
    assert (found.value, found.reason, found.interval.reason) == (
        None,
        "no_variation",
        "no_variation",
    )
    assert human_ceiling(items=items).reason == "no_variation"
    assert leave_one_out(items=items).reason == "no_defined_rater"
