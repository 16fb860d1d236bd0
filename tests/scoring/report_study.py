"""A hand-made study to report on, and the verbs to fill it: rows straight into the tables."""

from __future__ import annotations

import itertools
from datetime import timedelta

from django.contrib.auth import get_user_model
from django.utils import timezone

from annotation.models import Assignment, Participation, Rating
from scoring.models import MetricRun, Score, WorkState
from studies.design import current_design
from studies.models import (
    DesignRevision,
    Item,
    Panel,
    Question,
    ScalePoint,
    Study,
    System,
    Unit,
    UnitItem,
)

FIVE = ("Not at all", "A little", "Partly", "Mostly", "Fully")
_numbers = itertools.count(1)


def a_researcher(name: str = "researcher", **more):
    return get_user_model().objects.create_user(name, password="pass", is_staff=True, **more)


def a_study(
    *, owner, title: str = "Weddings", slug: str = "weddings", countries=("NP", "IR"), seed=11
) -> Study:
    study = Study.objects.create(
        owner=owner, title=title, slug=slug, public_title=title, seed=seed, state="live", revision=1
    )
    for country in countries:
        Panel.objects.create(study=study, country=country)
    return study


def a_question(study: Study, key: str, *, direction: str = "higher", labels=FIVE) -> Question:
    question = Question.objects.create(
        study=study, key=key, text=f"{key}?", direction=direction, position=next(_numbers)
    )
    for value, label in enumerate(labels, start=1):
        ScalePoint.objects.create(question=question, value=value, label=label)
    return question


def an_item(
    study: Study, external_id: str, *, country="", system="", prompt="", origin="generated", **more
) -> Item:
    made_by = None
    if system:
        made_by, _ = System.objects.get_or_create(study=study, name=system)
    item = Item.objects.create(
        study=study,
        external_id=external_id,
        media=f"items/{external_id}.png",
        content_type="image/png",
        sha256="0" * 64,
        source_name=f"{external_id}.png",
        width=8,
        height=8,
        country=country,
        system=made_by,
        prompt=prompt,
        origin=origin,
        **more,
    )
    unit = Unit.objects.create(study=study, key=external_id, country=country)
    UnitItem.objects.create(unit=unit, item=item)
    return item


def a_rater(study: Study, code: str, *, country: str, simulated: bool = False) -> Participation:
    return Participation.objects.create(
        study=study,
        panel=study.panels.get(country=country),
        code=code,
        state=Participation.State.RATING,
        revision=study.revision,
        simulated=simulated,
    )


def rate(
    rater: Participation,
    item: Item,
    values: dict[Question, int],
    *,
    texts: dict[Question, str] | None = None,
    counted: bool | None = True,
) -> Assignment:
    """One submitted screen. `counted` None: still open, its values are a draft."""
    submitted = counted is not None
    screen = Assignment.objects.create(
        participation=rater,
        n=rater.assignments.count() + 1,
        unit=item.units.get(),
        counted=counted,
        submitted_at=timezone.now() if submitted else None,
        draft={} if submitted else {question.key: value for question, value in values.items()},
    )
    Assignment.objects.filter(pk=screen.pk).update(served_at=timezone.now() - timedelta(seconds=12))
    if submitted:
        for question, value in values.items():
            Rating.objects.create(assignment=screen, question=question, item=item, value=value)
        for question, text in (texts or {}).items():
            Rating.objects.create(assignment=screen, question=question, item=item, text=text)
    return screen


def a_run(
    study: Study, scores: dict[str, dict[Item, float | None]], *, state=WorkState.DONE, **more
) -> MetricRun:
    """A run of AHEaD with its whole-metric scores; None is a score without a prediction."""
    values = {"metric": "ahead", "metric_version": "1", "parameters": {"tau": 0.52}} | more
    run = MetricRun.objects.create(
        study=study, state=state, finished_at=timezone.now(), model_id="all-MiniLM-L6-v2", **values
    )
    for output, by_item in scores.items():
        for item, value in by_item.items():
            Score.objects.create(
                run=run,
                item=item,
                output=output,
                value=value,
                reason="" if value is not None else "no_prediction",
            )
    return run


def freeze(study) -> None:
    """Store the design as it stands as the study's revision: answers point to its words."""
    DesignRevision.objects.get_or_create(
        study=study,
        number=study.revision,
        defaults={"design": current_design(study).to_json()},
    )
