"""A closed study from collected ratings: items, units, raters under pseudonyms, counted screens.

A study is begun, filled lot after lot, and finished; in between nobody sees it. Within one
transaction that is all or nothing; a worker does without, so that nobody who rates meanwhile waits
for the whole, and takes back what it has written where it cannot go on (``taking_back``).
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Model
from django.utils import timezone
from django.utils.text import slugify

from annotation.external.collecting import Collected, Screens
from annotation.external.scales import Declared
from annotation.models import Assignment, ExternalSource, Participation, Rating
from annotation.models.rating import subject_key
from studies.external.records import ImportRefusedError
from studies.importing.bulk import give_way
from studies.models import Item, Question, ScalePoint, Study, System, Unit, UnitItem
from studies.models.study import not_reserved
from studies.revisions import freeze_design

BATCH = 2000
SLUG = re.compile(r"[-a-zA-Z0-9_]{1,80}")
LONGEST_TEXT = 400
LONGEST_TITLE = 200
ITEM_FACTS = ("country", "category", "aspect", "scenario", "prompt", "variant")
VARIANTS = {str(value) for value in Item.Variant.values}


def _quiet(n: int) -> None:
    """Nobody looks on."""


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

    @property
    def lower(self) -> list[str]:
        """The questions on which lower is better."""
        return [name for name, way in self.directions.items() if way == Question.Direction.LOWER]

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

    Raises ``ImportRefusedError`` where a study has the slug already, or it is none.
    """
    study = begin_study(wanted=wanted, files=files)
    fill_study(study=study, wanted=wanted, found=found)
    finish_study(study=study, wanted=wanted, found=found, files=files, columns=columns, by=by)
    return study


def begin_study(*, wanted: Wanted, files: Sequence[Mapping[str, Any]]) -> Study:
    """The study as nobody sees it yet, without items. Raises ``ImportRefusedError`` as above."""
    refuse_address(wanted.slug)
    if not wanted.title.strip() or len(wanted.title) > LONGEST_TITLE:
        raise ImportRefusedError([f"Give the study a name of at most {LONGEST_TITLE} letters."])
    names = ", ".join(str(file["name"]) for file in files)
    try:
        with transaction.atomic():
            return Study.objects.create(
                owner=wanted.owner,
                title=wanted.title,
                slug=wanted.slug,
                public_title=wanted.title[:100],
                state=Study.State.CLOSED,
                launched_at=timezone.now(),
                launch_note=f"Gathered with another tool; imported from {names}."[:400],
                is_whole=False,
            )
    except IntegrityError as error:  # another import took the address in this moment
        raise ImportRefusedError([_taken(wanted.slug)]) from error


def fill_study(
    *, study: Study, wanted: Wanted, found: Collected, on_lot: Callable[[int], None] = _quiet
) -> None:
    """Items, questions, raters, screens and ratings. ``on_lot`` is told how many ratings stand.
    Raises ``ImportRefusedError`` for what is wrong with all of them together.

    Raters get pseudonyms in the order of their first appearance; what the file calls them is not
    kept.
    """
    refuse_unknown(wanted.lower, found)
    items = _items(study, found)
    questions = _questions(study, wanted, list(found.questions))
    people = _people(study, len(found.raters))
    screens = found.screens()
    keys = _screens(people, items, screens, on_lot)
    _ratings(keys, screens, items, questions, found, on_lot)


@transaction.atomic
def finish_study(
    *,
    study: Study,
    wanted: Wanted,
    found: Collected,
    files: Sequence[Mapping[str, Any]],
    columns: Mapping[str, Any],
    by: Any,
) -> None:
    """Its design is frozen, where it came from is noted, and people see it.

    ``columns`` is how the files were read; the level and the questions on which lower is better are
    kept with it, for the next import to start from.
    """
    freeze_design(study=study, by=by, note=study.launch_note)
    study.is_whole = True
    study.save(update_fields=["revision", "is_whole"])
    study.participations.update(revision=study.revision)
    ExternalSource.objects.create(
        study=study,
        files=list(files),
        columns={**columns, "level": wanted.level, "lower": wanted.lower},
        scales={name: wanted.scale(name).words for name in found.questions},
        n_ratings=len(found),
        imported_by=by,
    )


def refuse_address(slug: str) -> None:
    """Raises ``ImportRefusedError`` for a short address that is none, or somebody's already."""
    if not SLUG.fullmatch(slug):
        said = f"{slug!r} is no address. " if slug else ""
        raise ImportRefusedError(
            [f"{said}Write the short address in Latin letters, digits and hyphens."]
        )
    try:
        not_reserved(slug)
    except ValidationError as error:
        raise ImportRefusedError(error.messages) from error
    if Study.objects.filter(slug=slug).exists():
        raise ImportRefusedError([_taken(slug)])


