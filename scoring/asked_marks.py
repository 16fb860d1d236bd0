"""Whether what a metric asks a model has changed: its prompts, and what it asks about of a study.

A run that was stopped is not continued with other words than it began with.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from django.db.models import Count, Max, Sum

from scoring.asked_of_models import PROMPTS
from scoring.prompt_edits import prompts_of
from studies.models import Item, Study, UnitItem

LETTERS = 12
QUESTION = (
    *("key", "kind", "level", "direction", "asked_of", "text", "help", "allow_na", "na_label"),
    *("na_description", "shown_categories", "shown_aspects", "needs_sound", "shown_if_id"),
)
PROBE = ("external_id", "scenario", "country", "dimension", "text", "weight")


def asked_mark(study: Study, metric: str, parameters: Mapping[str, Any]) -> str:
    """A few letters that differ as soon as the questions of a run would; empty where it asks none.

    A handful of queries: pages ask for it.
    """
    keys = _prompts(metric, parameters)
    if not keys:
        return ""
    told: list[Any] = [[key, words.digest] for key, words in prompts_of(study, keys).items()]
    for read in _READ.get(metric, ()):
        told += read(study, parameters)
    text = json.dumps(told, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:LETTERS]


def _prompts(metric: str, parameters: Mapping[str, Any]) -> tuple[str, ...]:
    if metric == "ahead":
        return PROMPTS["vqascore"] if parameters.get("scorer", "none") != "none" else ()
    return PROMPTS.get(metric, ())


def _questions(study: Study, parameters: Mapping[str, Any]) -> list[Any]:
    rows = study.questions.filter(retired=False).order_by("pk")
    points = rows.order_by("pk", "points__value")
    told = [
        study.sound,
        *rows.values_list(*QUESTION),
        *points.values_list("key", "points__value", "points__label", "points__description"),
    ]
    if language := parameters.get("language"):
        words = study.translations.filter(language=language).order_by("key")
        told += words.values_list("key", "text")
    return told


def _probes(study: Study, _parameters: Mapping[str, Any]) -> list[Any]:
    return [*study.probes.filter(verified=True).order_by("pk").values_list(*PROBE)]


def _units(study: Study, _parameters: Mapping[str, Any]) -> list[Any]:
    members = UnitItem.objects.filter(unit__study=study, unit__purpose=Item.Purpose.RATED)
    sums = members.order_by().aggregate(n=Count("pk"), last=Max("pk"), by_pk=Sum("pk"))
    return [*sums.values()]


def _element_pictures(study: Study, _parameters: Mapping[str, Any]) -> list[Any]:
    return [*study.element_pictures.order_by("name").values_list("name", "sha256")]


_READ = {
    "ahead_judge": (_questions,),
    "culturescore": (_probes,),
    "culturevidbench": (_questions, _element_pictures),
    "culturevidbench_plain": (_questions, _element_pictures),
    "judge": (_questions,),
    "triplet_judge": (_units,),
}
