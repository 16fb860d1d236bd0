"""What was scored once is found again, and only what would be the same."""

import pytest

from scoring import executing, runs
from scoring.metrics import base
from scoring.metrics.base import ScoreRow
from scoring.models import CachedScore, MetricRun
from scoring.selection import Selection
from studies.models import Descriptor, Item
from tests.conftest import add_item
from tests.scoring.fake_metric import LettersMetric

pytestmark = pytest.mark.django_db


@pytest.fixture
def letters(monkeypatch) -> LettersMetric:
    metric = LettersMetric()
    monkeypatch.setitem(base._registry, "letters", metric)
    monkeypatch.setattr(executing, "CHUNK", 2)
    monkeypatch.setattr(executing, "send_off", lambda run_id: None)
    return metric


def scored(study, by, selection=Selection(), **parameters) -> MetricRun:  # noqa: B008
    run = runs.request_run(
        study=study,
        metric="letters",
        parameters={"times": 2} | parameters,
        by=by,
        selection=selection,
    )
    runs.execute_run(run_id=run.pk)
    run.refresh_from_db()
    return run


def values(run) -> list:
    return list(run.scores.order_by("item_id").values_list("item_id", "value", "reason"))


def test_a_second_run_of_the_same_work_scores_nothing_and_has_the_same_scores(
    letters, draft_study, researcher
):
    first = scored(draft_study, researcher)
    letters.scored.clear()
    second = scored(draft_study, researcher)
    assert letters.scored == []
    assert (second.state, second.n_done, second.n_cached) == ("done", 6, 6)
    assert (first.n_done, first.n_cached) == (6, 0)
    assert values(second) == values(first)


def test_other_parameters_are_other_work(letters, draft_study, researcher):
    scored(draft_study, researcher)
    letters.scored.clear()
    assert scored(draft_study, researcher, times=3).n_cached == 0
    assert len(letters.scored) == 6


def test_only_the_item_whose_prompt_was_changed_is_scored_again(letters, draft_study, researcher):
    scored(draft_study, researcher)
    letters.scored.clear()
    changed = draft_study.items.get(external_id="np-3")
    changed.prompt = "A funeral"
    changed.save()
    run = scored(draft_study, researcher)
    assert letters.scored == [str(changed.pk)]
    assert run.n_cached == 5
    assert run.scores.get(item=changed).value == 2.0 * len("A funeral")


def test_another_version_of_the_metric_finds_nothing(letters, draft_study, researcher, monkeypatch):
    from dataclasses import replace

    scored(draft_study, researcher)
    declared = replace(letters.declaration, version="2")
    monkeypatch.setattr(LettersMetric, "declaration", declared)
    assert scored(draft_study, researcher).n_cached == 0


def test_the_store_outlives_the_run_and_serves_the_next_one(letters, draft_study, researcher):
    first = scored(draft_study, researcher)
    before = values(first)
    runs.delete_run(run=first)
    letters.scored.clear()
    again = scored(draft_study, researcher)
    assert (letters.scored, values(again)) == ([], before)


def test_an_emptied_store_costs_work_and_changes_nothing(letters, draft_study, researcher):
    before = values(scored(draft_study, researcher))
    CachedScore.objects.all().delete()
    again = scored(draft_study, researcher)
    assert again.n_cached == 0
    assert values(again) == before


def test_a_score_that_was_made_without_a_missing_picture_is_made_again_with_it(
    letters, draft_study, researcher, monkeypatch
):
    lacks = {"left_out": {"7": "missing_media"}}
    monkeypatch.setattr(
        LettersMetric,
        "score",
        lambda self, *, items, **more: (
            ScoreRow(item.key, "letters", "", 1.0, "", lacks) for item in items
        ),
    )
    assert scored(draft_study, researcher).state == "done"
    assert scored(draft_study, researcher).n_cached == 0
    lacks["left_out"] = {"7": "refused"}
    assert scored(draft_study, researcher).n_cached == 0
    assert scored(draft_study, researcher).n_cached == 6, "what was refused stays so"


def test_what_failed_or_could_be_mended_is_tried_again(letters, draft_study, researcher):
    bad = draft_study.items.get(external_id="np-3")

    def refuse(item):
        if item.key == str(bad.pk):
            raise ValueError("no use")

    letters.before_item = refuse
    first = scored(draft_study, researcher)
    assert (first.n_failed, first.n_done) == (1, 6)
    letters.before_item = lambda item: None
    letters.scored.clear()
    again = scored(draft_study, researcher)
    assert letters.scored == [str(bad.pk)]
    assert (again.n_cached, again.n_failed) == (5, 0)


def test_a_missing_file_is_not_remembered(letters, draft_study, researcher, monkeypatch):
    def gone(self, items, *more):
        for item in items:
            yield ScoreRow(item.key, "letters", "", None, "missing_media", {})

    with monkeypatch.context() as patched:
        patched.setattr(LettersMetric, "_rows", gone)
        first = scored(draft_study, researcher)
    assert (first.state, first.n_undefined) == ("done", 6)
    assert scored(draft_study, researcher).n_cached == 0


def test_the_file_counts_by_its_content_not_by_its_place(
    letters, draft_study, researcher, monkeypatch
):
    from dataclasses import replace

    needs = replace(letters.declaration.needs, item_fields=("prompt", "file"))
    monkeypatch.setattr(LettersMetric, "declaration", replace(letters.declaration, needs=needs))
    scored(draft_study, researcher)
    letters.scored.clear()
    moved, changed = draft_study.items.order_by("pk")[:2]
    Item.objects.filter(pk=moved.pk).update(media="items/zz/elsewhere.png")
    Item.objects.filter(pk=changed.pk).update(sha256="f" * 64)
    scored(draft_study, researcher)
    assert letters.scored == [str(changed.pk)]


def test_a_descriptor_of_one_country_leaves_the_others_as_they_are(
    letters, draft_study, researcher, monkeypatch
):
    from dataclasses import replace

    needs = replace(letters.declaration.needs, descriptor_kinds=("reference",))
    monkeypatch.setattr(LettersMetric, "declaration", replace(letters.declaration, needs=needs))
    iran = add_item(draft_study, "ir-1", "IR")

    def reference(country, token):
        Descriptor.objects.create(
            study=draft_study, kind="reference", activity="wedding", country=country,
            dimension="objects", token=token,
        )  # fmt: skip

    reference("NP", "brass lamp")
    scored(draft_study, researcher)
    letters.scored.clear()
    reference("IR", "sofreh aghd")
    assert scored(draft_study, researcher).n_cached == 6
    assert letters.scored == [str(iran.pk)]


# ---- which items


def test_only_items_that_are_to_be_rated_are_scored(letters, draft_study, researcher):
    left_out = [
        add_item(draft_study, f"x-{purpose}", purpose=purpose)
        for purpose in ("practice", "gold", "example")
    ]
    run = scored(draft_study, researcher)
    assert (run.n_items, run.n_done) == (6, 6)
    assert not run.scores.filter(item__in=left_out).exists()


def test_a_selection_narrows_by_every_part(letters, draft_study, researcher):
    add_item(draft_study, "ir-1", "IR")
    add_item(draft_study, "ir-2", "IR", category="meal")
    run = scored(draft_study, researcher, Selection(countries=("IR",), categories=("meal",)))
    assert list(run.scores.values_list("item__external_id", flat=True)) == ["ir-2"]
    run = scored(draft_study, researcher, Selection(items=("np-2", "ir-1")))
    assert set(run.scores.values_list("item__external_id", flat=True)) == {"np-2", "ir-1"}
    assert run.n_items == 2
