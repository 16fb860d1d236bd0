"""The next screen, filled into what was drawn before, is what its template draws."""

from types import SimpleNamespace

import pytest
from django.template.loader import render_to_string

from annotation import drawing, views_rating
from annotation.assignment import claim_next_unit
from annotation.models import Assignment
from annotation.screen import Screen
from studies.lifecycle import launch_study
from studies.models import Panel
from studies.words.texts import study_texts
from studies.words.translating import save_translations
from tests.annotation.people import form, somebody

pytestmark = pytest.mark.django_db
HTMX = {"HTTP_HX_REQUEST": "true"}


@pytest.fixture
def drawn(monkeypatch) -> list[tuple[str, str]]:
    """What the view filled in, and what the template draws of the same screen."""
    seen: list[tuple[str, str]] = []
    drawing._outline.cache_clear()

    def both(screen: Screen, **given: str) -> str:
        filled = drawing.fill_in(screen, **given)
        context = {"screen": screen, "request": SimpleNamespace(htmx=True), **given}
        seen.append((filled, render_to_string("annotation/_unit.html", context)))
        return filled

    monkeypatch.setattr(views_rating, "fill_in", both)
    return seen


def rate_by_htmx(client, study, person, n: int) -> None:
    """Send the first ``n`` screens."""
    screen = claim_next_unit(participation=person)
    for _ in range(n):
        client.post(f"/a/{person.token}/{screen.n}/", form(study, screen), **HTMX)
        screen = Assignment.objects.get(participation=person, n=screen.n + 1)


def test_every_screen_of_a_session_is_the_templates(client, live_study, drawn):
    live_study.items.update(prompt='100 % "plain" <b>, \ue000key\ue001 {n} %(n)s')
    rate_by_htmx(client, live_study, somebody(live_study), 5)
    rate_by_htmx(client, live_study, somebody(live_study), 5)
    assert len(drawn) == 10
    assert [filled for filled, _ in drawn] == [whole for _, whole in drawn]
    assert "100 % &quot;plain&quot; &lt;b&gt;" in drawn[0][0]
    assert drawing._outline.cache_info().misses <= 2  # with minutes left, and without


def test_in_a_language_with_digits_of_its_own(client, draft_study, researcher, drawn):
    Panel.objects.update(language="fa")
    texts = {text.key: text.source for text in study_texts(draft_study)}
    texts["study.public_title"] = "عروسی ۱۰۰٪"
    save_translations(study=draft_study, language="fa", texts=texts, by=researcher)
    launch_study(study=draft_study, by=researcher)
    draft_study.refresh_from_db()
    rate_by_htmx(client, draft_study, somebody(draft_study), 5)
    assert [filled for filled, _ in drawn] == [whole for _, whole in drawn]
    assert "۳ از ۶" in drawn[1][0]
    assert 'id="stimuli-3"' in drawn[1][0]


def test_sets_in_steps_each_with_its_own_questions(client, live_triplets, drawn):
    person = somebody(live_triplets)
    screen = claim_next_unit(participation=person)
    at = f"/a/{person.token}/{screen.n}/"
    page = client.get(at).content.decode()
    probes = [name for name in page.split('"') if name.startswith("q_") and "_p" in name]
    fields = {name: "1" for name in probes if not name.endswith(("text", "help"))}
    reply = client.post(at, {"key": screen.key, "step": "1", **fields}, **HTMX)
    assert reply.status_code == 200
    screen.refresh_from_db()
    assert screen.draft["step"] == 2
    assert [filled for filled, _ in drawn] == [whole for _, whole in drawn]
    assert len(drawn) == 1


def test_a_refused_screen_is_drawn_by_the_template_itself(client, live_study, drawn):
    person = somebody(live_study)
    screen = claim_next_unit(participation=person)
    fields = form(live_study, screen)
    del fields[next(name for name in fields if name.startswith("q_"))]
    reply = client.post(f"/a/{person.token}/1/", fields, **HTMX)
    assert reply.status_code == 422
    assert "1 answer is missing" in reply.content.decode()
    assert drawn == []
