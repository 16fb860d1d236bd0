"""What a study has of the things that a metric needs, counted in items."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import Count, Max, Q, Sum

from scoring.asked_marks import LETTERS, asked_mark
from scoring.metric_hooks import own_mark
from scoring.metrics import get_metric
from scoring.metrics.base import Declaration, UnknownMetricError
from scoring.models import MetricRun
from scoring.selection import scored_items
from studies.models import Description, Descriptor, Item, Study

BETWEEN = "/"  # what is read and what is asked, in a mark of inputs
LONGEST_READ = 80 - len(BETWEEN) - LETTERS


@dataclass(frozen=True, slots=True)
class Coverage:
    """One need: how many of the items have it, in words, and what to do where none has."""

    n_items: int
    n_covered: int
    words: str
    remedy: str

    @property
    def is_complete(self) -> bool:
        return self.n_covered == self.n_items

    @property
    def is_absent(self) -> bool:
        return self.n_covered == 0


class ItemFields:
    """The texts of an item under the names that metrics use.

    An item's *activity* is its scenario where reference descriptors are written for that, else its
    category: descriptors may be as fine or as coarse as a study's benchmark has them.
    """

    def __init__(self, study: Study) -> None:
        references = study.descriptors.filter(kind=Descriptor.Kind.REFERENCE).order_by()
        self._described = {
            (plain(activity), country)
            for activity, country in references.values_list("activity", "country").distinct()
        }

    def text(self, item: Item, name: str) -> str:
        if name == "activity":
            return self.activity(item)
        if name == "file":
            return item.media.path if item.media else ""
        value = getattr(item, name)
        return "" if value is None else str(value)

    def activity(self, item: Item) -> str:
        finer = item.scenario and (plain(item.scenario), item.country) in self._described
        return item.scenario if finer else item.category

    def has_reference(self, item: Item) -> bool:
        return (plain(self.activity(item)), item.country) in self._described


def plain(activity: str) -> str:
    """Activities are the same without regard to case and outer blanks."""
    return activity.strip().casefold()


class StudyCounts:
    """What a study has, each thing counted once for all metrics of a page."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._covered: dict[str, int] = {}

    @cached_property
    def n_items(self) -> int:
        return scored_items(self._study).count()

    def covered(self, need: str) -> Coverage:
        count, what, remedy = _COUNTED[need]
        if need not in self._covered:
            self._covered[need] = count(self._study)
        n = self._covered[need]
        verb = "has" if n == 1 else "have"
        return Coverage(self.n_items, n, f"{n} of {self.n_items} items {verb} {what}", remedy)


def study_coverage(
    *, study: Study, declaration: Declaration, counts: StudyCounts | None = None
) -> list[Coverage]:
    """One row for a needed prompt, one a needed kind of descriptors, in the declared order."""
    counts = counts or StudyCounts(study)
    needs = [name for name in declaration.needs.item_fields if name in {"prompt", "file"}]
    needs += declaration.needs.descriptor_kinds
    needs += ["real_images"] if declaration.needs.real_images else []
    needs += ["probes"] if declaration.needs.probes else []
    return [counts.covered(need) for need in needs]


def inputs_mark(study: Study, declaration: Declaration, parameters: Mapping[str, Any]) -> str:
    """Differs as soon as what the metric reads of the study beside its items does: descriptors and
    the like, and what it asks a model. At most 80 letters."""
    read = _read_mark(study, declaration, parameters)
    asked = asked_mark(study, declaration.key, parameters)
    return f"{read}{BETWEEN}{asked}" if asked else read


def marks_differ(noted: str, now: str) -> bool:
    """Whether an earlier mark and one of now speak of different inputs. What was not noted then,
    by an earlier version, is not held against it."""
    parts = zip(noted.split(BETWEEN), now.split(BETWEEN), strict=False)
    return any(before != after for before, after in parts)


def _read_mark(study: Study, declaration: Declaration, parameters: Mapping[str, Any]) -> str:
    """The metric's own mark, else one that differs as soon as a descriptor that it reads is added
    or removed."""
    mark = own_mark(study=study, metric=declaration.key, parameters=parameters)
    if mark is not None:
        return mark if len(mark) <= LONGEST_READ else hashlib.sha256(mark.encode()).hexdigest()
    read = study.descriptors.filter(kind__in=declaration.needs.descriptor_kinds).order_by()
    sums = read.aggregate(n=Count("id"), last=Max("id"), by_id=Sum("id"))
    return ".".join(str(number or 0) for number in sums.values())


