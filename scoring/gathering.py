"""What goes to a metric with an item or a cell: texts, descriptors, real pictures, probes.

A metric whose inputs take more than its declaration can say has a gathering of its own, named in
``scoring.metric_hooks``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from scoring.coverage import ItemFields, plain
from scoring.metrics.base import Declaration, Descriptor, ProbeText, RealImage
from studies.models import Item, Study


class StudySources:
    """What a declaration asks for, read once and given out by item."""

    def __init__(self, study: Study, declaration: Declaration) -> None:
        self.fields = ItemFields(study)
        self.descriptors = DescriptorShelf(study, declaration.needs.descriptor_kinds)
        self._real = _real_images(study, self.fields) if declaration.needs.real_images else {}
        self._probes = _probes(study) if declaration.needs.probes else {}

    def real_images(self, item: Item) -> tuple[RealImage, ...]:
        return tuple(self._real.get((plain(self.fields.activity(item)), item.country), ()))

    def probes(self, item: Item) -> tuple[ProbeText, ...]:
        own = self._probes.get((item.scenario, item.country), [])
        of_no_country = self._probes.get((item.scenario, ""), []) if item.country else []
        return (*own, *of_no_country)


class DescriptorShelf:
    """The descriptors of some kinds: those of an item, and the shared ones by country."""

    def __init__(self, study: Study, kinds: Sequence[str]) -> None:
        self._shared: dict[str, list[Descriptor]] = defaultdict(list)
        self._own: dict[int, list[Descriptor]] = defaultdict(list)
        if not kinds:
            return
        rows = study.descriptors.filter(kind__in=kinds).order_by("pk")
        for row in rows.iterator(chunk_size=2000):
            descriptor = Descriptor(
                kind=row.kind,
                dimension=row.dimension,
                token=row.token,
                activity=row.activity,
                country=row.country,
                item_key=str(row.item_id or ""),
            )
            if row.item_id is None:
                self._shared[row.country].append(descriptor)
            else:
                self._own[row.item_id].append(descriptor)

    def shared(self, country: str) -> list[Descriptor]:
        """Those of a country, then those of none."""
        of_none = self._shared.get("", []) if country else []
        return [*self._shared.get(country, []), *of_none]

    def own(self, item: int) -> list[Descriptor]:
        return self._own.get(item, [])

    def of(self, items: Iterable[Item]) -> list[Descriptor]:
        """All that belongs to these items, each shared one once."""
        items = list(items)
        countries = dict.fromkeys([*(item.country for item in items if item.country), ""])
        shared = [d for country in countries for d in self._shared.get(country, [])]
        return [*shared, *(d for item in items for d in self.own(item.pk))]


def _real_images(study: Study, fields: ItemFields) -> dict[tuple[str, str], list[RealImage]]:
    found = defaultdict(list)
    real = study.items.filter(origin=Item.Origin.REAL, kind=Item.Kind.IMAGE)
    for item in real.order_by("pk"):
        image = RealImage(key=str(item.pk), file=fields.text(item, "file"), sha256=item.sha256)
        found[plain(fields.activity(item)), item.country].append(image)
    return found


def _probes(study: Study) -> dict[tuple[str, str], list[ProbeText]]:
    found = defaultdict(list)
    for probe in study.probes.filter(verified=True).order_by("pk"):
        text = ProbeText(probe.external_id, probe.dimension, probe.text, probe.weight)
        found[probe.scenario, probe.country].append(text)
    return found
