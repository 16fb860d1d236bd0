"""What a study has of the things that a metric needs, counted in items."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from scoring.metrics.base import Declaration
from studies.models import Descriptor, Item, Study

# A metric's name for an item field where the model has another: what an item shows is its category.
FIELD_OF = {"activity": "category"}


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


def field_text(item: Item, name: str) -> str:
    """The text of an item field under the name that metrics use for it."""
    return str(getattr(item, FIELD_OF.get(name, name)))


def study_coverage(*, study: Study, declaration: Declaration) -> list[Coverage]:
    """One row a needed kind of descriptors, in the declared order."""
    n_items = study.items.count()
    return [_covered(study, kind, n_items) for kind in declaration.needs.descriptor_kinds]


def _covered(study: Study, kind: str, n_items: int) -> Coverage:
    count, what, remedy = _COUNTED[kind]
    n = count(study)
    verb = "has" if n == 1 else "have"
    return Coverage(n_items, n, f"{n} of {n_items} items {verb} {what}", remedy)


def _with_predictions(study: Study) -> int:
    predicted = study.descriptors.filter(kind=Descriptor.Kind.PREDICTED)
    return predicted.values("item_id").distinct().count()


def _with_references(study: Study) -> int:
    """Items whose activity and country have references, without regard to case and blanks."""
    references = study.descriptors.filter(kind=Descriptor.Kind.REFERENCE)
    known = {
        (activity.strip().casefold(), country)
        for activity, country in references.order_by().values_list("activity", "country").distinct()
    }
    cells = study.items.order_by().values_list(FIELD_OF["activity"], "country")
    return sum((activity.strip().casefold(), country) in known for activity, country in cells)


_COUNTED: dict[str, tuple[Callable[[Study], int], str, str]] = {
    Descriptor.Kind.REFERENCE: (
        _with_references,
        "reference descriptors for their activity and country",
        "No item has reference descriptors. Import them as JSONL, with an activity that is the "
        "category of the items and with their country.",
    ),
    Descriptor.Kind.PREDICTED: (
        _with_predictions,
        "predicted descriptors",
        "No item has predicted descriptors. Import them as JSONL, with the id of the item that "
        "each was seen in.",
    ),
}
