"""Stereotype candidates: visible clichés of a country, by a chat model, for EXAG to look for.

One call a country, or one a scene where ``scenes`` is asked for. A country (or scene) that this
model has candidates for already is left alone.
"""

from __future__ import annotations

from typing import Any

from scoring.ahead.asking import LONGEST, pieces
from scoring.ahead.scenes import WantedScene, checked_by, scenes
from scoring.metrics.base import ParameterError
from scoring.prompting.asking import Answer
from scoring.step_parameters import checked_budget, checked_model
from scoring.step_work import AT_ONCE, Work
from studies.models import Descriptor, Study

MOST = 10
PROMPT = "ahead/stereotypes"
COUNTRY, CATEGORY, SCENARIO = "country", "category", "scenario"


def checked(study: Study, parameters: dict[str, Any]) -> dict[str, Any]:
    """The model, and whether candidates are of countries or of their activities."""
    of = str(parameters.get("of") or COUNTRY)
    if of not in (COUNTRY, CATEGORY, SCENARIO):
        raise ParameterError(f"Candidates are of each country, category or scenario, not {of!r}.")
    if of != COUNTRY:
        checked_by(study, of)
    elif not study.items.exclude(country="").exists():
        raise ParameterError("No item of the study has a country.")
    model = checked_model(parameters.get("model"), what="the one who proposes")
    return {"model": model, "of": of, **checked_budget(parameters)}


def do(work: Work) -> None:
    wanted = _wanted(work)
    chat, words = work.chat(work.parameters["model"]), work.prompt(PROMPT)
    work.begin(len(wanted))
    left = [one for one in wanted if not _own(work.study, one, chat.model_id).exists()]
    work.skip(len(wanted) - len(left))
    for piece in pieces(left, AT_ONCE):
        requests = {
            one: words.request(
                model=chat.model_id,
                inputs={
                    "country": one.country_name,
                    "activity": one.activity or "any",
                    "most": str(MOST),
                },
            )
            for one in piece
        }
        for scene, answer in work.ask(chat, requests).items():
            _write(work.study, scene, chat.model_id, answer)
            work.advance(reasons=[answer.reason])


def _wanted(work: Work) -> list[WantedScene]:
    of = work.parameters["of"]
    if of != COUNTRY:
        return scenes(work.study, by=of)
    rows = work.study.items.exclude(country="").order_by("country")
    return [WantedScene("", code) for code in rows.values_list("country", flat=True).distinct()]


def _own(study: Study, scene: WantedScene, source: str):
    return study.descriptors.filter(
        kind=Descriptor.Kind.STEREOTYPE,
        activity=scene.activity,
        country=scene.country,
        source=source[:120],
    )


def _write(study: Study, scene: WantedScene, source: str, answer: Answer) -> None:
    rows = answer.value["candidates"] if answer.value else []
    found = {}
    for row in rows[:MOST]:
        token = " ".join(row["token"].split())[:LONGEST]
        if token:
            found.setdefault(token.casefold(), (token, row["why"]))
    Descriptor.objects.bulk_create(
        Descriptor(
            study=study,
            kind=Descriptor.Kind.STEREOTYPE,
            activity=scene.activity,
            country=scene.country,
            token=token,
            source=source[:120],
            origins=[{"source": source, "why": why}],
        )
        for token, why in found.values()
    )
