"""The bank of probes: a base prompt taken apart, worded anew, asked about, every question checked.

For each scenario of the prompt book, by a chat model: identity, behavior and context; the extended
and the country-removed wording, both from the base; whether the latter still tells the country;
questions from the extended wording; and each question's verdict, by a verifier. What is there
already is left alone: a researcher's own wordings, and a bank that this writer has filled. The
probes are those that annotators see, so a study that was opened gets none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from django.db import transaction

from scoring.backing import RunChat
from scoring.culturescore.scenarios import WantedScenario, wanted_scenarios, write_prompt
from scoring.metrics.base import ParameterError
from scoring.prompting.asking import Answer
from scoring.step_parameters import checked_budget, checked_model
from scoring.step_work import Work
from studies.models import Item, Probe, Study

DECOMPOSE = "culturescore/decompose"
EXTEND = "culturescore/extend"
REMOVE = "culturescore/remove_country"
UNIQUE = "culturescore/unique"
QUESTIONS = "culturescore/questions"
VERIFY = "culturescore/verify"

LONGEST = 400  # letters of a probe, as its row has room
Variant = Item.Variant


def checked(study: Study, parameters: dict[str, Any]) -> dict[str, Any]:
    """The writer of the bank and the verifier of its questions; by default the same model."""
    if not study.is_draft:
        raise ParameterError(
            "The study is open: its probes are those that annotators see. Write them in a draft."
        )
    model = checked_model(parameters.get("model"), what="the writer of the bank")
    verifier = checked_model(parameters.get("verifier") or model, what="the verifier")
    if not wanted_scenarios(study):
        raise ParameterError(
            "No scenario has a base prompt. Import a prompt book, or items with both."
        )
    return {"model": model, "verifier": verifier, **checked_budget(parameters)}


def do(work: Work) -> None:
    writer = work.chat(work.parameters["model"])
    wanted = wanted_scenarios(work.study)
    work.begin(len(wanted))
    counts: Counter[str] = Counter()
    for scenario in wanted:
        if _is_filled(work.study, scenario, writer.model_id):
            work.skip()
            continue
        reason = _fill(work, scenario, counts)
        work.note(**counts)
        work.advance(reasons=[reason])


def source_of(model: str) -> str:
    return f"by {model}"[:120]


def _is_filled(study: Study, scenario: WantedScenario, model: str) -> bool:
    return _own(study, scenario).filter(source=source_of(model)).exists()


def _own(study: Study, scenario: WantedScenario):
    return study.probes.filter(scenario=scenario.row.key, country=scenario.row.country)


def _fill(work: Work, scenario: WantedScenario, counts: Counter[str]) -> str:
    """Everything of one scenario; the reason where a step on the way had no answer."""
    writer = work.chat(work.parameters["model"])
    for need in (_take_apart, _word_anew, _judge_uniqueness):
        if reason := need(work, writer, scenario):
            return reason
    answer = _ask(
        work,
        writer,
        QUESTIONS,
        {
            "country": scenario.country,
            "extended": scenario.prompts[Variant.EXTENDED],
            **scenario.row.parts,
        },
    )
    if answer.reason:
        return answer.reason
    questions = [q for q in answer.value["questions"] if 0 < len(q["question"].strip()) <= LONGEST]
    counts["too_long"] += len(answer.value["questions"]) - len(questions)
    _write(work, scenario, questions, _verdicts(work, scenario, questions), counts)
    return ""


def _take_apart(work: Work, writer: RunChat, scenario: WantedScenario) -> str:
    if scenario.row.parts:
        return ""
    given = {"country": scenario.country, "prompt": scenario.base}
    answer = _ask(work, writer, DECOMPOSE, given)
    if not answer.reason:
        scenario.row.parts = {name.lower(): text for name, text in answer.value.items()}
        scenario.row.save(update_fields=["parts"])
    return answer.reason


def _word_anew(work: Work, writer: RunChat, scenario: WantedScenario) -> str:
    wanted = {
        Variant.EXTENDED: (EXTEND, "extended", {"prompt": scenario.base, **scenario.row.parts}),
        Variant.COUNTRY_REMOVED: (REMOVE, "text", {"prompt": scenario.base}),
    }
    for variant, (key, field, inputs) in wanted.items():
        if variant in scenario.prompts:
            continue
        answer = _ask(work, writer, key, inputs)
        if answer.reason:
            return answer.reason
        write_prompt(scenario, variant, answer.value[field].strip())
    return ""


def _judge_uniqueness(work: Work, writer: RunChat, scenario: WantedScenario) -> str:
    if scenario.row.unique_without_country is not None:
        return ""
    given = {"text": scenario.prompts[Variant.COUNTRY_REMOVED], "country": scenario.country}
    answer = _ask(work, writer, UNIQUE, given)
    if not answer.reason:
        scenario.row.unique_without_country = answer.value["is_culturally_unique"]
        scenario.row.unique_reason = answer.value["reason"]
        scenario.row.save(update_fields=["unique_without_country", "unique_reason"])
    return answer.reason


def _verdicts(
    work: Work, scenario: WantedScenario, questions: list[Mapping[str, Any]]
) -> dict[int, Answer]:
    verifier = work.chat(work.parameters["verifier"])
    words = work.prompt(VERIFY)
    requests = {
        number: words.request(
            model=verifier.model_id,
            inputs={"country": scenario.country, "question": question["question"].strip()},
        )
        for number, question in enumerate(questions)
    }
    return work.ask(verifier, requests)


@transaction.atomic
def _write(
    work: Work,
    scenario: WantedScenario,
    questions: list[Mapping[str, Any]],
    verdicts: Mapping[int, Answer],
    counts: Counter[str],
) -> None:
    taken = set(work.study.probes.values_list("external_id", flat=True))
    numbers: Counter[str] = Counter()
    for place, question in enumerate(questions):
        verdict = verdicts[place]
        grounded = not verdict.reason and verdict.value["grounded"] == "Yes"
        counts["questions"] += 1
        counts["grounded"] += grounded
        counts["unverified"] += bool(verdict.reason)
        Probe.objects.create(
            study=work.study,
            external_id=_free_id(scenario, question["dimension"], numbers, taken),
            scenario=scenario.row.key,
            country=scenario.row.country,
            dimension=question["dimension"],
            text=question["question"].strip(),
            weight=question["weight"],
            verified=grounded,
            evidence=verdict.sentence if verdict.reason else verdict.value["evidence"],
            source=source_of(work.parameters["model"]),
            metadata={"explicit": question["explicit"], "verifier": work.parameters["verifier"]},
        )


def _free_id(
    scenario: WantedScenario, dimension: str, numbers: Counter[str], taken: set[str]
) -> str:
    head = "-".join(filter(None, (scenario.row.key, scenario.row.country)))[:160]
    while True:
        numbers[dimension] += 1
        name = f"{head}-{dimension}-{numbers[dimension]}"
        if name not in taken:
            taken.add(name)
            return name


def _ask(work: Work, chat: RunChat, key: str, inputs: Mapping[str, str]) -> Answer:
    request = work.prompt(key).request(model=chat.model_id, inputs=inputs)
    return work.ask(chat, {"": request})[""]
