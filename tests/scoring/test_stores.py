"""What the stores hold by model and age, and emptying them: no score of a run is touched."""

import json
import re
from datetime import timedelta
from importlib import import_module
from io import StringIO
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.contrib.auth.models import Permission
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from accounts.models import User
from accounts.roles import researchers_group
from scoring import executing, runs, stores, views_stores
from scoring.embeddings import StoredTexts
from scoring.metrics import base
from scoring.models import CachedScore, ChatExchange, Score, StoredVector
from scoring.stores import STORES, UnknownStoreError, Which, contents, empty, store_called
from tests.scoring.fake_metric import LettersMetric
from tests.scoring.test_stored_vectors import Encoder

pytestmark = pytest.mark.django_db
EMPTY = "/stores/vectors/empty/"
SCORES, VECTORS, EXCHANGES = (STORES[key] for key in ("scores", "vectors", "exchanges"))


@pytest.fixture
def letters(monkeypatch) -> LettersMetric:
    metric = LettersMetric()
    monkeypatch.setitem(base._registry, "letters", metric)
    monkeypatch.setattr(executing, "send_off", lambda run_id: None)
    return metric


def vectors(model: str, n: int, *, days: int = 0) -> None:
    rows = [
        StoredVector(key=f"{model}-{days}-{i}", model=model, vector=b"12345678") for i in range(n)
    ]
    StoredVector.objects.bulk_create(rows)
    old = timezone.now() - timedelta(days=days)
    StoredVector.objects.filter(pk__in=[row.pk for row in rows]).update(created_at=old)


def exchange(model: str, text: str) -> None:
    ChatExchange.objects.create(
        key=f"{model}-{text}"[:64],
        server="http://127.0.0.1",
        model=model,
        parameters={},
        messages=[text],
        choices=[],
    )


def counts(store) -> dict[str, int]:
    return {one.model: one.n for one in contents(store)}


# ---- what is in them


def test_a_run_stores_its_scores_under_its_metric_and_model(letters, draft_study, researcher):
    run = runs.request_run(
        study=draft_study, metric="letters", parameters={"times": 2}, by=researcher
    )
    runs.execute_run(run_id=run.pk)
    [kept] = contents(SCORES)
    assert (kept.metric, kept.model, kept.n) == ("letters", "", 6)
    assert kept.n_bytes >= 6 * len('[["letters", "", 30.0, "", {}]]')
    assert kept.oldest <= kept.newest <= timezone.now()


def test_vectors_are_stored_under_the_model_that_made_them():
    StoredTexts(Encoder(model_id="small")).embed(["a", "bb"])
    StoredTexts(Encoder(model_id="large")).embed(["a"])
    assert counts(VECTORS) == {"small": 2, "large": 1}
    assert sum(one.n_bytes for one in contents(VECTORS)) == sum(
        len(bytes(row.vector)) for row in StoredVector.objects.all()
    )


def test_exchanges_are_counted_by_model_with_the_room_they_take():
    for model, text in (("a", "x" * 500), ("a", "y"), ("b", "z")):
        exchange(model, text)
    first, second = contents(EXCHANGES)
    assert (first.model, first.n, second.model, second.n) == ("a", 2, "b", 1)
    assert first.n_bytes > 500 > second.n_bytes


@pytest.mark.skipif(connection.vendor != "sqlite", reason="plans of small tables differ")
@pytest.mark.parametrize("store", STORES.values(), ids=list(STORES))
def test_how_much_is_stored_is_read_from_an_index_and_not_from_what_is_stored(store):
    assert "USING COVERING INDEX stored_" in stores.summed(store, Which()).explain()


def test_the_size_of_a_row_is_that_of_what_it_holds():
    CachedScore.objects.create(key="1", metric="m", rows=[["a", "", 1.0, "", {}]])
    assert CachedScore.objects.get().size == len(json.dumps([["a", "", 1.0, "", {}]]))
    StoredVector.objects.create(key="1", model="m", vector=b"1234")
    assert StoredVector.objects.get().size == 4
    exchange("m", "abc")
    row = ChatExchange.objects.get()
    assert row.size == len(json.dumps(row.messages)) + len(json.dumps(row.choices))


