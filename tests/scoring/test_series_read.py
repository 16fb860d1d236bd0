"""Series as they are read: scores by dimension and cell, answers of every kind."""

import json

import numpy as np
import pytest

from annotation.ratings import mean_ratings
from scoring.analysis.compute import analyse
from scoring.analysis.gather import gather
from scoring.analysis.score_data import score_data
from scoring.analysis.selection import Selection
from scoring.models import Score
from scoring.snapshots import execute_report, fingerprint
from studies.models import AnalysisPlan, GoldLabel, Question, Unit, UnitItem
from tests.scoring.report_study import (
    Assignment,
    Rating,
    a_question,
    a_rater,
    a_researcher,
    a_run,
    a_study,
    an_item,
    rate,
    timezone,
)


@pytest.fixture
def study(db):
    return a_study(owner=a_researcher(), seed=9)


@pytest.fixture
def items(study):
    return [
        an_item(
            study, f"n{n}", country="NP", system="Lantern" if n % 2 else "Moth", category="dance"
        )
        for n in range(4)
    ]


def answer(study, rater, question, items, values):
    """One screen about several items."""
    unit = Unit.objects.create(study=study, key=f"u{Unit.objects.count()}", country="NP")
    for place, item in enumerate(items):
        UnitItem.objects.create(unit=unit, item=item, position=place)
    screen = Assignment.objects.create(
        participation=rater, n=rater.assignments.count() + 1, unit=unit, counted=True,
        submitted_at=timezone.now(),
    )  # fmt: skip
    for item, value in zip(items, values, strict=True):
        Rating.objects.create(
            assignment=screen, question=question, item=item, value=value, subject=f"i{item.pk}"
        )


def series_of(data, key):
    (found,) = [one for one in data.metrics if one.facts.key == key]
    return found


def human_of(data, key):
    (found,) = [one for one in data.humans if one.question == key]
    return found


def test_whole_metrics_come_before_their_dimensions_with_what_is_declared(study, items):
    run = a_run(study, {"ahead_hal": {items[0]: 0.25, items[1]: None}})
    for output, dimension in (("ahead_align", "attire"), ("ahead_align", "")):
        Score.objects.create(run=run, item=items[0], output=output, dimension=dimension, value=0.5)
    data = score_data(gather(study))
    assert [one.facts.key for one in data.metrics] == [
        "ahead/ahead_align//item",
        "ahead/ahead_align/attire/item",
        "ahead/ahead_hal//item",
    ]
    hal = series_of(data, "ahead/ahead_hal//item")
    assert (hal.facts.name, hal.facts.better, hal.facts.low, hal.facts.high) == (
        "HAL",
        "lower",
        0.0,
        1.0,
    )
    assert hal.values == {items[0].pk: (0.25, ""), items[1].pk: (None, "no_prediction")}
    assert hal.facts.run == run.pk


def test_an_output_that_nobody_declared_has_no_direction_and_no_range(study, items):
    a_run(study, {"odd": {items[0]: 2.0}}, metric="imported")
    facts = score_data(gather(study)).metrics[0].facts
    assert (facts.name, facts.better, facts.low, facts.high) == ("odd", "", None, None)


def test_scores_of_cells_are_series_of_cells(study, items):
    run = a_run(study, {"ahead_align": {items[0]: 0.5}})
    cell = json.dumps(["dance", "NP", "Lantern"])
    Score.objects.create(run=run, cell=cell, output="ahead_ddiv", value=0.75)
    elsewhere = json.dumps(["dance", "NP", "Unknown"])
    Score.objects.create(run=run, cell=elsewhere, output="ahead_ddiv", value=0.1)
    data = score_data(gather(study))
    found = next(one for one in data.metrics if one.facts.unit == "cell")
    assert found.values == {cell: (0.75, "")}
    unit = data.units("cell")[cell]
    assert (unit.system, unit.country, unit.category) == ("Lantern", "NP", "dance")


def test_a_selection_narrows_cells_to_those_of_the_chosen_items(study, items):
    feast = an_item(study, "f0", country="NP", system="Lantern", category="Feast")
    real = an_item(study, "r0", country="NP", category="dance", origin="real")
    run = a_run(study, {"ahead_align": dict.fromkeys([*items, feast, real], 0.5)})
    cells = {
        name: json.dumps([activity, "NP", system])
        for name, activity, system in (
            ("dance", "dance", "Lantern"),
            ("feast", "feast", "Lantern"),
            ("real", "dance", ""),
            ("whole", None, "Lantern"),
        )
    }
    for cell in cells.values():
        Score.objects.create(run=run, cell=cell, output="ahead_ddiv", value=0.75)

    def left(**chosen):
        found = score_data(gather(study, Selection(**chosen))).units("cell")
        return {name for name, cell in cells.items() if cell in found}

    assert left() == {"dance", "feast", "real", "whole"}
    assert left(category="dance") == {"dance", "real", "whole"}
    assert left(category="Feast") == {"feast", "whole"}
    assert left(system="Lantern") == {"dance", "feast", "whole"}
    assert left(system="Moth") == set()


def test_practice_and_gold_are_neither_unrated_nor_unscored_items(study, items):
    for purpose in ("practice", "gold", "example"):
        an_item(study, purpose, country="NP", system="Moth", purpose=purpose)
    a_run(study, {"ahead_align": dict.fromkeys(items, 0.5)})
    question = a_question(study, "faithfulness")
    rate(a_rater(study, "NP-1", country="NP"), items[0], {question: 4})
    report = analyse(study, replicates=0)
    assert report.automatic.n_items == 4
    assert report.automatic.metrics[0].overall.undefined == ()
    (row,) = report.against.question("faithfulness").rows
    assert [(one.reason, one.items) for one in row.left_out] == [("no_rating", 3)]


