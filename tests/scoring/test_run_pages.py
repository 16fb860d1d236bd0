"""What is done with a run on its pages: narrow, continue, choose, compare, export, delete."""

import csv
import io
import json
import re

import pytest

from scoring import backing, executing, runs
from scoring.chosen import runs_for_reports
from scoring.metrics import base
from scoring.models import MetricRun
from studies.models import System
from tests.conftest import add_item
from tests.scoring.fake_metric import LettersMetric
from tests.scoring.test_run_troubles import Paid, PaidLetters

pytestmark = pytest.mark.django_db
PAGE = "/studies/weddings/metrics/"


@pytest.fixture
def letters(monkeypatch) -> LettersMetric:
    metric = LettersMetric()
    monkeypatch.setitem(base._registry, "letters", metric)
    monkeypatch.setattr(executing, "send_off", lambda run_id: None)
    return metric


@pytest.fixture
def page(client, researcher):
    client.force_login(researcher)
    return client


def scored(study, by, times=2) -> MetricRun:
    run = runs.request_run(study=study, metric="letters", parameters={"times": times}, by=by)
    runs.execute_run(run_id=run.pk)
    run.refresh_from_db()
    return run


def text(response) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def test_a_run_is_started_on_chosen_items(page, letters, draft_study):
    system = System.objects.create(study=draft_study, name="SDXL")
    add_item(draft_study, "ir-1", "IR", system=system)
    add_item(draft_study, "ir-2", "IR")
    html = page.get(f"{PAGE}new/letters/").content.decode()
    assert 'name="only_countries"' in html
    response = page.post(
        f"{PAGE}new/letters/",
        {"times": "2", "only_countries": ["IR"], "only_items": "ir-1\n\nnp-1"},
    )
    run = MetricRun.objects.get()
    assert response.status_code == 302
    assert run.selection == {"countries": ["IR"], "items": ["ir-1", "np-1"]}
    assert run.n_items == 1
    assert "Only Iran" in text(page.get(f"{PAGE}{run.pk}/"))
    response = page.post(f"{PAGE}new/letters/", {"times": "2", "only_items": "nobody"})
    assert response.status_code == 422
    assert "No item to be rated has the id nobody." in text(response)


def test_calls_are_counted_before_they_are_made(page, letters, draft_study, monkeypatch):
    monkeypatch.setitem(base._registry, "letters", PaidLetters())
    monkeypatch.setitem(backing.BACKENDS, "paid", lambda wanted: Paid(wanted.budget))
    page.post(f"{PAGE}new/letters/", {"times": "2", "budget_calls": "5"})
    run = MetricRun.objects.get()
    runs.execute_run(run_id=run.pk)
    words = text(page.get(f"{PAGE}{run.pk}/"))
    assert "Nothing has been asked yet. The run would make 6 new calls" in words
    page.post(f"{PAGE}{run.pk}/continue/", {"budget_calls": "5", "budget_tokens": ""})
    run.refresh_from_db()
    assert (run.state, run.budget) == ("queued", {"calls": 5})
    runs.execute_run(run_id=run.pk)
    words = text(page.get(f"{PAGE}{run.pk}/"))
    assert "The budget is reached." in words
    assert "Spent so far: 5 calls" in words
    assert "Go on with this run" in words


def test_what_failed_is_listed_by_reason_and_can_be_tried_again(
    page, letters, draft_study, researcher
):
    bad = draft_study.items.get(external_id="np-3")

    def refuse(item):
        if item.key == str(bad.pk):
            raise ValueError("a picture of <nothing>")

    letters.before_item = refuse
    run = scored(draft_study, researcher)
    assert "1 failed" in text(page.get(f"{PAGE}{run.pk}/"))
    listed = page.get(f"{PAGE}{run.pk}/troubles/?reason=item_failed")
    assert "ValueError: a picture of &lt;nothing&gt;" in listed.content.decode()
    assert "np-3" in text(listed)
    assert "np-4" not in text(listed)
    letters.before_item = lambda item: None
    page.post(f"{PAGE}{run.pk}/retry/")
    runs.execute_run(run_id=run.pk)
    assert "Every score of this run has a value." in text(page.get(f"{PAGE}{run.pk}/troubles/"))