def test_rows_of_before_sizes_were_noted_are_measured_by_the_migration():
    vectors("m", 2)
    exchange("m", "abc")
    CachedScore.objects.create(key="1", metric="m", rows=[["a", "", 1.0, "", {}]])
    noted = {store.key: contents(store)[0].n_bytes for store in STORES.values()}
    for store in STORES.values():
        store.rows.objects.update(size=0)
    import_module("scoring.migrations.0014_sizes_of_stores").measure(
        apps, SimpleNamespace(connection=connection)
    )
    assert {store.key: contents(store)[0].n_bytes for store in STORES.values()} == noted
    assert min(noted.values()) > 0


# ---- emptying


def test_one_model_s_rows_go_and_the_others_stay():
    vectors("small", 3)
    vectors("large", 2)
    assert empty(VECTORS, Which(model="small")) == 3
    assert counts(VECTORS) == {"large": 2}


def test_rows_from_before_models_were_noted_are_a_model_without_a_name():
    vectors("", 2)
    vectors("large", 1)
    assert empty(VECTORS, Which(model="")) == 2
    assert counts(VECTORS) == {"large": 1}


def test_only_what_is_older_goes():
    vectors("small", 3, days=40)
    vectors("small", 2, days=20)
    assert empty(VECTORS, Which(days=30)) == 3
    assert counts(VECTORS) == {"small": 2}


def test_scores_go_by_metric():
    for key, metric in (("1", "clipscore"), ("2", "ahead")):
        CachedScore.objects.create(key=key, metric=metric, model="m", rows=[])
    assert empty(SCORES, Which(metric="ahead")) == 1
    assert CachedScore.objects.get().metric == "clipscore"


def test_the_oldest_go_first_where_only_so_many_may(monkeypatch):
    monkeypatch.setattr(stores, "AT_ONCE", 2)
    vectors("new", 3)
    vectors("old", 4, days=9)
    assert empty(VECTORS, Which(), at_most=5) == 5
    assert counts(VECTORS) == {"new": 2}
    assert empty(VECTORS, Which(), at_most=5) == 2


def test_emptied_stores_leave_every_score_of_every_run(letters, draft_study, researcher):
    run = runs.request_run(
        study=draft_study, metric="letters", parameters={"times": 2}, by=researcher
    )
    runs.execute_run(run_id=run.pk)
    before = list(Score.objects.order_by("pk").values())
    for store in STORES.values():
        empty(store, Which())
        assert contents(store) == []
    assert list(Score.objects.order_by("pk").values()) == before
    assert len(before) == 6


def test_an_unknown_store_is_refused_with_those_there_are():
    with pytest.raises(UnknownStoreError, match="scores, vectors, exchanges"):
        store_called("pictures")


# ---- the command


def told(*words: str) -> str:
    out = StringIO()
    call_command("stores", *words, stdout=out)
    return out.getvalue()


def test_the_command_lists_and_empties():
    vectors("small", 3)
    vectors("large", 2, days=9)
    exchange("chat", "x")
    listed = told()
    assert "Scores: none" in listed
    assert "Vectors: 5, about 40\u00a0bytes" in listed
    assert "3 of small" in listed and "1 of chat" in listed
    said = told("--empty", "vectors", "--older-than", "5", "--no-input")
    assert "2 rows of vectors are gone." in said
    assert counts(VECTORS) == {"small": 3}


def test_the_command_asks_first(monkeypatch):
    vectors("small", 3)
    monkeypatch.setattr("builtins.input", lambda question: "n")
    told("--empty", "vectors")
    assert counts(VECTORS) == {"small": 3}
    monkeypatch.setattr("builtins.input", lambda question: "y")
    told("--empty", "vectors")
    assert counts(VECTORS) == {}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--empty", "vectors", "--metric", "ahead"), "by model alone"),
        (("--empty", "vectors", "--older-than", "-1"), "0 or more"),
        (("--empty", "pictures"), "invalid choice"),
    ],
)
def test_the_command_refuses_what_it_cannot_do(words, sentence):
    with pytest.raises(CommandError, match=sentence):
        told(*words)


