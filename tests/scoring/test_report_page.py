"""The report's page: what it shows, when it asks for new numbers, what it never does."""

import json
import re
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone
from kombu.exceptions import OperationalError

from scoring import snapshots
from scoring.analysis import compute, gather
from scoring.analysis.codec import to_json
from scoring.analysis.directions import direction_checks
from scoring.coverage import inputs_mark
from scoring.metrics import get_metric
from scoring.models import MetricRun, ReportSnapshot, WorkState
from scoring.report_tasks import compute_report
from scoring.reports import plots
from scoring.reports.metrics_page import sections as metric_sections
from scoring.reports.parts import PARTS
from scoring.reports.words import listed, num, p_value
from scoring.snapshots import (
    claim_report,
    execute_report,
    fingerprint,
    request_report,
    requeue_stale_reports,
    standing,
)
from scoring.stats.result import Interval
from studies.models import Descriptor, Study
from tests.scoring.report_study import (
    a_question,
    a_rater,
    a_researcher,
    a_run,
    a_study,
    an_item,
    rate,
)

URL = "/studies/weddings/report/"
FRAGMENT = "/studies/weddings/report/fragment/"


@pytest.fixture
def in_full():
    """Ask for it where charts and all 2,000 draws are looked at; other tests take a short cut."""


@pytest.fixture(autouse=True)
def _quick(request, monkeypatch):
    if "in_full" not in request.fixturenames:
        monkeypatch.setattr(compute, "REPLICATES", 100)
        monkeypatch.setattr(plots, "draw_plots", lambda report: {})


@pytest.fixture
def owner(db):
    return a_researcher()


@pytest.fixture
def study(owner):
    return a_study(owner=owner)


@pytest.fixture
def sent(monkeypatch):
    """The primary keys that were given to the worker; the work itself is not done."""
    keys = []
    monkeypatch.setattr(compute_report, "delay", keys.append)
    return keys


@pytest.fixture
def page(client, owner, sent, django_capture_on_commit_callbacks):
    """Opens an address as the owner, and commits what it asked for."""
    client.force_login(owner)

    def opened(url=URL, *, method="get", **more):
        with django_capture_on_commit_callbacks(execute=True):
            return getattr(client, method)(url, **more)

    return opened


def text_of(response) -> str:
    bare = re.sub(r"<svg.*?</svg>", "", response.content.decode(), flags=re.S)
    return " ".join(re.sub(r"<[^>]+>", " ", bare).replace("\u00a0", " ").split())


def whole(page) -> str:
    """The text of all pages of the report."""
    keys = [f"{part.key}/" if part.key else "" for part in PARTS]
    return " ".join(text_of(page(URL + key)) for key in keys)