def test_reports_read_the_run_that_was_chosen_until_that_is_taken_back(
    page, letters, draft_study, researcher
):
    first, second = (scored(draft_study, researcher, times) for times in (2, 3))
    read = runs_for_reports(draft_study)
    assert read == [second]
    page.post(f"{PAGE}{first.pk}/choose/")
    assert runs_for_reports(draft_study) == [first]
    page.post(f"{PAGE}{second.pk}/choose/")
    assert runs_for_reports(draft_study) == [second]
    page.post(f"{PAGE}{second.pk}/choose/")
    assert not MetricRun.objects.filter(chosen=True).exists()


def test_a_run_that_is_not_done_is_not_chosen(page, letters, draft_study, researcher):
    run = runs.request_run(
        study=draft_study, metric="letters", parameters={"times": 2}, by=researcher
    )
    assert "Only a run that is done" in text(page.post(f"{PAGE}{run.pk}/choose/", follow=True))


def test_a_run_is_deleted_after_a_question_and_not_while_it_waits(
    page, letters, draft_study, researcher
):
    run = runs.request_run(
        study=draft_study, metric="letters", parameters={"times": 2}, by=researcher
    )
    response = page.post(f"{PAGE}{run.pk}/delete/", follow=True)
    assert "Cancel it first, then delete it." in text(response)
    runs.execute_run(run_id=run.pk)
    assert "Its 6 scores will be gone for good" in text(page.get(f"{PAGE}{run.pk}/delete/"))
    assert MetricRun.objects.exists()
    page.post(f"{PAGE}{run.pk}/delete/")
    assert not MetricRun.objects.exists()


def test_scores_leave_as_csv_and_json_with_the_method(page, letters, draft_study, researcher):
    run = scored(draft_study, researcher)
    response = page.get(f"{PAGE}{run.pk}/scores.csv")
    rows = list(csv.DictReader(io.StringIO(b"".join(response.streaming_content).decode())))
    assert len(rows) == 6
    assert {row["item"] for row in rows} == {f"np-{n}" for n in range(1, 7)}
    assert {(row["output"], row["value"], row["reason"]) for row in rows} == {
        ("letters", str(2.0 * len("A wedding, np-1")), "")
    }
    response = page.get(f"{PAGE}{run.pk}/scores.json")
    told = json.loads(b"".join(response.streaming_content))
    assert (told["run"]["metric"], told["run"]["parameters"]) == ("letters", {"times": 2.0})
    assert len(told["scores"]) == 6


def test_two_runs_are_compared_pair_by_pair(page, letters, draft_study, researcher):
    for n, item in enumerate(draft_study.items.order_by("pk")):
        item.prompt = "x" * (n + 1)
        item.save()
    first, second = (scored(draft_study, researcher, times) for times in (2, 3))
    second.scores.filter(value=3.0).update(value=None, reason="no_prompt")
    words = text(page.get(f"{PAGE}{first.pk}/compare/?with={second.pk}"))
    # 2n against 3n for n = 2..6: the mean of n is 4.
    assert "The whole 5 1 0 1.000 1.000 4.0000" in words
    assert "12.000 → 18.000" in words
    assert page.get(f"{PAGE}{first.pk}/compare/?with=nothing").status_code == 302
    assert page.get(f"{PAGE}{first.pk}/compare/?with={first.pk}").status_code == 302


def test_a_comparison_that_cannot_be_made_says_why(page, letters, draft_study, researcher):
    first, second = (scored(draft_study, researcher, times) for times in (2, 3))
    words = text(page.get(f"{PAGE}{first.pk}/compare/?with={second.pk}"))
    assert "The whole 6 0 0" in words
    assert "nan" not in words.lower().split()


def test_nobody_else_reads_or_deletes(client, colleague, letters, draft_study, researcher):
    run = scored(draft_study, researcher)
    client.force_login(colleague)
    for address in ("troubles/", "compare/", "scores.csv", "scores.json", "delete/"):
        assert client.get(f"{PAGE}{run.pk}/{address}").status_code == 404
    for act in ("continue", "retry", "choose", "delete"):
        assert client.post(f"{PAGE}{run.pk}/{act}/").status_code == 404
    assert client.post(f"{PAGE}import/").status_code == 404
    assert MetricRun.objects.count() == 1