def test_a_range_that_no_number_ends_is_open(study, items):
    a_run(study, {"vendi": {items[0]: 2.0}}, metric="vendi")
    Score.objects.update(item=None, cell=json.dumps(["dance", "NP", "Moth"]))
    (found,) = score_data(gather(study)).metrics
    assert (found.facts.low, found.facts.high) == (1.0, None)


def test_a_selection_narrows_scores_and_answers(study, items):
    a_run(study, {"ahead_align": dict.fromkeys(items, 0.5)})
    question = a_question(study, "faithfulness")
    rater = a_rater(study, "NP-1", country="NP")
    for item in items:
        rate(rater, item, {question: 4})
    data = score_data(gather(study, Selection(system="Lantern")))
    own = {items[1].pk, items[3].pk}
    assert set(data.items) == own
    assert set(data.metrics[0].values) == own
    assert set(human_of(data, "faithfulness").item.tolist()) == own


def test_places_of_rankings_and_marks_are_series_of_people(study, items):
    ranking = Question.objects.create(
        study=study, key="preference", kind=Question.Kind.RANKING, text="?", position=90
    )
    marks = Question.objects.create(
        study=study, key="seen", kind=Question.Kind.MULTI, text="?", position=91
    )
    rater = a_rater(study, "NP-1", country="NP")
    answer(study, rater, ranking, items[:3], (2, 1, 3))
    answer(study, rater, marks, items[:3], (1, 0, 0))
    answer(study, rater, marks, items[:3], (1, 1, 0))
    data = score_data(gather(study))
    preference, seen = human_of(data, "preference"), human_of(data, "seen")
    assert preference.facts.better == "lower"
    assert preference.points == (1.0, 2.0, 3.0)
    assert dict(zip(preference.item.tolist(), preference.value.tolist(), strict=True)) == {
        items[0].pk: 2.0,
        items[1].pk: 1.0,
        items[2].pk: 3.0,
    }
    assert (seen.facts.better, seen.points, seen.repeats) == ("higher", (0.0, 1.0), True)
    means = seen.series(data.items).values
    assert means[items[1].pk] == (0.5, "")
    assert means[items[3].pk] == (None, "no_rating")


def test_answers_that_do_not_apply_are_no_values(study, items):
    question = a_question(study, "sound")
    Question.objects.filter(pk=question.pk).update(allow_na=True)
    first, second = (a_rater(study, f"NP-{n}", country="NP") for n in (1, 2))
    rate(first, items[0], {question: 4})
    rate(second, items[0], {question: 2})
    Rating.objects.filter(assignment__participation=second).update(value=None, not_applicable=True)
    sound = human_of(score_data(gather(study)), "sound")
    assert sound.value.tolist() == [4.0]


def test_means_beside_scores_leave_out_what_a_majority_of_a_panel_says_does_not_apply(study, items):
    question = a_question(study, "text")
    shown = items[0]
    shown.units.update(country="")
    panels = {"NP": (5, None, None), "IR": (2, 4, None)}
    for country, values in panels.items():
        for number, value in enumerate(values):
            rater = a_rater(study, f"{country}-{number}", country=country)
            screen = rate(rater, shown, {} if value is None else {question: value})
            if value is None:
                Rating.objects.create(
                    assignment=screen, question=question, item=shown, not_applicable=True
                )
    (series,) = score_data(gather(study)).humans
    report = series.series([shown.pk]).values
    assert mean_ratings(study) == {shown.pk: {question.pk: (3.0, 2)}}
    assert report == {shown.pk: (3.0, "")}


def test_the_plan_and_gold_labels_come_with_the_scores(study, items):
    AnalysisPlan.objects.create(
        study=study,
        correlations=["kendall_tau_b", "spearman"],
        correlation_level="within-country",
        targets={"HAL": ["hallucination"]},
    )
    GoldLabel.objects.create(study=study, item=items[0], label_set="cities", label="Kathmandu")
    facts = gather(study).scored
    assert facts.plan.methods == ("kendall_tau_b", "spearman")
    assert facts.plan.targets == {"HAL": ("hallucination",)}
    assert facts.gold == {"cities": {items[0].pk: {"Kathmandu": 1.0}}}


def test_raters_keep_their_panels_country(study, items):
    question = a_question(study, "faithfulness")
    rate(a_rater(study, "NP-1", country="NP"), items[0], {question: 4})
    rate(a_rater(study, "IR-1", country="IR"), items[0], {question: 2})
    human = human_of(score_data(gather(study)), "faithfulness")
    assert np.sort(human.country).tolist() == ["IR", "NP"]
    assert human.of(country="IR").value.tolist() == [2.0]


@pytest.mark.usefixtures("items")
def test_scores_alone_make_a_report_of_automatic_results(client, study):
    a_run(study, {"ahead_align": {item: 0.25 * n for n, item in enumerate(study.items.all())}})
    client.force_login(study.owner)
    client.get(f"/studies/{study.slug}/report/")
    execute_report(study.reports.get().pk)
    page = client.get(f"/studies/{study.slug}/report/automatic/").content.decode()
    assert "Every output and dimension, and people" in page
    assert "people rated 0 of them" in page
    assert "0.38" in page
    against = client.get(f"/studies/{study.slug}/report/metrics/")
    assert against.status_code == 200


def test_a_new_gold_label_makes_the_report_a_new_one(study, items):
    before = fingerprint(study)
    label = GoldLabel.objects.create(study=study, item=items[0], label_set="s", label="a")
    between = fingerprint(study)
    label.value = 0.0
    label.save()
    assert len({before, between, fingerprint(study)}) == 3