def refuse_unknown(lower: Iterable[str], found: Collected) -> None:
    """Raises ``ImportRefusedError`` where lower is said to be better on a question that no rating
    is on: on the one that was meant, higher would be."""
    if unknown := [name for name in lower if name not in found.questions]:
        raise ImportRefusedError(
            [
                f"Lower is better on {', '.join(map(repr, unknown))}, it was said, but no rating "
                f"is on that. Questions are {', '.join(found.questions)}."
            ]
        )


def _taken(slug: str) -> str:
    return f"There is a study {slug!r} already. Choose another short address."


def _in_lots(model: type[Model], rows: Iterable[Any]) -> Iterator[list[Any]]:
    """The rows as they were written, lot after lot, each in a short transaction of its own."""
    left = iter(rows)
    while lot := list(islice(left, BATCH)):
        yield model._default_manager.bulk_create(lot)
        give_way()


@dataclass(frozen=True, slots=True)
class _Items:
    """Keys of the items and of their units, in the order of the items collected."""

    item: array
    unit: array


def _items(study: Study, found: Collected) -> _Items:
    _refuse_variants(found.facts)
    systems: dict[str, System] = {}
    for facts in found.facts:
        if (name := facts.get("system", "")) and name not in systems:
            systems[name] = System.objects.create(study=study, name=name, position=len(systems))
    rows = (
        Item(
            study=study,
            external_id=name,
            content_type="",
            source_name="",
            system=systems.get(found.facts[place].get("system", "")),
            **{fact: found.facts[place].get(fact, "") for fact in ITEM_FACTS},
        )
        for name, place in found.items.items()
    )
    made = _Items(array("q"), array("q"))
    for items in _in_lots(Item, rows):
        with transaction.atomic():
            units = Unit.objects.bulk_create(
                Unit(study=study, key=item.external_id) for item in items
            )
            pairs = zip(items, units, strict=True)
            UnitItem.objects.bulk_create(UnitItem(unit=unit, item=item) for item, unit in pairs)
        made.item.extend(item.pk for item in items)
        made.unit.extend(unit.pk for unit in units)
    return made


def _refuse_variants(facts: Iterable[Mapping[str, str]]) -> None:
    unknown = sorted({one.get("variant", "") for one in facts} - VARIANTS - {""})
    if unknown:
        known = ", ".join(sorted(VARIANTS))
        raise ImportRefusedError([f"Variants are {known}, not {', '.join(unknown)}."])


def _questions(study: Study, wanted: Wanted, names: Sequence[str]) -> list[int]:
    """Their keys."""
    questions = []
    keys: set[str] = set()
    for position, name in enumerate(names, start=1):
        question = Question.objects.create(
            study=study,
            position=position,
            key=_key(name, keys),
            kind=Question.Kind.LIKERT,
            text=_cut(wanted.texts.get(name) or name),
            reported_as=name[:60],
            direction=wanted.directions.get(name, Question.Direction.HIGHER),
            level=wanted.level,
        )
        ScalePoint.objects.bulk_create(
            ScalePoint(question=question, value=value, label=label[:60])
            for value, label in wanted.scale(name).points
        )
        questions.append(question.pk)
    return questions


def _key(name: str, taken: set[str]) -> str:
    base = slugify(name).replace("-", "_")[:40] or "rating"
    key, number = base, 1
    while key in taken:
        number += 1
        key = f"{base[:36]}_{number}"
    taken.add(key)
    return key


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 1]}…"


def _people(study: Study, n: int) -> array:
    """Their keys."""
    now = timezone.now()
    width = max(2, len(str(n)))
    rows = (
        Participation(
            study=study,
            code=f"R-{number:0{width}d}",
            state=Participation.State.COMPLETE,
            finished_at=now,
        )
        for number in range(1, n + 1)
    )
    return array("q", (person.pk for lot in _in_lots(Participation, rows) for person in lot))


def _screens(
    people: array, items: _Items, screens: Screens, on_lot: Callable[[int], None]
) -> array:
    """Their keys."""
    now = timezone.now()
    numbers = [0] * len(people)

    def rows() -> Iterator[Assignment]:
        for rater, place in zip(memoryview(screens.rater), memoryview(screens.item), strict=True):
            numbers[rater] += 1
            yield Assignment(
                participation_id=people[rater],
                n=numbers[rater],
                unit_id=items.unit[place],
                item_order=[items.item[place]],
                submitted_at=now,
                counted=True,
            )

    keys = array("q")
    for lot in _in_lots(Assignment, rows()):
        keys.extend(screen.pk for screen in lot)
        on_lot(0)
    return keys


def _ratings(
    keys: array,
    screens: Screens,
    items: _Items,
    questions: Sequence[int],
    found: Collected,
    on_lot: Callable[[int], None],
) -> None:
    columns = zip(
        memoryview(screens.of_rating), found.item, found.question, found.value, strict=True
    )

    def rows() -> Iterator[Rating]:
        for screen, place, question, value in columns:
            item = items.item[place]
            yield Rating(
                assignment_id=keys[screen],
                question_id=questions[question],
                item_id=item,
                subject=subject_key(item=item),
                value=value,
            )

    done = 0
    for lot in _in_lots(Rating, rows()):
        done += len(lot)
        on_lot(done)
