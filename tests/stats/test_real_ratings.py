"""Real ratings with published numbers, where the reference collection is at hand."""

from __future__ import annotations

import collections
import csv
import json
from pathlib import Path

import numpy as np
import pytest

from scoring.stats.agreement import Coefficient, estimate_agreement
from scoring.stats.correlation import correlate_scores, mean_by_unit
from scoring.stats.counts import ratings_from_labels
from scoring.stats.scale import scale_from_ratings
from scoring.stats.self_check import check_alpha

REFERENCE = Path(__file__).resolve().parents[2] / ".." / "shared" / "reference" / "ratings"

pytestmark = pytest.mark.skipif(
    not (REFERENCE / "dsg").is_dir(),
    reason="needs the real ratings in ../shared/reference/ratings, which are not in the project",
)


def dsg_ratings():
    with (REFERENCE / "dsg" / "tifa160-likert-anns.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def coded(level):
    rows = dsg_ratings()
    answers = [row["answer"] for row in rows]
    return ratings_from_labels(
        units=[(row["t2i_model"], row["item_id"]) for row in rows],
        raters=[row["worker_id"] for row in rows],
        values=answers,
        scale=scale_from_ratings(level=level, found=answers),
    )


@pytest.mark.parametrize(
    ("level", "alpha"), [("nominal", 0.3969), ("ordinal", 0.6854), ("interval", 0.6844)]
)
def test_alpha_of_five_raters_of_800_images(level, alpha):
    ratings = coded(level)
    (result,) = estimate_agreement(
        ratings=ratings, coefficients=[Coefficient("krippendorff_alpha", level)]
    )
    assert round(result.value, 4) == alpha
    assert (result.n_units, result.n_raters, result.n_ratings) == (800, 5, 3995)
    assert check_alpha(ratings=ratings, level=level).difference < 1e-12


@pytest.mark.parametrize(
    ("metric", "spearman", "kendall"),
    [("mplug", 0.464, 0.378), ("instructblip", 0.436, 0.355), ("pali17b", 0.570, 0.457)],
)
def test_correlation_of_a_question_answering_score_with_the_mean_rating(metric, spearman, kendall):
    rows = dsg_ratings()
    images = {(row["t2i_model"], row["item_id"]): None for row in rows}
    index = {image: position for position, image in enumerate(images)}
    mean = mean_by_unit(
        unit=[index[row["t2i_model"], row["item_id"]] for row in rows],
        values=[float(row["answer"]) for row in rows],
        n_units=len(index),
    )
    answers = collections.defaultdict(list)
    with (REFERENCE / "dsg" / f"{metric}_dsg.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            answers[row["t2i_model"], row["item_id"]].append(row["answer"] == "yes")
    # The published numbers score an image without answers 0; there are five of them.
    assert sum(image not in answers for image in images) == 5
    scores = [np.mean(answers[image]) if answers[image] else 0.0 for image in images]
    rho, tau = correlate_scores(scores=scores, mean_ratings=mean, methods=["spearman", "kendall"])
    assert rho.n_units == 800
    assert round(rho.value, 3) == spearman
    assert round(tau.value, 3) == kendall


def test_alpha_of_two_raters_of_800_images():
    path = REFERENCE / "tifa" / "human_annotations.json"
    images = json.loads(path.read_text(encoding="utf-8"))
    long = [
        (image, rater, str(value))
        for image, entry in images.items()
        for rater, value in enumerate(entry["human_scores"])
    ]
    units, raters, values = zip(*long, strict=True)
    found = {}
    for level in ("nominal", "ordinal", "interval"):
        scale = scale_from_ratings(level=level, found=values)
        ratings = ratings_from_labels(units=units, raters=raters, values=values, scale=scale)
        wanted = [Coefficient("krippendorff_alpha", level)]
        (result,) = estimate_agreement(ratings=ratings, coefficients=wanted)
        found[level] = round(result.value, 4)
    assert found == {"nominal": 0.3750, "ordinal": 0.7186, "interval": 0.6795}


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
def test_correlation_of_an_automatic_score_with_two_raters(metric, method, value):
    path = REFERENCE / "tifa" / "human_annotations_with_scores.json"
    images = json.loads(path.read_text(encoding="utf-8")).values()
    (result,) = correlate_scores(
        scores=[image[metric] for image in images],
        mean_ratings=[np.mean(image["human_scores"]) for image in images],
        methods=[method],
    )
    assert round(result.value, 4) == value


def ratings_of_33_models():
    """(model, unit, rater, consistency, quality) of every rating in the seven tasks."""
    for task in sorted(path for path in (REFERENCE / "imagenhub").iterdir() if path.is_dir()):
        for rater, path in enumerate(sorted(task.glob("*.tsv"))):
            with path.open(encoding="utf-8") as file:
                for row in csv.DictReader(file, delimiter="\t"):
                    for model in set(row) - {"uid"}:
                        consistency, quality = map(float, row[model].strip("[]").split(","))
                        yield (task.name, model), row["uid"], rater, consistency, quality


def agreement_by_model(values):
    """(Fleiss' kappa, ordinal alpha) of each model's ratings, from (model, unit, rater, value)."""
    by_model = collections.defaultdict(list)
    for model, *rating in values:
        by_model[model].append(rating)
    results = {}
    for model, rows in by_model.items():
        units, raters, values = zip(*rows, strict=True)
        scale = scale_from_ratings(level="ordinal", found=values)
        ratings = ratings_from_labels(units=units, raters=raters, values=values, scale=scale)
        wanted = [Coefficient("fleiss_kappa"), Coefficient("krippendorff_alpha", "ordinal")]
        results[model] = ratings, estimate_agreement(ratings=ratings, coefficients=wanted)
    return results


def test_alpha_of_three_raters_of_33_models():
    overall = (
        (model, unit, rater, float(np.sqrt(consistency * quality)))
        for model, unit, rater, consistency, quality in ratings_of_33_models()
    )
    alphas = {model: alpha for model, (_, (_, alpha)) in agreement_by_model(overall).items()}
    undefined = {name: r.reason for (_, name), r in alphas.items() if r.value is None}
    assert undefined == {"Imagic": "no_variation"}
    assert len(alphas) == 33
    assert sum(r.value is not None and r.value > 0.4 for r in alphas.values()) == 24


def fleiss_of(counts):
    """Fleiss 1971, for the same number of raters of every item."""
    n = counts[0].sum()
    observed = ((counts**2).sum(axis=1) - n).mean() / (n * (n - 1))
    chance = ((counts.sum(axis=0) / counts.sum()) ** 2).sum()
    return (observed - chance) / (1 - chance)


@pytest.mark.parametrize(("dimension", "undefined"), [(3, {"Imagic"}), (4, set())])
def test_fleiss_kappa_and_alpha_of_each_model_and_dimension(dimension, undefined):
    one = ((*row[:3], row[dimension]) for row in ratings_of_33_models())
    found = agreement_by_model(one)
    assert len(found) == 33
    without = set()
    for (_, model), (ratings, (fleiss, alpha)) in found.items():
        if fleiss.value is None:
            without.add(model)
            assert (fleiss.reason, alpha.value, alpha.reason) == (
                "no_variation",
                None,
                "no_variation",
            )
            continue
        assert fleiss.value == pytest.approx(fleiss_of(ratings.count_matrix()), abs=1e-12)
        assert check_alpha(ratings=ratings, level="ordinal").difference < 1e-12
    assert without == undefined
