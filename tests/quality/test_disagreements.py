"""Answers worth a conversation: which are shown, what was asked, what came of it."""

from __future__ import annotations

import pytest

from annotation.assignment import claim_next_unit
from annotation.models import Conversation, Rating
from annotation.quality.conversations import NothingAsked, ask, close
from annotation.quality.disagreements import furthest_apart, score_against_rationale
from annotation.quality.exclusions import exclude
from studies.lifecycle import launch_study
from tests.annotation.people import send, somebody

pytestmark = pytest.mark.django_db
PAGE = "/studies/weddings/quality/disagreements/"


def rated_by(study, values):
    person = somebody(study)
    for value in values:
        send(study, claim_next_unit(participation=person), value)
    return person


def write(person, n: int, text: str) -> int:
    """Reword the rationale of somebody's n-th screen; the screen's id."""
    screen = person.assignments.get(n=n)
    item = screen.unit.items.get()
    Rating.objects.update_or_create(
        assignment=screen,
        question=person.study.questions.get(key="rationale"),
        defaults={"text": text},
        create_defaults={"text": text, "item": item, "subject": f"i{item.pk}"},
    )
    return screen.pk


def test_much_written_though_little_is_wrong_and_little_though_much_is(live_study):
    person = rated_by(live_study, [3, 3, 3, 5, 1])
    rationale = live_study.questions.get(key="rationale")
    mild = person.assignments.get(n=5)
    item = mild.unit.items.get()
    long = "The whole ceremony is from another country, and so are all of the clothes people wear."
    Rating.objects.create(
        assignment=mild, question=rationale, item=item, subject=f"i{item.pk}", text=long
    )
    worst = write(person, 4, "Wrong.")
    found = score_against_rationale(live_study)
    assert {(odd.screen, odd.value) for odd in found} == {(mild.pk, 1), (worst, 5)}
    by_screen = {odd.screen: odd for odd in found}
    assert "little is wrong" in by_screen[mild.pk].why
    assert "much is wrong" in by_screen[worst].why
    assert by_screen[worst].question == "Hallucination"
    assert (by_screen[worst].rater, by_screen[worst].n) == (person.code, 4)


def test_a_text_that_is_always_asked_for_explains_the_first_scale_with_a_better_end(
    draft_study, researcher
):
    draft_study.questions.filter(key="rationale").update(
        required=True, required_when=None, required_from=None, required_to=None
    )
    launch_study(study=draft_study, by=researcher)
    draft_study.refresh_from_db()
    person = rated_by(draft_study, [3, 3, 3, 3, 5, 1])
    for n in (1, 2, 3, 4):
        write(person, n, "One garment is from elsewhere.")
    best, worst = write(person, 5, "All of it is wrong, " * 5), write(person, 6, "Wrong.")
    found = {odd.screen: odd for odd in score_against_rationale(draft_study)}
    assert found.keys() == {best, worst}
    assert {odd.question for odd in found.values()} == {"Faithfulness"}
    assert (found[best].value, found[worst].value) == (5, 1)


def test_usual_texts_are_not_shown(live_study):
    rated_by(live_study, [3, 4, 5])
    assert score_against_rationale(live_study) == []


def test_the_furthest_apart_come_first_and_excluded_answers_are_gone(live_study):
    low = rated_by(live_study, [1, 2, 2, 2, 2, 2])
    high = rated_by(live_study, [5, 5, 2, 2, 2, 2])
    units = {n: high.assignments.get(n=n).unit_id for n in (1, 2)}
    expected = {
        screen.unit.key: (screen.ratings.filter(question__kind="likert").first().value)
        for screen in low.assignments.filter(unit__in=units.values())
    }
    found = furthest_apart(live_study)
    shown = {row.unit for row in found}
    assert shown == {unit for unit, value in expected.items() if 5 - value >= 2}
    assert [row.share for row in found] == sorted((row.share for row in found), reverse=True)
    top = found[0]
    assert (top.low[1], top.high[1], top.high[0]) == (low.code, high.code, 5)
    assert top.share == (5 - top.low[0]) / 4
    exclude(participation=high, reason="Too fast.")
    assert furthest_apart(live_study) == []


def test_a_question_is_kept_once_and_its_outcome_with_a_time(live_study, researcher):
    person = rated_by(live_study, [5])
    screen = person.assignments.get(n=1)
    first = ask(assignment=screen, text="Why 5? ", by=researcher)
    assert ask(assignment=screen, text="Why 5?", by=researcher) == first
    with pytest.raises(NothingAsked):
        ask(assignment=screen, text=" ", by=researcher)
    with pytest.raises(ValueError, match="no outcome"):
        close(conversation=first, outcome="perhaps")
    close(conversation=first, outcome="mistake", note="Meant 2.")
    first.refresh_from_db()
    assert (first.outcome, first.note, first.by) == ("mistake", "Meant 2.", researcher)
    assert first.closed_at is not None


def test_the_page_lists_asks_and_closes(client, live_study, colleague):
    person = rated_by(live_study, [3, 3, 3, 5])
    screen = write(person, 4, "Wrong.")
    client.force_login(live_study.owner)
    text = client.get(PAGE).content.decode()
    assert "Little is written" in text
    assert f"{person.code}, unit 4" in text
    client.post(f"/studies/weddings/quality/ask/{screen}/", {"text": "How do they go together?"})
    asked = Conversation.objects.get()
    assert "How do they go together?" in client.get(PAGE).content.decode()
    url = f"/studies/weddings/quality/conversations/{asked.pk}/"
    assert client.post(url, {"outcome": "never"}).status_code == 404
    client.post(url, {"outcome": "stands", "note": "A long story."})
    assert client.post(url, {"outcome": "mistake"}).status_code == 404, "closed once"
    assert "the answer stands (A long story.)" in client.get(PAGE).content.decode()
    client.force_login(colleague)
    assert client.get(PAGE).status_code == 404
    again = client.post(f"/studies/weddings/quality/ask/{screen}/", {"text": "x"})
    assert again.status_code == 404