# ---- the page


@pytest.fixture
def page(client, researcher):
    client.force_login(researcher)
    return client


def text(response) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def test_the_page_shows_what_each_model_left(page):
    vectors("org/small", 1200)
    words = text(page.get("/stores/"))
    assert "1,200 rows, about 9.4" in words
    assert "org/small" in words
    assert "There is nothing in it." in words


def test_a_store_is_emptied_after_a_look_at_what_would_go(page):
    vectors("small", 3)
    vectors("large", 2)
    query = {"model": "of:small", "days": ""}
    looked = page.get("/stores/vectors/empty/", query)
    assert "3 rows by small , about 24" in text(looked)
    assert counts(VECTORS) == {"small": 3, "large": 2}
    done = page.post("/stores/vectors/empty/", query, follow=True)
    assert "3 rows of vectors are gone." in text(done)
    assert counts(VECTORS) == {"large": 2}


def test_a_press_deletes_so_many_and_says_what_is_left(page, monkeypatch):
    monkeypatch.setattr(views_stores, "AT_MOST", 2)
    vectors("small", 5)
    done = page.post("/stores/vectors/empty/", {"model": "any"}, follow=True)
    assert "2 rows of vectors are gone. 3 are left: press again to go on." in text(done)


def test_what_one_press_cannot_delete_is_said_before(page, monkeypatch):
    monkeypatch.setattr(views_stores, "AT_MOST", 2)
    vectors("small", 3)
    vectors("large", 2)
    looked = {name: text(page.get(EMPTY, {"model": f"of:{name}"})) for name in ("small", "large")}
    assert "A press deletes 2 rows, the oldest first" in looked["small"]
    assert "A press" not in looked["large"]


def test_a_choice_that_is_gone_and_days_that_are_none_are_told_in_words(page):
    vectors("small", 3)
    words = text(page.get(EMPTY, {"model": "of:nobody", "days": "-3"}))
    assert "Nothing by this name is stored any more." in words
    assert "Give a whole number of days from 0 to 36,500, or nothing." in words
    assert "of:nobody" not in words


def test_wrong_choices_are_refused_and_nothing_goes(page):
    vectors("small", 3)
    for given in ({"model": "of:nobody"}, {"days": "-3"}, {"days": "soon"}):
        assert page.post("/stores/vectors/empty/", given).status_code == 422
    assert page.get("/stores/pictures/empty/").status_code == 404
    assert counts(VECTORS) == {"small": 3}


def test_researchers_neither_see_nor_empty_what_serves_everybody(client, colleague):
    vectors("small", 3)
    colleague.groups.add(researchers_group())
    client.force_login(colleague)
    assert client.get("/stores/").status_code == 403
    assert client.post("/stores/vectors/empty/", {"model": "any"}).status_code == 403
    assert counts(VECTORS) == {"small": 3}


def test_who_may_see_a_store_may_not_therefore_empty_it(client, colleague):
    vectors("small", 3)
    exchange("chat", "x")
    colleague.user_permissions.add(Permission.objects.get(codename="view_storedvector"))
    client.force_login(User.objects.get(pk=colleague.pk))
    words = text(client.get("/stores/"))
    assert "small" in words and "See what would go" not in words
    assert "Exchanges" not in words
    assert client.post("/stores/vectors/empty/", {"model": "any"}).status_code == 403
    assert counts(VECTORS) == {"small": 3}


def test_strangers_are_sent_to_sign_in(client):
    assert client.get("/stores/").status_code == 302
    assert client.post("/stores/vectors/empty/").status_code == 302


def test_the_metrics_page_leads_there_for_those_who_may(page, client, draft_study, researcher):
    link = "/stores/"
    assert f'href="{link}"' in page.get("/studies/weddings/metrics/").content.decode()
    researcher.is_superuser = False
    researcher.is_staff = True
    researcher.save()
    assert f'href="{link}"' not in client.get("/studies/weddings/metrics/").content.decode()
