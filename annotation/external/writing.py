"""A closed study from collected ratings: items, units, raters under pseudonyms, counted screens."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify

from annotation.external.collecting import Collected
from annotation.external.scales import Declared
from annotation.models import Assignment, ExternalSource, Participation, Rating
from annotation.models.rating import subject_key
from studies.external.records import ImportRefusedError
from studies.models import Item, Question, ScalePoint, Study, System, Unit, UnitItem
from studies.revisions import freeze_design

BATCH = 2000
SLUG = re.compile(r"[-a-zA-Z0-9_]{1,80}")
TAKEN = {"import"}  # /studies/import/ is the page itself
ITEM_FACTS = ("country", "category", "aspect", "scenario", "prompt", "variant")
VARIANTS = {str(value) for value in Item.Variant.values}


@dataclass(frozen=True, slots=True)
class Wanted:
    """The study to be made. ``directions`` and ``texts`` are by question; ``level`` of all."""

    title: str
    slug: str
    owner: Any
    scales: Mapping[str, Declared]
    default: Declared | None
    directions: Mapping[str, str]
    texts: Mapping[str, str]
    level: str = "ordinal"

    def scale(self, question: str) -> Declared:
        found = self.scales.get(question, self.default)
        if found is None:
            raise ImportRefusedError([f"No scale is declared for the question {question!r}."])
        return found


@transaction.atomic
def write_study(
    *,
    wanted: Wanted,
    found: Collected,
    files: Sequence[Mapping[str, Any]],
    columns: Mapping[str, Any],
    by: Any,
) -> Study:
    """The study with every rating in it, closed to arrivals; all of it or nothing.

    Raters get pseudonyms in the order of their first appearance; what the file calls them is not
    kept. Raises ``ImportRefusedError`` where a study has the slug already, or it is none.
    """
    if not SLUG.fullmatch(wanted.slug) or wanted.slug in TAKEN:
        raise ImportRefusedError(
            [f"{wanted.slug!r} is no address. Choose a slug of Latin letters, digits and hyphens."]
        )
    if Study.objects.filter(slug=wanted.slug).exists():
        raise ImportRefusedError(
            [f"There is a study {wanted.slug!r} already. Choose another slug."]
        )
    study = _study(wanted, files)
    items = _items(study, found)
    questions = _questions(study, wanted, list(found.questions))
    freeze_design(study=study, by=by, note=study.launch_note)
    study.save(update_fields=["revision"])
    people = _people(study, len(found.raters))
    screens = _screens(people, items, found)
    _ratings(screens, items, questions, found)
    ExternalSource.objects.create(
        study=study,
        files=list(files),
        columns=dict(columns),
        scales={name: wanted.scale(name).words for name in found.questions},
        n_ratings=len(found),
        imported_by=by,
    )
    return study


def _study(wanted: Wanted, files: Sequence[Mapping[str, Any]]) -> Study:
    names = ", ".join(str(file["name"]) for file in files)
    return Study.objects.create(
        owner=wanted.owner,
        title=wanted.title,
        slug=wanted.slug,
        public_title=wanted.title[:100],
        state=Study.State.CLOSED,
        launched_at=timezone.now(),
        launch_note=f"Gathered with another tool; imported from {names}."[:400],
    )


def _items(study: Study, found: Collected) -> list[tuple[Item, Unit]]:
    systems: dict[str, System] = {}
    for facts in found.facts:
        if (name := facts.get("system", "")) and name not in systems:
            systems[name] = System.objects.create(study=study, name=name, position=len(systems))
    rows = [
        Item(
            study=study,
            external_id=name,
            content_type="",
            source_name="",
            system=systems.get(found.facts[place].get("system", "")),
            **{fact: found.facts[place].get(fact, "") for fact in ITEM_FACTS},
        )
        for name, place in found.items.items()
    ]
    _refuse_variants(rows)
    items = Item.objects.bulk_create(rows, batch_size=BATCH)
    units = Unit.objects.bulk_create(
        (Unit(study=study, key=item.external_id) for item in items), batch_size=BATCH
    )
    UnitItem.objects.bulk_create(
        (UnitItem(unit=unit, item=item) for unit, item in zip(units, items, strict=True)),
        batch_size=BATCH,
    )
    return list(zip(items, units, strict=True))


def _refuse_variants(items: Iterable[Item]) -> None:
    unknown = sorted({item.variant for item in items} - VARIANTS - {""})
    if unknown:
        known = ", ".join(sorted(VARIANTS))
        raise ImportRefusedError([f"Variants are {known}, not {', '.join(unknown)}."])


def _questions(study: Study, wanted: Wanted, names: Sequence[str]) -> list[Question]:
    questions = []
    keys: set[str] = set()
    for position, name in enumerate(names, start=1):
        question = Question.objects.create(
            study=study,
            position=position,
            key=_key(name, keys),
            kind=Question.Kind.LIKERT,
            text=wanted.texts.get(name, name)[:400],
            reported_as=name[:60],
            direction=wanted.directions.get(name, Question.Direction.HIGHER),
            level=wanted.level,
        )
        ScalePoint.objects.bulk_create(
            ScalePoint(question=question, value=value, label=label[:60])
            for value, label in wanted.scale(name).points
        )
        questions.append(question)
    return questions


def _key(name: str, taken: set[str]) -> str:
    base = slugify(name).replace("-", "_")[:40] or "rating"
    key, number = base, 1
    while key in taken:
        number += 1
        key = f"{base[:36]}_{number}"
    taken.add(key)
    return key


def _people(study: Study, n: int) -> list[Participation]:
    now = timezone.now()
    width = max(2, len(str(n)))
    return Participation.objects.bulk_create(
        (
            Participation(
                study=study,
                code=f"R-{number:0{width}d}",
                state=Participation.State.COMPLETE,
                revision=study.revision,
                finished_at=now,
            )
            for number in range(1, n + 1)
        ),
        batch_size=BATCH,
    )


Screens = dict[tuple[int, int], int]
"""(rater, item) -> id of the screen."""


def _screens(
    people: Sequence[Participation], items: Sequence[tuple[Item, Unit]], found: Collected
) -> Screens:
    now = timezone.now()
    numbers = [0] * len(people)
    pairs = dict.fromkeys(zip(found.rater, found.item, strict=True))
    rows = []
    for rater, place in pairs:
        numbers[rater] += 1
        item, unit = items[place]
        rows.append(
            Assignment(
                participation=people[rater],
                n=numbers[rater],
                unit=unit,
                item_order=[item.pk],
                submitted_at=now,
                counted=True,
            )
        )
    made = Assignment.objects.bulk_create(rows, batch_size=BATCH)
    return {pair: row.pk for pair, row in zip(pairs, made, strict=True)}


def _ratings(
    screens: Screens,
    items: Sequence[tuple[Item, Unit]],
    questions: Sequence[Question],
    found: Collected,
) -> None:
    batch: list[Rating] = []
    columns = zip(found.rater, found.item, found.question, found.value, strict=True)
    for rater, place, question, value in columns:
        item = items[place][0].pk
        batch.append(
            Rating(
                assignment_id=screens[rater, place],
                question=questions[question],
                item_id=item,
                subject=subject_key(item=item),
                value=value,
            )
        )
        if len(batch) == BATCH:
            Rating.objects.bulk_create(batch)
            batch = []
    Rating.objects.bulk_create(batch)
