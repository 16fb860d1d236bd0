"""Metrics of cells: items of an activity, a country and a system that are scored together."""

import json

import pytest
from django.db import IntegrityError, transaction

from scoring import executing, runs
from scoring.metrics import base
from scoring.metrics.base import Cell, Declaration, Needs, Output, ScoreRow
from scoring.models import Score
from studies.models import System
from tests.conftest import add_item

pytestmark = pytest.mark.django_db


class CountMetric:
    """How many items a cell has; and of each item the letters of its prompt."""

    declaration = Declaration(
        key="count",
        name="Count",
        family="Test",
        version="1",
        modality="image",
        source="none",
        needs=Needs(item_fields=("prompt",)),
        outputs=(
            Output("letters", "LETTERS", 0, 1000, "higher"),
            Output("count", "COUNT", 0, 1000, "higher", of="cell"),
        ),
        cells=("activity", "country", "system"),
    )

    def __init__(self):
        self.cells: list[Cell] = []

    def score(self, *, items, descriptors, backend, parameters, on_progress=None):
        for item in items:
            yield ScoreRow(item.key, "letters", "", len(item.fields["prompt"]), "", {})

    def score_cells(self, *, cells, descriptors, backend, parameters, on_progress=None):
        for cell in cells:
            self.cells.append(cell.cell)
            if len(cell.items) == 13:
                raise ValueError("thirteen")
            yield ScoreRow("", "count", "", len(cell.items), "", {}, cell.cell)


@pytest.fixture
def count(monkeypatch) -> CountMetric:
    metric = CountMetric()
    monkeypatch.setitem(base._registry, "count", metric)
    monkeypatch.setattr(executing, "send_off", lambda run_id: None)
    return metric


@pytest.fixture
def study(draft_study):
    system = System.objects.create(study=draft_study, name="SDXL")
    add_item(draft_study, "np-7", category="Wedding ", system=system)
    add_item(draft_study, "np-8", category="wedding", system=system)
    add_item(draft_study, "ir-1", "IR", category="meal", system=system)
    return draft_study


def scored(study, by):
    run = runs.request_run(study=study, metric="count", parameters={}, by=by)
    runs.execute_run(run_id=run.pk)
    run.refresh_from_db()
    return run


def counts(run) -> dict[tuple, float]:
    rows = run.scores.filter(item=None).values_list("cell", "value")
    return {tuple(json.loads(cell)): value for cell, value in rows}


def test_items_are_scored_and_then_their_cells(count, study, researcher):
    run = scored(study, researcher)
    assert (run.state, run.n_items, run.n_done) == ("done", 9 + 3, 12)
    found = {(a.strip().casefold(), c, s): n for (a, c, s), n in counts(run).items()}
    assert found == {
        ("wedding", "NP", ""): 6,
        ("wedding", "NP", "SDXL"): 2,
        ("meal", "IR", "SDXL"): 1,
    }
    assert run.scores.filter(output="letters", item__isnull=False).count() == 9


def test_a_cell_with_one_item_more_is_scored_again_and_the_others_are_not(count, study, researcher):
    scored(study, researcher)
    count.cells.clear()
    add_item(study, "ir-2", "IR", category="meal", system=System.objects.get())
    run = scored(study, researcher)
    assert count.cells == [Cell("meal", "IR", "SDXL")]
    assert counts(run)["meal", "IR", "SDXL"] == 2
    assert run.n_cached == 9 + 2


def test_a_run_that_was_stopped_between_cells_goes_on_with_the_others(
    count, study, researcher, monkeypatch
):
    monkeypatch.setattr(executing, "CHUNK", 1)
    run = runs.request_run(study=study, metric="count", parameters={}, by=researcher)
    runs.execute_run(run_id=run.pk, should_stop=lambda: len(count.cells) == 1)
    run.refresh_from_db()
    assert (run.state, run.n_done) == ("queued", 10)
    runs.execute_run(run_id=run.pk)
    run.refresh_from_db()
    assert (run.state, run.n_done, len(count.cells)) == ("done", 12, 3)


def test_a_cell_on_which_the_metric_breaks_is_marked_alone(count, study, researcher):
    for n in range(12):
        add_item(study, f"ir-x{n}", "IR", category="meal", system=System.objects.get())
    run = scored(study, researcher)
    failed = run.scores.get(reason="item_failed")
    assert (Cell.of_key(failed.cell).country, failed.item, failed.output) == ("IR", None, "count")
    assert (run.state, run.n_failed) == ("done", 1)


def test_a_score_is_of_an_item_or_of_a_cell_and_of_one_only(count, study, researcher):
    run = scored(study, researcher)
    cell = Cell("meal", "IR", "SDXL").key
    for wrong in ({"item": None, "cell": ""}, {"item": study.items.first(), "cell": cell}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Score.objects.create(run=run, output="other", value=1.0, **wrong)
    with pytest.raises(IntegrityError), transaction.atomic():
        Score.objects.create(run=run, output="count", value=1.0, cell=cell)


def test_the_key_of_a_cell_tells_none_from_an_empty_text_and_comes_back():
    for cell in (Cell("a", "NP", None), Cell("a", "NP", ""), Cell('a", "NP', None, "x"), Cell()):
        assert Cell.of_key(cell.key) == cell
    assert Cell("a", "NP", None).key != Cell("a", "NP", "").key


def test_a_row_of_a_score_names_an_item_or_a_cell():
    with pytest.raises(ValueError, match="of an item or of a cell"):
        ScoreRow("", "count", "", 1.0, "", {})
    with pytest.raises(ValueError, match="of an item or of a cell"):
        ScoreRow("7", "count", "", 1.0, "", {}, Cell("a"))
