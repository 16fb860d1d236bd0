"""Edit instructions: what an image editor is told, from the feedback on an item in a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scoring.ahead.asking import exchange_of, pieces
from scoring.backends.chat import Request
from scoring.backing import RunChat
from scoring.coverage import ItemFields
from scoring.metrics.ahead.feedback import Feedback, Matched, bottom, feedback
from scoring.metrics.ahead.metric import AHEAD
from scoring.metrics.base import MetricError, ParameterError
from scoring.models import EditInstruction, MetricRun, WorkState
from scoring.prompting.asking import Answer
from scoring.prompting.prompt import Prompt
from scoring.step_parameters import checked_budget, checked_model
from scoring.step_work import AT_ONCE, Work, prompt_mark
from studies.models import Item, Study
from studies.names import country_name

PROMPT = "ahead/edit"
LISTED = 10  # of each kind: more than that no instruction of 120 words can hold
LISTS = ("remove", "reduce", "keep", "add")


def checked(study: Study, parameters: dict[str, Any]) -> dict[str, Any]:
    """The run, the model, and the items by primary key (default: all of the run)."""
    run = study.metric_runs.filter(
        pk=parameters.get("run"), metric=AHEAD.declaration.key, state=WorkState.DONE
    ).first()
    if run is None:
        raise ParameterError("Edit instructions are made from a run of AHEaD that is done.")
    items = [int(pk) for pk in parameters.get("items") or ()]
    known = set(run.scores.filter(item__in=items).values_list("item_id", flat=True))
    if unknown := [pk for pk in items if pk not in known]:
        raise ParameterError(f"The run has no scores of the item {unknown[0]}.")
    model = checked_model(parameters.get("model"), what="the one who writes")
    return {"run": run.pk, "model": model, "items": items, **checked_budget(parameters)}


def do(work: Work) -> None:
    run = work.study.metric_runs.filter(pk=work.parameters["run"]).first()
    if run is None:
        raise MetricError("The run was deleted.")
    chat, words = work.chat(work.parameters["model"]), work.prompt(PROMPT)
    items = _items(run, work.parameters["items"])
    there = set(run.edit_instructions.filter(model=chat.model_id).values_list("item_id", flat=True))
    work.begin(len(items))
    left = [item for item in items if item.pk not in there]
    work.skip(len(items) - len(left))
    fields = ItemFields(work.study)
    for piece in pieces(left, AT_ONCE):
        told = item_feedback(run, piece)
        requests = {
            item: _request(words, chat, item, fields.activity(item), told[item.pk])
            for item in piece
            if not told[item.pk].is_empty
        }
        answers = work.ask(chat, requests)
        _write(run, chat, words, requests, answers)
        reasons = [answer.reason for answer in answers.values()]
        work.advance(len(piece), skipped=len(piece) - len(requests), reasons=reasons)


def item_feedback(run: MetricRun, items: Sequence[Item]) -> dict[int, Feedback]:
    """By item, what the run's scores say of it."""
    rows: dict[int, list[tuple[str, str, Mapping[str, Any]]]] = {item.pk: [] for item in items}
    scores = run.scores.filter(item__in=list(rows))
    for item, output, dimension, evidence in scores.values_list(
        "item_id", "output", "dimension", "evidence"
    ):
        rows[item].append((output, dimension, evidence))
    return {item: feedback(found) for item, found in rows.items()}


def _items(run: MetricRun, wanted: Sequence[int]) -> list[Item]:
    scored = run.scores.filter(item__isnull=False).values("item_id")
    items = Item.objects.filter(pk__in=scored).order_by("pk")
    return list(items.filter(pk__in=wanted) if wanted else items)


def _request(words: Prompt, chat: RunChat, item: Item, activity: str, told: Feedback) -> Request:
    return words.request(
        model=chat.model_id,
        inputs={
            "activity": activity,
            "country": country_name(item.country) if item.country else "",
            "hallucinated": _lines(bottom(told.hallucinated, LISTED)),
            "exaggerated": "\n".join(one.token for one in told.exaggerated[:LISTED]) or "nothing",
            "aligned": _lines(told.aligned[:LISTED]),
            "missing": _lines(bottom(told.missing, LISTED)),
        },
    )


def _lines(matches: Sequence[Matched]) -> str:
    return "\n".join(f"{one.token} ({one.dimension})" for one in matches) or "nothing"


def _write(
    run: MetricRun,
    chat: RunChat,
    words: Prompt,
    requests: Mapping[Item, Request],
    answers: Mapping[Item, Answer],
) -> None:
    EditInstruction.objects.bulk_create(
        EditInstruction(
            item=item,
            run=run,
            instruction=answer.value["instruction"] if answer.value else "",
            **{name: answer.value[name] if answer.value else [] for name in LISTS},
            reason=answer.reason,
            model=chat.model_id,
            prompt=prompt_mark(words),
            exchange=exchange_of(chat, requests[item], answer),
        )
        for item, answer in answers.items()
    )
