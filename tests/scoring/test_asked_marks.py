"""A run that was stopped goes on only while what it asks is what it asked."""

import pytest

from scoring import executing, runs
from scoring.asked_marks import asked_mark
from scoring.asked_of_models import PROMPTS
from scoring.coverage import inputs_have_changed, marks_differ
from scoring.metrics import base
from scoring.models import MetricRun
from scoring.prompt_edits import edit_prompt
from studies.models import Probe, Question, ScalePoint
from tests.scoring.fake_metric import LettersMetric

pytestmark = pytest.mark.django_db
WORDS = {"judge/question": "Now: $scene $question", "vqascore/shows": "Now: $text"}


def reword(study, key: str = "judge/question", seen: int = 0):
    user = f"{WORDS[key]} {seen}"
    edit_prompt(study=study, key=key, system="S", user=user, seen=seen, by=study.owner)


@pytest.fixture
def letters(monkeypatch) -> LettersMetric:
    """The letters metric as if it asked the study's questions of a model."""
    metric = LettersMetric()
    monkeypatch.setitem(base._registry, "letters", metric)
    monkeypatch.setitem(PROMPTS, "letters", ("judge/question",))
    monkeypatch.setattr(executing, "CHUNK", 2)
    monkeypatch.setattr(executing, "send_off", lambda run_id: None)
    return metric


def begun(study, letters) -> MetricRun:
    run = runs.request_run(study=study, metric="letters", parameters={"times": 2}, by=study.owner)
    runs.execute_run(run_id=run.pk, should_stop=lambda: len(letters.scored) >= 2)
    run.refresh_from_db()
    assert (run.state, run.n_done) == ("queued", 2)
    return run


def test_a_run_is_not_continued_in_other_words_than_it_began_with(letters, draft_study):
    run = begun(draft_study, letters)
    reword(draft_study)
    runs.execute_run(run_id=run.pk)
    run.refresh_from_db()
    assert (run.state, run.n_done) == ("failed", 2)
    assert "prompts" in run.error


def test_a_run_in_the_same_words_is(letters, draft_study):
    run = begun(draft_study, letters)
    runs.execute_run(run_id=run.pk)
    run.refresh_from_db()
    assert (run.state, run.n_done, inputs_have_changed(run)) == ("done", 6, False)
    reword(draft_study)
    assert inputs_have_changed(run)


def test_a_run_of_before_this_was_noted_is_held_against_what_it_noted(letters, draft_study):
    run = begun(draft_study, letters)
    MetricRun.objects.filter(pk=run.pk).update(inputs=run.inputs.partition("/")[0])
    reword(draft_study)
    runs.execute_run(run_id=run.pk)
    run.refresh_from_db()
    assert run.state == "done"
    assert marks_differ("1.2.3", "1.2.4/abc") and not marks_differ("1.2.3", "1.2.3/abc")


def test_questions_and_their_points_are_part_of_what_a_judge_asks(draft_study):
    question = Question.objects.create(study=draft_study, key="faith", text="How?", position=9)
    seen = {asked_mark(draft_study, "judge", {})}
    question.text = "How much?"
    question.save()
    seen.add(asked_mark(draft_study, "judge", {}))
    point = ScalePoint.objects.create(question=question, value=1, label="Not")
    seen.add(asked_mark(draft_study, "judge", {}))
    point.label = "Not at all"
    point.save()
    seen.add(asked_mark(draft_study, "judge", {}))
    reword(draft_study)
    seen.add(asked_mark(draft_study, "judge", {}))
    assert len(seen) == 5
    assert asked_mark(draft_study, "judge", {}) in seen


def test_probes_are_part_of_what_culturescore_asks(draft_study):
    before = asked_mark(draft_study, "culturescore", {})
    probe = Probe.objects.create(
        study=draft_study, external_id="p", scenario="s", dimension="context", text="A lamp?"
    )
    added = asked_mark(draft_study, "culturescore", {})
    probe.verified = False
    probe.save()
    assert added != before
    assert asked_mark(draft_study, "culturescore", {}) == before


def test_ahead_asks_only_with_an_image_text_score(draft_study):
    asks, does_not = {"scorer": "vqascore"}, {"scorer": "none"}
    assert asked_mark(draft_study, "ahead", does_not) == ""
    before = asked_mark(draft_study, "ahead", asks)
    reword(draft_study, "vqascore/shows")
    assert asked_mark(draft_study, "ahead", asks) != before != ""
    assert asked_mark(draft_study, "clipscore", {}) == ""