def inputs_have_changed(run: MetricRun) -> bool:
    """Whether a run's scores were made from other inputs than the study has now."""
    if not run.inputs:
        return False
    try:
        declaration = get_metric(run.metric).declaration
    except UnknownMetricError:
        return False
    return marks_differ(run.inputs, inputs_mark(run.study, declaration, run.parameters))


def _with_predictions(study: Study) -> int:
    """Items with predicted descriptors, and those that were described with nothing seen."""
    predicted = study.descriptors.filter(kind=Descriptor.Kind.PREDICTED)
    looked = Description.objects.filter(
        item__study=study, outcome=Description.Outcome.DESCRIBED
    ).values("item_id")
    described = Q(pk__in=predicted.values("item_id")) | Q(pk__in=looked)
    return scored_items(study).filter(described).count()


def _with_references(study: Study) -> int:
    """Items whose activity and country have references, without regard to case and blanks."""
    fields = ItemFields(study)
    items = scored_items(study).only("scenario", "category", "country")
    return sum(fields.has_reference(item) for item in items)


def _with_stereotypes(study: Study) -> int:
    countries = study.descriptors.filter(kind=Descriptor.Kind.STEREOTYPE).values("country")
    return scored_items(study).filter(country__in=countries).count()


def _with_candidates(study: Study) -> int:
    candidates = study.descriptors.filter(kind=Descriptor.Kind.CANDIDATE).order_by()
    rows = candidates.values_list("activity", "country").distinct()
    there = {(plain(activity), country) for activity, country in rows}
    fields = ItemFields(study)
    items = scored_items(study).only("scenario", "category", "country")
    return sum((plain(fields.activity(item)), item.country) in there for item in items)


def _with_real_images(study: Study) -> int:
    fields = ItemFields(study)
    real = study.items.filter(origin=Item.Origin.REAL, kind=Item.Kind.IMAGE)
    there = {(plain(fields.activity(item)), item.country) for item in real}
    items = scored_items(study).only("scenario", "category", "country")
    return sum((plain(fields.activity(item)), item.country) in there for item in items)


def _with_probes(study: Study) -> int:
    rows = study.probes.filter(verified=True).order_by().values_list("scenario", "country")
    there = set(rows.distinct())
    items = scored_items(study).values_list("scenario", "country")
    return sum(bool(there & {(scenario, country), (scenario, "")}) for scenario, country in items)


def _with_files(study: Study) -> int:
    return scored_items(study).exclude(media="").exclude(kind=Item.Kind.AUDIO).count()


def _with_prompts(study: Study) -> int:
    return scored_items(study).exclude(prompt="").count()


_COUNTED: dict[str, tuple[Callable[[Study], int], str, str]] = {
    "prompt": (
        _with_prompts,
        "a prompt",
        "No item has a prompt. Import the items with the prompts that they were made from.",
    ),
    "file": (
        _with_files,
        "a picture or a clip",
        "No item has a picture or a clip. Import the items with their files.",
    ),
    "real_images": (
        _with_real_images,
        "real pictures of their activity and country",
        "No item has real pictures to compare with. Import some with the origin real, and with "
        "the activity and country of the items.",
    ),
    "probes": (
        _with_probes,
        "verified probes for their scenario",
        "No item has verified probes. Import probes for the scenarios of the items.",
    ),
    Descriptor.Kind.STEREOTYPE: (
        _with_stereotypes,
        "stereotype candidates for their country",
        "No item has stereotype candidates. Import them as JSONL, with the country of the items.",
    ),
    Descriptor.Kind.CANDIDATE: (
        _with_candidates,
        "proposers' lists for their activity and country",
        "No item has descriptors of single proposers. Ask for them, or import them as JSONL.",
    ),
    Descriptor.Kind.REFERENCE: (
        _with_references,
        "reference descriptors for their activity and country",
        "No item has reference descriptors. Import them as JSONL, with an activity that is the "
        "scenario or the category of the items, and with their country.",
    ),
    Descriptor.Kind.PREDICTED: (
        _with_predictions,
        "predicted descriptors",
        "No item has predicted descriptors. Import them as JSONL, with the id of the item that "
        "each was seen in.",
    ),
}
