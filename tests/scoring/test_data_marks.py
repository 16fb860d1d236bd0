"""A stored report is that of the data as they are only while everything it reads is as it was."""

from __future__ import annotations

import pytest
from django.utils import timezone

from scoring import snapshots
from scoring.analysis import gather
from scoring.models import MetricRun, ReportSnapshot, WorkState
from scoring.snapshots import execute_report, fingerprint, request_report, standing
from studies.models import GoldLabel, Item, Question, Scenario, System, UnitItem
from tests.scoring.report_study import (
    a_question,
    a_rater,
    a_researcher,
    a_run,
    a_study,
    an_item,
    rate,
)


@pytest.fixture
def study(db):
    study = a_study(owner=a_researcher())
    question = a_question(study, "faithfulness")
    raters = [a_rater(study, f"NP-{n}", country="NP") for n in (1, 2)]
    for number in range(4):
        item = an_item(study, f"n{number}", country="NP", system="Lantern", category="dance")
        for place, rater in enumerate(raters):
            rate(rater, item, {question: 1 + (number + place) % 5})
    return study


def _in_another_category(study):
    Item.objects.filter(study=study, external_id="n0").update(category="feast")


def _by_another_model(study):
    other = System.objects.create(study=study, name="Moth", position=1)
    Item.objects.filter(study=study, external_id="n0").update(system=other)


def _of_another_prompt(study):
    Item.objects.filter(study=study, external_id="n0").update(prompt="another one")


def _for_practice(study):
    Item.objects.filter(study=study, external_id="n0").update(purpose=Item.Purpose.PRACTICE)


def _in_another_unit(study):
    first, other = study.items.order_by("pk")[:2]
    UnitItem.objects.create(unit=first.units.get(), item=other, position=1)


def _a_scenario_judged(study):
    Scenario.objects.create(study=study, key="s1", country="NP", unique_without_country=True)


def _asked_in_a_later_tier(study):
    Question.objects.filter(study=study).update(tier=2)


@pytest.mark.parametrize(
    "change",
    [
        _in_another_category,
        _by_another_model,
        _of_another_prompt,
        _for_practice,
        _in_another_unit,
        _a_scenario_judged,
        _asked_in_a_later_tier,
    ],
)
def test_what_a_report_reads_of_items_and_questions_is_in_its_fingerprint(study, change):
    before = fingerprint(study)
    change(study)
    assert fingerprint(study) != before


def test_failed_items_that_are_scored_again_make_another_report(study):
    first, *others = study.items.all()
    run = a_run(study, {"ahead_align": dict.fromkeys(others, 0.5)}, n_done=4, n_failed=1)
    failed = run.scores.create(item=first, output="ahead_align", value=None, reason="item_failed")
    before = fingerprint(study)
    failed.delete()
    run.scores.create(item=first, output="ahead_align", value=0.9)
    MetricRun.objects.filter(pk=run.pk).update(n_failed=0, finished_at=timezone.now())
    assert fingerprint(study) != before


def test_the_run_of_another_answerer_makes_another_report_though_the_first_is_chosen(study):
    items = list(study.items.all())
    a_run(study, {"culturescore": dict.fromkeys(items, 0.5)}, metric="culturescore", chosen=True)
    before = fingerprint(study)
    a_run(study, {"culturescore": dict.fromkeys(items, 0.2)}, metric="culturescore")
    assert fingerprint(study) != before


def test_gold_labels_that_change_places_make_another_report(study):
    first, second, *_ = study.items.all()
    labels = [
        GoldLabel.objects.create(study=study, item=item, label_set="s", label="a", value=value)
        for item, value in ((first, 1.0), (second, 0.0))
    ]
    before = fingerprint(study)
    for label in labels:
        label.value = 1.0 - label.value
        label.save()
    assert fingerprint(study) != before


@pytest.fixture
def waiting(study, monkeypatch):
    """A report that was asked for and has no worker yet."""
    monkeypatch.setattr("scoring.analysis.compute.REPLICATES", 20)
    monkeypatch.setattr("scoring.reports.plots.draw_plots", lambda report: {})
    monkeypatch.setattr(snapshots, "_send", lambda pk: None)
    return request_report(study)


def category_of(snapshot):
    names = [
        level["name"]
        for factor in snapshot.report["automatic"]["factors"]
        if factor["key"] == "category"
        for level in factor["levels"]
    ]
    return names


def test_a_report_is_that_of_the_data_it_was_made_from_not_of_those_it_was_asked_for(
    study, waiting
):
    Item.objects.filter(study=study).update(category="feast")
    execute_report(waiting.pk)
    now = standing(study)
    assert now.is_finished
    assert not now.outdated
    assert category_of(now.shown) == ["feast"]
    Item.objects.filter(study=study).update(category="dance")
    assert standing(study).outdated
    ReportSnapshot.objects.update(requested_at=timezone.now() - 2 * snapshots.REQUEST_EVERY)
    again = request_report(study)
    assert again.pk != waiting.pk
    execute_report(again.pk)
    assert category_of(standing(study).shown) == ["dance"]


def test_a_report_whose_data_changed_while_they_were_read_is_of_no_state(
    study, waiting, monkeypatch
):
    whole = gather.gather

    def gathered(*args):
        data = whole(*args)
        Item.objects.filter(study=study).update(category="feast")
        return data

    monkeypatch.setattr(gather, "gather", gathered)
    execute_report(waiting.pk)
    now = standing(study)
    assert (now.shown.state, now.outdated) == (WorkState.DONE, True)
    Item.objects.filter(study=study).update(category="dance")
    assert standing(study).outdated
