"""Imports of many ratings: a worker's, once, all or nothing, seen by nobody before it is whole."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from annotation.external import jobs, looking, writing
from annotation.external.forms import RatingsForm
from annotation.external.uploads import receive
from annotation.models import Assignment, Participation, Rating, RatingsImport
from studies.models import Item, Question, Study, System, Unit, UnitItem

pytestmark = pytest.mark.django_db
State = RatingsImport.State
PAGE = "/studies/import/"
ROWS = [
    f"{item},{rater},{1 + (item + rater) % 5},M{item % 2}"
    for item in range(6)
    for rater in range(3)
]
TABLE = "\n".join(["picture,who,score,model", *ROWS]).encode()
ASKED = {
    "title": "Very many",
    "slug": "",
    "shape": "long",
    "item": "picture",
    "rater": "who",
    "value": "score",
    "facts": "system=model",
    "question_is": "quality",
    "scale": "1-5",
    "level": "ordinal",
}


@pytest.fixture(autouse=True)
def _many_for_a_page(settings, tmp_path, monkeypatch):
    settings.VAR_DIR = tmp_path / "var"
    monkeypatch.setattr(looking, "HEAD", 4)
    monkeypatch.setattr(writing, "BATCH", 5)


@pytest.fixture
def sent(monkeypatch) -> list[int]:
    """Imports that were handed to the workers."""
    found: list[int] = []
    monkeypatch.setattr(jobs, "send_off", found.append)
    return found


@pytest.fixture
def bring(researcher):
    def brought(content: bytes = TABLE, name: str = "ratings.csv") -> RatingsImport:
        return receive([SimpleUploadedFile(name, content)], tool="", by=researcher)

    return brought


@pytest.fixture
def page(client, researcher):
    client.force_login(researcher)
    return client


def address(brought: RatingsImport) -> str:
    return f"{PAGE}{brought.token}/"


def asked_for(brought: RatingsImport, **fields: str) -> RatingsImport:
    assert jobs.request_import(brought=brought, asked={**ASKED, **fields})
    return brought


def done(brought: RatingsImport) -> RatingsImport:
    jobs.execute_import(brought.pk)
    brought.refresh_from_db()
    return brought


def words(answer) -> str:
    return answer.content.decode()


def nothing_is_left() -> bool:
    models = (Study, Item, System, Unit, UnitItem, Question, Participation, Assignment, Rating)
    return not any(model.objects.exists() for model in models)


def test_many_ratings_wait_for_a_worker_and_come_in_whole(page, bring, sent):
    brought = bring()
    answer = page.post(address(brought), {"import": "yes", **ASKED})
    assert answer.url == address(brought)
    assert sent == [brought.pk]
    assert not Study.objects.exists()
    assert "Waiting for a worker" in words(page.get(address(brought)))
    done(brought)
    study = Study.objects.get()
    assert (brought.state, brought.study, brought.n_done) == (State.DONE, study, 18)
    assert (study.state, study.is_whole, study.items.count()) == ("closed", True, 6)
    assert Rating.objects.count() == 18
    assert set(study.participations.values_list("revision", flat=True)) == {study.revision}
    assert study.external_source.n_ratings == 18
    assert not brought.folder.exists()
    text = words(page.get(address(brought)))
    assert "18 ratings" in text
    assert 'href="/studies/very-many/report/"' in text


def test_a_second_click_starts_no_second_import(page, bring, sent):
    brought = bring()
    for _ in range(2):
        assert page.post(address(brought), {"import": "yes", **ASKED}).status_code in (200, 302)
    assert sent == [brought.pk]
    assert not jobs.request_import(brought=brought, asked=ASKED)
    done(brought)
    done(brought)
    page.post(address(brought), {"import": "yes", **ASKED})
    assert sent == [brought.pk]
    assert Study.objects.count() == 1


def test_of_two_workers_one_imports(bring):
    brought = asked_for(bring())
    assert jobs._Work.claim(brought.pk) is not None
    assert jobs._Work.claim(brought.pk) is None


def test_the_page_tells_how_far_it_is_and_asks_anew_when_it_is_over(page, bring, sent):
    brought = asked_for(bring())
    progress = f"{address(brought)}progress/"
    at = {"state": State.WRITING, "n_done": 1200, "n_total": 18000}
    RatingsImport.objects.filter(pk=brought.pk).update(**at)
    text = words(page.get(progress))
    assert "1,200 of 18,000 ratings" in text
    assert '<progress value="1200" max="18000"' in text
    assert f'hx-get="{progress}"' in text
    assert f'hx-get="{progress}"' in words(page.get(address(brought)))
    RatingsImport.objects.filter(pk=brought.pk).update(state=State.DONE)
    assert page.get(progress)["HX-Refresh"] == "true"


def test_a_worker_tells_how_many_ratings_it_has_read_and_written(bring, monkeypatch):
    monkeypatch.setattr(jobs, "BEAT_EVERY", -1)
    monkeypatch.setattr("annotation.external.gathering.STEP", 6)
    told = []
    update = jobs._Work.update

    def noted(work, **values):
        told.append((RatingsImport.objects.get().state, values.get("n_done")))
        update(work, **values)

    monkeypatch.setattr(jobs._Work, "update", noted)
    done(asked_for(bring()))
    assert [n for state, n in told if state == State.READING] == [6, 12, 18, 0]
    assert [n for state, n in told if state == State.WRITING][-5:] == [5, 10, 15, 18, 18]


def test_wrong_rows_are_named_nothing_is_written_and_the_form_is_kept(page, bring, sent):
    brought = bring(TABLE + b"\n7,1,9,M1\n7,,3,M1\n")
    page.post(address(brought), {"import": "yes", **ASKED})
    done(brought)
    assert brought.state == State.REFUSED
    assert nothing_is_left()
    text = words(page.get(address(brought))).replace("&#x27;", "'")
    assert "ratings.csv, line 20: '9' is no point of quality: 1, 2, 3, 4, 5." in text
    assert "ratings.csv, line 21: no rater." in text
    assert 'value="Very many"' in text
    again = {**ASKED, "scale": "1-9", "where": "who=1"}
    assert page.post(address(brought), {"import": "yes", **again}).url == address(brought)
    assert done(brought).state == State.DONE
    assert Rating.objects.count() == 7


def test_what_breaks_off_leaves_nothing_and_can_be_imported_again(page, bring, monkeypatch):
    brought = asked_for(bring())
    with monkeypatch.context() as patched:
        patched.setattr(jobs, "finish_study", _full_disk)
        done(brought)
    assert brought.state == State.FAILED
    assert "disk full" in brought.error
    assert nothing_is_left()
    assert "disk full" in words(page.get(address(brought)))
    assert done(asked_for(brought)).state == State.DONE
    assert Rating.objects.count() == 18


def _full_disk(**_: object) -> None:
    raise RuntimeError("disk full")


def test_an_import_whose_worker_was_killed_begins_anew(bring, researcher, sent):
    brought = asked_for(bring())
    work = jobs._Work.claim(brought.pk)
    form = RatingsForm(ASKED, tool="", names=["ratings.csv"])
    assert form.is_valid()
    wanted = form.wanted(owner=researcher, texts={})
    half = writing.begin_study(wanted=wanted, files=[{"name": "ratings.csv"}])
    Item.objects.create(study=half, external_id="0", content_type="", source_name="")
    work.update(state=State.WRITING, study=half)
    assert jobs.requeue_stale_imports() == []
    assert jobs.requeue_stale_imports(alone=True) == sent == [brought.pk]
    assert done(brought).state == State.DONE
    assert Study.objects.get().items.count() == 6


def test_work_that_lost_its_worker_or_its_message_is_sent_again(bring, sent):
    waiting, running = asked_for(bring()), asked_for(bring(), slug="other")
    jobs._Work.claim(running.pk)
    long_ago = timezone.now() - timedelta(hours=1)
    assert jobs.requeue_stale_imports() == sent == []
    RatingsImport.objects.filter(pk=waiting.pk).update(requested_at=long_ago)
    RatingsImport.objects.filter(pk=running.pk).update(heartbeat_at=long_ago)
    assert sorted(jobs.requeue_stale_imports()) == [waiting.pk, running.pk]
    assert sorted(sent) == [waiting.pk, running.pk]


def test_an_import_that_is_stopped_leaves_nothing_but_its_files(page, bring, monkeypatch):
    monkeypatch.setattr(jobs, "BEAT_EVERY", -1)
    brought = asked_for(bring())
    fill = jobs.fill_study

    def stopped_meanwhile(**given):
        page.post(f"{address(brought)}stop/")
        fill(**given)

    monkeypatch.setattr(jobs, "fill_study", stopped_meanwhile)
    done(brought)
    assert brought.state == State.OPEN
    assert nothing_is_left()
    assert brought.folder.exists()
    text = words(page.get(address(brought)))
    assert "Stopped. Nothing was imported." in text
    assert 'value="Very many"' in text


def test_nobody_sees_the_study_before_it_is_whole(page, bring, monkeypatch):
    brought = asked_for(bring())
    seen = []

    def looked_meanwhile(**_):
        seen.append(page.get("/studies/very-many/report/").status_code)
        seen.append("very-many" in words(page.get("/")))
        _full_disk()

    monkeypatch.setattr(jobs, "finish_study", looked_meanwhile)
    done(brought)
    assert seen == [404, False]


def test_an_address_that_was_taken_meanwhile_refuses_the_import(bring, researcher):
    brought = asked_for(bring())
    Study.objects.create(owner=researcher, title="First", slug="very-many", public_title="F")
    assert done(brought).state == State.REFUSED
    assert "There is a study 'very-many' already" in brought.problems[0]
    assert Study.objects.get().title == "First"


def test_what_was_left_out_is_told_when_it_is_done(page, bring):
    brought = bring()
    left_out = {"unfinished responses": 1200}
    RatingsImport.objects.filter(pk=brought.pk).update(state=State.DONE, left_out=left_out)
    assert "Left out: 1,200 unfinished responses." in words(page.get(address(brought)))
