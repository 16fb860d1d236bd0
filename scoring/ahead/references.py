"""Reference descriptors by proposers and a refiner, no picture involved.

Every proposer lists up to ten descriptors a dimension; its list is kept as its own set (kind
``candidate``). A refiner sees all candidates of a dimension with their proposers; a refined
descriptor that does not go back to a candidate is rejected. A dimension that this refiner has
filled already is left alone, and so is a scene whose list people have judged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction

from scoring.ahead.asking import tokens_of
from scoring.ahead.scenes import WantedScene, checked_by, closed_scenes, is_closed, scenes
from scoring.ahead.tracing import Candidate, Refined, Rejected, traced
from scoring.metrics.ahead.descriptors import DIMENSIONS
from scoring.prompting.asking import Answer
from scoring.step_parameters import checked_budget, checked_model, checked_models
from scoring.step_work import Work
from studies.models import Descriptor, Study

MOST = 10
PROPOSE, REFINE = "ahead/propose", "ahead/refine"


def checked(study: Study, parameters: dict[str, Any]) -> dict[str, Any]:
    """Proposers (two or more), a refiner, and what activities are: category or scenario."""
    return {
        "proposers": checked_models(parameters.get("proposers"), least=2, what="proposers"),
        "refiner": checked_model(parameters.get("refiner"), what="refiner"),
        "activities": checked_by(study, parameters.get("activities")),
        **checked_budget(parameters),
    }


def do(work: Work) -> None:
    wanted = scenes(work.study, by=work.parameters["activities"])
    closed = closed_scenes(work.study)
    refiner = work.chat(work.parameters["refiner"])
    source = f"refined by {refiner.model_id}"[:120]
    work.begin(len(wanted))
    rejected: list[dict[str, str]] = []
    for scene in wanted:
        left = [] if is_closed(scene, closed) else _unfilled(work.study, scene, source)
        if not left:
            work.skip()
            continue
        proposed, odd = _propose(work, scene, left)
        refined, odd_refined = _refine(work, scene, proposed)
        for dimension, (kept, refused) in refined.items():
            _write_refined(work.study, scene, dimension, source, kept)
            rejected += [_told(scene, dimension, one) for one in refused]
        work.note(rejected=rejected)
        work.advance(reasons=odd + odd_refined)


def _unfilled(study: Study, scene: WantedScene, source: str) -> list[str]:
    there = study.descriptors.filter(
        kind=Descriptor.Kind.REFERENCE,
        activity=scene.activity,
        country=scene.country,
        source=source,
    )
    filled = set(there.values_list("dimension", flat=True))
    return [dimension for dimension in DIMENSIONS if dimension not in filled]


def _propose(
    work: Work, scene: WantedScene, dimensions: Sequence[str]
) -> tuple[dict[str, list[Candidate]], list[str]]:
    """Every proposer's candidates by dimension, written; and the reasons of what failed."""
    words = work.prompt(PROPOSE)
    candidates: dict[str, list[Candidate]] = {dimension: [] for dimension in dimensions}
    odd: list[str] = []
    for name in work.parameters["proposers"]:
        chat = work.chat(name)
        requests = {
            dimension: words.request(
                model=chat.model_id,
                inputs={
                    "activity": scene.activity,
                    "country": scene.country_name,
                    "dimension": dimension,
                    "most": str(MOST),
                },
            )
            for dimension in dimensions
        }
        for dimension, answer in work.ask(chat, requests).items():
            odd += [answer.reason] if answer.reason else []
            tokens = tokens_of(answer)[:MOST]
            _write_candidates(work.study, scene, dimension, chat.model_id, tokens)
            before = len(candidates[dimension])
            candidates[dimension] += [
                Candidate(f"c{before + n}", chat.model_id, token, style)
                for n, (token, style) in enumerate(tokens, start=1)
            ]
    return candidates, odd


def _refine(
    work: Work, scene: WantedScene, candidates: Mapping[str, list[Candidate]]
) -> tuple[dict[str, tuple[list[Refined], list[Rejected]]], list[str]]:
    """One call a dimension that has candidates; what came of it, and the reasons of failures."""
    words, chat = work.prompt(REFINE), work.chat(work.parameters["refiner"])
    requests = {
        dimension: words.request(
            model=chat.model_id,
            inputs={
                "activity": scene.activity,
                "country": scene.country_name,
                "dimension": dimension,
                "candidates": "\n".join(_line(one) for one in listed),
                "most": str(MOST),
            },
        )
        for dimension, listed in candidates.items()
        if listed
    }
    answers = work.ask(chat, requests)
    odd = [answer.reason for answer in answers.values() if answer.reason]
    return {d: _traced(answers[d], candidates[d]) for d in answers}, odd


def _traced(
    answer: Answer, candidates: Sequence[Candidate]
) -> tuple[list[Refined], list[Rejected]]:
    if answer.value is None:
        return [], []
    return traced(answer.value["descriptors"], candidates, most=MOST)


def _line(candidate: Candidate) -> str:
    return f"{candidate.id}, {candidate.style}, {candidate.source}, {candidate.token}"


@transaction.atomic
def _write_candidates(
    study: Study,
    scene: WantedScene,
    dimension: str,
    source: str,
    tokens: Sequence[tuple[str, str]],
) -> None:
    """The proposer's list of a dimension, in place of an earlier one of the same proposer."""
    own = {
        "kind": Descriptor.Kind.CANDIDATE,
        "activity": scene.activity,
        "country": scene.country,
        "dimension": dimension,
        "source": source[:120],
    }
    if list(study.descriptors.filter(**own).order_by("pk").values_list("token", "style")) == tokens:
        return
    study.descriptors.filter(**own).delete()
    Descriptor.objects.bulk_create(
        Descriptor(study=study, token=token, style=style, **own) for token, style in tokens
    )


def _write_refined(
    study: Study, scene: WantedScene, dimension: str, source: str, refined: Sequence[Refined]
) -> None:
    Descriptor.objects.bulk_create(
        Descriptor(
            study=study,
            kind=Descriptor.Kind.REFERENCE,
            activity=scene.activity,
            country=scene.country,
            dimension=dimension,
            token=one.token[:200],
            style=one.style,
            source=source,
            origins=[{"source": at.source, "token": at.token} for at in one.origins],
        )
        for one in refined
    )


def _told(scene: WantedScene, dimension: str, one: Rejected) -> dict[str, str]:
    return {"scene": scene.words, "dimension": dimension, "token": one.token, "why": one.why}