def fill(study, *, simulated=False, n=4):
    """Two raters in Nepal on a few items, one in Iran on one; realism is constant."""
    faithfulness = a_question(study, "faithfulness")
    realism = a_question(study, "realism")
    first, second = (
        a_rater(study, f"NP-{number}", country="NP", simulated=simulated) for number in (1, 2)
    )
    scores = {}
    for number in range(n):
        item = an_item(study, f"n{number}", country="NP", system="Lantern", prompt=f"p{number}")
        rate(first, item, {faithfulness: 1 + number % 5, realism: 3})
        rate(second, item, {faithfulness: 1 + (number + number // 3) % 5, realism: 3})
        scores[item] = number / 10
    item = an_item(study, "i0", country="IR", system="Moth", prompt="tea")
    rate(a_rater(study, "IR-1", country="IR"), item, {faithfulness: 2, realism: 3})
    a_run(study, {"ahead_align": scores, "ahead_hal": dict.fromkeys(scores, 0.5)})
    return faithfulness


def age(snapshot, **delta):
    ReportSnapshot.objects.filter(pk=snapshot.pk).update(
        requested_at=timezone.now() - timedelta(**delta)
    )


def test_without_ratings_the_page_says_what_makes_it_appear(page, study, sent):
    response = page()
    assert "The report appears with the first rating" in text_of(response)
    assert study.entry_link in response.content.decode()
    assert sent == []


def test_a_draft_study_is_pointed_to_its_design(page, study):
    study.state = "draft"
    study.save()
    assert "Nobody can rate before the launch." in whole(page)


def test_opening_the_page_asks_a_worker_and_waits_for_it(page, study, sent):
    fill(study)
    response = page()
    (snapshot,) = ReportSnapshot.objects.all()
    assert sent == [snapshot.pk]
    body = response.content.decode()
    assert "The report is being computed." in body
    assert f'hx-get="{FRAGMENT}?part=&amp;seen=none&amp;steps="' in body
    assert page(f"{FRAGMENT}?seen=none").status_code == 204


def test_opening_it_twice_asks_once(page, study, sent):
    fill(study)
    page()
    page()
    assert len(sent) == 1


def test_the_fragment_brings_the_report_when_it_is_there_and_then_rests(page, study, sent):
    fill(study)
    page()
    execute_report(sent[0])
    response = page(f"{FRAGMENT}?seen=none")
    body = response.content.decode()
    assert response.status_code == 200
    assert body.lstrip().startswith('<div id="report_body"')
    assert FRAGMENT not in body


def test_the_page_shows_every_number_with_its_n(page, study, sent, in_full):
    fill(study)
    page()
    execute_report(sent[0])
    text = whole(page)
    assert "5 items" in text
    assert "3 annotators" in text
    assert "9 ratings counted" in text
    report = standing(study).shown.report
    question = report["questions"][0]
    pooled = question["groups"][0]
    assert f"All, pooled {pooled['summary']['mean']:.2f} [" in text
    assert f"] {pooled['summary']['sd']:.2f}" in text
    assert f"alpha {pooled['coefficients'][0]['value']:.2f}" in text
    assert "over 4 items with two or more ratings" in text
    rho = report["against"]["questions"][0]["rows"][0]["levels"][0]["correlation"]
    assert f"{rho['value']:.2f}" in text
    assert "2,000 draws" in text
    assert "How this number was made" in text
    assert "the package krippendorff" in text


def test_what_is_undefined_is_said_in_words(page, study, sent):
    fill(study)
    page()
    execute_report(sent[0])
    text = whole(page)
    assert "not defined: all ratings are the same" in text
    assert "not defined: no item has two ratings" in text
    assert "not defined: the metric gives every item the same value" in text
    assert not re.search(r"\b(nan|None|inf)\b", text)


def test_few_items_are_flagged_and_nothing_is_called_good_or_poor(page, study, sent):
    fill(study)
    page()
    execute_report(sent[0])
    text = whole(page).lower()
    assert "too few items for a dependable interval" in text
    for verdict in ("moderate", "substantial", "fair", "excellent", "poor", "good agreement"):
        assert verdict not in text


@pytest.mark.parametrize("simulated", [True, False])
def test_simulated_ratings_are_labelled_and_counted(page, study, sent, simulated):
    fill(study, simulated=simulated)
    page()
    execute_report(sent[0])
    text = whole(page)
    assert ("Simulated ratings" in text) is simulated
    assert ("8 of the ratings simulated" in text) is simulated


@pytest.mark.parametrize(
    ("part", "drawn"),
    [
        ("", 0),
        ("scores/", 4),
        ("agreement/", 2),
        ("automatic/", 0),
        ("metrics/", 4),
        ("sensitivity/", 0),
    ],
)
def test_every_page_obeys_the_policy(page, study, sent, in_full, part, drawn):
    fill(study)
    page()
    execute_report(sent[0])
    body = page(f"{URL}{part}").content.decode()
    assert body.count("<svg") >= drawn
    for forbidden in ("style=", "<style", "data:", "hx-on", "javascript:"):
        assert forbidden not in body
    assert not re.search(r"<script(?![^>]*\ssrc=)", body)
    ids = re.findall(r'\sid="([^"]+)"', body)
    assert len(ids) == len(set(ids))
    for target in re.findall(r'popovertarget="([^"]+)"', body):
        assert target in ids


def test_names_are_escaped(page, study, sent, in_full):
    fill(study)
    study.systems.filter(name="Lantern").update(name="<script>alert(1)</script>")
    page()
    execute_report(sent[0])
    assert "<script>alert" not in page().content.decode()


def test_newer_ratings_bring_a_newer_report_but_not_at_once(page, study, sent):
    question = fill(study)
    page()
    execute_report(sent[0])
    rate(a_rater(study, "NP-3", country="NP"), study.items.get(external_id="n0"), {question: 5})
    body = page().content.decode()
    assert len(sent) == 1
    assert "Newer data have come in." in body
    mark = re.search(r"seen=([^\"&]+)", body).group(1)
    age(ReportSnapshot.objects.get(), seconds=21)
    assert page(f"{FRAGMENT}?seen={mark}").status_code == 204
    assert len(sent) == 2
    execute_report(sent[1])
    response = page(f"{FRAGMENT}?seen={mark}")
    assert "10 ratings counted" in text_of(response)
    assert FRAGMENT not in response.content.decode()


def test_data_that_are_changed_back_bring_their_report_back(page, study, sent):
    fill(study)
    page()
    execute_report(sent[0])
    Study.objects.filter(pk=study.pk).update(title="Feasts")
    age(ReportSnapshot.objects.get(), seconds=21)
    page()
    execute_report(sent[1])
    Study.objects.filter(pk=study.pk).update(title="Weddings")
    body = page().content.decode()
    assert "Newer data have come in" not in body
    assert FRAGMENT not in body
    assert page("/studies/weddings/report/report.json").json()["study"]["title"] == "Weddings"
    assert len(sent) == 2


def test_scores_older_than_the_descriptors_are_told(page, study, sent):
    fill(study)
    Descriptor.objects.create(study=study, kind="reference", country="NP", token="brass lamp")
    run = study.metric_runs.get()
    declaration = get_metric(run.metric).declaration
    MetricRun.objects.update(inputs=inputs_mark(study, declaration, run.parameters))
    page()
    execute_report(sent[0])
    assert "has changed since its scores" not in whole(page)
    Descriptor.objects.create(study=study, kind="reference", country="NP", token="clay bowl")
    age(ReportSnapshot.objects.get(), seconds=21)
    page()
    execute_report(sent[1])
    assert "has changed since its scores were made" in whole(page)


def test_of_several_runs_of_a_metric_it_is_said_which_is_used(page, study, sent):
    fill(study)
    scores = {"ahead_align": dict.fromkeys(study.items.all(), 0.5)}
    newest = a_run(study, scores, parameters={"tau": 0.67})
    page()
    execute_report(sent[0])
    text = whole(page)
    assert f"of 2 finished runs the newest is used (run {newest.pk} of" in text
    assert "UTC, tau 0.67)." in text


def test_a_scale_with_too_many_points_for_bars_has_its_means(page, study, sent, in_full):
    warmth = a_question(study, "warmth", labels="abcdefghijk")
    first, second = (a_rater(study, f"NP-{number}", country="NP") for number in (1, 2))
    for number, system in enumerate(("Lantern", "Moth")):
        item = an_item(study, f"n{number}", country="NP", system=system)
        rate(first, item, {warmth: 9 + number})
        rate(second, item, {warmth: 10})
    page()
    execute_report(sent[0])
    body = page(f"{URL}scores/").content.decode()
    figure = body[body.index('id="means-warmth"') :]
    figure = figure[: figure.index("</figure>")]
    assert figure.count("<svg") == 2
    assert "Table behind this chart" in figure
    assert "9.50" in figure
    assert "0.71" in figure
    assert "10.00" in figure


def test_three_items_get_a_correlation_and_words_instead_of_a_p(page, study, sent):
    fill(study, n=3)
    page()
    execute_report(sent[0])
    assert "none below 4 items" in whole(page)


def test_numbers_stay_while_newer_ones_are_computed(page, study, sent):
    question = fill(study)
    page()
    execute_report(sent[0])
    age(ReportSnapshot.objects.get(), seconds=21)
    rate(a_rater(study, "NP-3", country="NP"), study.items.get(external_id="n0"), {question: 5})
    text = whole(page)
    assert len(sent) == 2
    assert "9 ratings counted" in text
    assert "being brought up to date" in text


def test_estimates_are_shown_while_intervals_are_computed(page, study, sent, monkeypatch):
    fill(study)
    page()

    def stop(report):
        raise KeyboardInterrupt

    monkeypatch.setattr(plots, "draw_plots", stop)
    with pytest.raises(KeyboardInterrupt):
        execute_report(sent[0])
    text = whole(page)
    assert "[computing]" in text
    assert "The estimates are ready." in text
    assert "Report, JSON" not in text


def test_a_failure_is_told_kept_and_can_be_tried_again(page, study, sent, monkeypatch):
    fill(study)
    page()
    with monkeypatch.context() as broken:
        broken.setattr(gather, "gather", lambda study, selection: 1 / 0)
        execute_report(sent[0])
    snapshot = ReportSnapshot.objects.get()
    assert snapshot.state == WorkState.FAILED
    assert "ZeroDivisionError" in snapshot.traceback
    body = page().content.decode()
    assert "The report could not be computed" in body
    assert "ZeroDivisionError" in body
    assert "Traceback" not in body
    assert page(method="post").status_code == 302
    assert sent == [snapshot.pk, snapshot.pk]
    execute_report(snapshot.pk)
    assert "9 ratings counted" in whole(page)


def test_an_answer_outside_its_scale_fails_with_a_sentence(page, study, sent):
    question = fill(study)
    question.points.filter(value=1).delete()
    page()
    execute_report(sent[0])
    assert "is not one of the categories 2, 3, 4, 5" in whole(page)


def test_a_report_written_by_an_older_version_is_computed_again(page, study, sent):
    fill(study)
    page()
    execute_report(sent[0])
    ReportSnapshot.objects.update(report={"schema": "concord.report/0"}, fingerprint="old")
    age(ReportSnapshot.objects.get(), seconds=21)
    text = whole(page)
    assert "The report is being computed." in text
    assert len(sent) == 2


def test_a_report_without_the_fields_of_this_version_is_computed_again(
    page, study, sent, monkeypatch
):
    fill(study)
    with monkeypatch.context() as earlier:
        earlier.setattr("scoring.snapshots.shape", lambda: "fewer fields")
        page()
        execute_report(sent[0])
        stored = ReportSnapshot.objects.get()
        for question in stored.report["questions"]:
            for group in question["groups"]:
                del group["coefficients"][0]["n_units_used"]
        stored.save()
    age(stored, seconds=21)
    text = whole(page)
    assert "The report is being computed." in text
    assert "lacks something this version needs" in text
    assert "n_units_used" in text
    execute_report(sent[1])
    assert "lacks something" not in whole(page)


def test_a_report_nobody_takes_up_is_told(page, study, sent):
    fill(study)
    page()
    age(ReportSnapshot.objects.get(), seconds=16)
    response = page(f"{FRAGMENT}?seen=none")
    assert "The report waits for a worker." in text_of(response)
    assert "hx-get" in response.content.decode()


def test_a_broker_that_is_away_does_not_break_the_page(page, study, monkeypatch):
    fill(study)

    def refuse(snapshot_id):
        raise OperationalError("no broker")

    monkeypatch.setattr(compute_report, "delay", refuse)
    assert page().status_code == 200
    assert ReportSnapshot.objects.get().state == WorkState.QUEUED


def test_panels_without_a_value_are_named_once_by_reason():
    assert listed(["Brazil", "Iran", "Nepal"]) == "Brazil, Iran and Nepal"
    assert listed(["Iran"]) == "Iran"


def test_a_question_without_ratings_is_said_to_have_none_only_once(page, study, sent):
    fill(study)
    a_question(study, "novelty")
    page()
    execute_report(sent[0])
    (finding,) = re.findall(
        r"<p class=\"finding\">(Novelty.*?)</p>", page(f"{URL}agreement/").content.decode()
    )
    assert finding == "Novelty: alpha is not defined: no ratings yet."


def test_a_report_is_claimed_once(study, sent):
    fill(study)
    snapshot = request_report(study)
    assert claim_report(snapshot.pk) is not None
    assert claim_report(snapshot.pk) is None


def test_what_lost_its_worker_or_its_message_is_sent_again(
    study, sent, django_capture_on_commit_callbacks
):
    fill(study)
    with django_capture_on_commit_callbacks(execute=True):
        snapshot = request_report(study)
        assert requeue_stale_reports() == 0
    rows = ReportSnapshot.objects.filter(pk=snapshot.pk)
    rows.update(heartbeat_at=timezone.now() - timedelta(seconds=31))
    with django_capture_on_commit_callbacks(execute=True):
        assert requeue_stale_reports() == 1
    claim_report(snapshot.pk)
    with django_capture_on_commit_callbacks(execute=True):
        assert requeue_stale_reports() == 0
        rows.update(heartbeat_at=timezone.now() - timedelta(minutes=6))
        assert requeue_stale_reports() == 1
    assert rows.get().state == WorkState.QUEUED
    assert sent == [snapshot.pk] * 3


def test_a_worker_that_starts_alone_takes_up_what_runs(study, sent):
    fill(study)
    snapshot = request_report(study)
    claim_report(snapshot.pk)
    assert requeue_stale_reports(alone=True) == 1


def test_the_fingerprint_follows_what_counts_and_only_that(study):
    question = fill(study)
    item = an_item(study, "n9", country="NP")
    rater = a_rater(study, "NP-9", country="NP")
    before = fingerprint(study)
    draft = rate(rater, item, {question: 4}, counted=None)
    assert fingerprint(study) == before
    rating = study.participations.get(code="NP-1").assignments.first().ratings.first()
    rating.value += 1
    rating.save()
    changed = fingerprint(study)
    assert changed != before
    draft.delete()
    rate(rater, item, {question: 4})
    added = fingerprint(study)
    assert added != changed
    a_run(study, {}, state=WorkState.RUNNING)
    assert fingerprint(study) == added
    a_run(study, {})
    assert fingerprint(study) != added


def test_old_reports_are_cleared_away(study, sent, monkeypatch):
    fill(study)
    for number in range(snapshots.KEPT + 3):
        ReportSnapshot.objects.create(
            study=study, fingerprint=f"old {number}", state=WorkState.DONE, report={}
        )
    ReportSnapshot.objects.update(requested_at=timezone.now() - timedelta(hours=1))
    snapshot = request_report(study)
    execute_report(snapshot.pk)
    assert ReportSnapshot.objects.count() == snapshots.KEPT
    assert ReportSnapshot.objects.filter(pk=snapshot.pk, state=WorkState.DONE).exists()


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (0.415, 2, "0.41"),
        (-0.07, 2, "\u22120.07"),
        (-0.004, 2, "0.00"),
        (0.0, 2, "0.00"),
        (1188, 0, "1,188"),
        (-1234.5, 1, "\u22121,234.5"),
    ],
)
def test_numbers_are_rounded_and_signed_as_in_print(value, decimals, text):
    assert num(value, decimals) == text


@pytest.mark.parametrize(
    ("p", "text"),
    [(0.0004, "<\u00a00.001"), (0.0083, "0.0083"), (0.048, "0.048"), (0.43, "0.43"), (1.0, "1.0")],
)
def test_p_values_have_two_significant_digits(p, text):
    assert p_value(p) == text


@pytest.mark.parametrize("url", [URL, FRAGMENT])
def test_a_stranger_does_not_learn_that_the_study_exists(client, study, url):
    client.force_login(a_researcher("stranger"))
    assert client.get(url).status_code == 404


@pytest.mark.parametrize("url", [URL, FRAGMENT])
def test_who_is_not_signed_in_is_sent_to_sign_in(client, study, url):
    response = client.get(url)
    assert response.status_code == 302
    assert "login" in response["Location"]


def test_the_page_takes_few_queries(page, study, sent, django_assert_max_num_queries):
    fill(study, n=12)
    page()
    execute_report(sent[0])
    with django_assert_max_num_queries(36):
        page()


HEAVY = ("torch", "transformers", "pandas", "scipy", "matplotlib", "statsmodels")

LOADED = """
import json, sys, django
django.setup()
import scoring.tasks, scoring.urls, scoring.views_report
from scoring.analysis.codec import from_json
from scoring.reports.page import page_of
from scoring.reports.parts import PARTS
report = from_json(json.load(open(sys.argv[1])))
for part in PARTS:
    assert page_of(report, {}, part, lambda ids: {}).sections
print(",".join(name for name in HEAVY if name in sys.modules))
"""


def test_showing_a_report_loads_none_of_the_heavy_modules(study, tmp_path):
    fill(study)
    stored = tmp_path / "report.json"
    stored.write_text(json.dumps(to_json(compute.analyse(study, replicates=0))))
    program = LOADED.replace("HEAVY", repr(HEAVY))
    done = subprocess.run(
        [sys.executable, "-c", program, str(stored)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == ""


@pytest.mark.parametrize(
    ("better", "direction", "low", "high", "outcome"),
    [
        ("higher", "higher", -0.8, -0.3, "contrary"),
        ("lower", "lower", 0.3, 0.8, "as declared"),
        ("lower", "higher", 0.3, 0.8, "contrary"),
        ("higher", "higher", -0.8, 0.1, "includes 0"),
        ("higher", "none", -0.8, -0.3, None),
        ("higher", "higher", None, None, "no interval"),
    ],
)
def test_a_metric_that_runs_against_its_direction_is_pointed_out(
    study, better, direction, low, high, outcome
):
    fill(study)
    report = compute.analyse(study, replicates=0)
    (question, *_) = report.against.questions
    row = question.rows[0]
    found = row.levels[0]
    bounds = Interval(
        low=low,
        high=high,
        reason=None if low is not None else "one_cluster",
        level=0.95,
        kind="percentile",
        resampled="items",
        replicates=100,
        seed=1,
        undefined_share=0.0,
    )
    turned = replace(
        row,
        series=replace(row.series, better=better),
        levels=(replace(found, correlation=replace(found.correlation, interval=bounds)),),
    )
    asked = replace(question, better=direction if direction != "none" else "", rows=(turned,))
    checks = direction_checks((asked,), found.correlation.method)
    assert [check.outcome for check in checks] == ([] if outcome is None else [outcome])
    against = replace(report.against, questions=(asked,), directions=checks)
    opening = metric_sections(replace(report, against=against), {})[0]
    warned = any("Check its direction." in note.text for note in opening.notes)
    assert warned is (outcome == "contrary")
