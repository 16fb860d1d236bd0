"""The bank of probes: from base prompts to verified questions that annotators see."""

from __future__ import annotations

import json

import pytest
from django.core.management import CommandError, call_command

from scoring.metrics.base import ParameterError
from scoring.models import WorkState
from studies.lifecycle import launch_study
from studies.models import Item, ScenarioPrompt
from tests.ahead.conftest import done
from tests.culturescore.conftest import PARTS, QUESTIONS, UNGROUNDED, write_bank
from tests.scoring.chat_of_items import asked_text

pytestmark = pytest.mark.django_db


def test_every_question_of_a_scenario_stands_in_the_bank_and_grounded_ones_are_verified(
    bare_triplets, writer
):
    step = done(bare_triplets, "probes", model="writer", verifier="checker")
    assert (step.state, step.n_done) == (WorkState.DONE, 1)
    probes = {probe.text: probe for probe in bare_triplets.probes.all()}
    assert set(probes) == {question["question"] for question in QUESTIONS}
    assert [probe.text for probe in probes.values() if not probe.verified] == [
        next(q["question"] for q in QUESTIONS if UNGROUNDED in q["question"])
    ]
    first = probes[QUESTIONS[0]["question"]]
    assert (first.dimension, first.weight, first.country) == ("identity", 9, "NP")
    assert first.evidence == "It is Yes." and first.source == "by writer"
    assert first.metadata == {"explicit": True, "verifier": "checker"}
    assert {k: step.result[k] for k in ("questions", "grounded")} == {"questions": 4, "grounded": 3}
    assert {body["model"] for body in writer.requests} == {"writer", "checker"}


def test_variants_are_made_from_the_base_and_the_scenario_keeps_its_parts(bare_triplets, writer):
    done(bare_triplets, "probes", model="writer")
    [scenario] = bare_triplets.scenarios.all()
    assert scenario.parts == {name.lower(): text for name, text in PARTS.items()}
    assert scenario.unique_without_country is False and scenario.unique_reason == "anywhere"
    texts = dict(scenario.prompts.values_list("variant", "text"))
    assert texts[Item.Variant.BASE] == "Nepali guests greet the host"
    assert texts[Item.Variant.EXTENDED].startswith("A wide shot.")
    assert texts[Item.Variant.COUNTRY_REMOVED] == "Guests greet the host"
    removal = next(b for b in writer.requests if "Take out of this description" in asked_text(b))
    assert "Nepali guests greet the host" in asked_text(removal)
    assert "A wide shot" not in asked_text(removal)  # from the base, not from the extended one


def test_a_researchers_own_wording_stays_and_is_asked_about(bare_triplets, writer):
    done(bare_triplets, "probes", model="writer")
    bare_triplets.probes.all().delete()
    extended = ScenarioPrompt.objects.filter(variant=Item.Variant.EXTENDED)
    extended.update(text="Our own long wording")
    writer.requests.clear()
    done(bare_triplets, "probes", model="another")
    assert extended.get().text == "Our own long wording"
    assert any("Our own long wording" in asked_text(body) for body in writer.requests)
    assert not any("Open it with words" in asked_text(body) for body in writer.requests)


def test_a_second_step_asks_and_writes_nothing(bare_triplets, writer):
    done(bare_triplets, "probes", model="writer")
    asked = len(writer.requests)
    step = done(bare_triplets, "probes", model="writer")
    assert (step.n_skipped, len(writer.requests)) == (1, asked)
    assert bare_triplets.probes.count() == len(QUESTIONS)


def test_a_budget_stops_the_step_and_what_was_answered_is_not_paid_for_again(bare_triplets, writer):
    step = done(bare_triplets, "probes", model="writer", budget_calls=3)
    assert step.state == WorkState.FAILED and "budget" in step.error
    assert bare_triplets.probes.count() == 0
    step = done(bare_triplets, "probes", model="writer")
    assert step.state == WorkState.DONE
    assert len(writer.requests) == 5 + len(QUESTIONS)


def test_a_refusal_leaves_the_scenario_without_a_bank_and_says_so(bare_triplets, writer):
    writer.say("I would rather not.", refusal=True)
    step = done(bare_triplets, "probes", model="writer")
    assert (step.n_refused, bare_triplets.probes.count()) == (1, 0)


def test_a_question_whose_check_was_refused_is_not_asked(bare_triplets, writer):
    def answer(body):
        checks = body["response_format"]["json_schema"]["schema"]["required"][0] == "grounded"
        return "no idea" if checks else write_bank(body)

    writer.answer = answer
    step = done(bare_triplets, "probes", model="writer")
    assert step.result["unverified"] == len(QUESTIONS)
    assert not bare_triplets.probes.filter(verified=True).exists()
    assert "not JSON" in bare_triplets.probes.first().evidence


def test_questions_of_another_shape_are_unreadable(bare_triplets, writer):
    def answer(body):
        wants = body["response_format"]["json_schema"]["schema"]["required"][0]
        if wants != "questions":
            return write_bank(body)
        return json.dumps({"questions": [{**QUESTIONS[0], "weight": 11}]})

    writer.answer = answer
    step = done(bare_triplets, "probes", model="writer")
    assert (step.n_unreadable, bare_triplets.probes.count()) == (1, 0)


def test_the_probes_that_were_written_are_the_very_ones_that_annotators_see(
    bare_triplets, writer, researcher
):
    done(bare_triplets, "probes", model="writer")
    launch_study(study=bare_triplets, by=researcher, note="Bank by writer.")
    unit = bare_triplets.units.first()
    given = [row.probe for row in unit.unit_probes.order_by("position")]
    assert [probe.dimension for probe in given] == ["identity", "behavior", "context"]
    assert all(probe.verified and probe.source == "by writer" for probe in given)


def test_an_open_study_gets_no_new_probes(live_triplets, writer):
    with pytest.raises(ParameterError, match="annotators see"):
        done(live_triplets, "probes", model="writer")
    assert writer.requests == []


def test_a_study_without_prompts_is_told_what_to_import(triplet_study, writer):
    triplet_study.items.update(prompt="")
    with pytest.raises(CommandError, match="Import a prompt book"):
        call_command("write_probes", triplet_study.slug, model="writer")


def test_the_command_says_what_came_of_it(bare_triplets, writer, capsys):
    call_command("write_probes", bare_triplets.slug, model="writer", verifier="checker")
    said = capsys.readouterr().out
    assert "Scenarios: 1, 0 of them filled already" in said
    assert "4 questions, 3 grounded" in said
