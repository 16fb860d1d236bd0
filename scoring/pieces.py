"""The pieces of a run, items and cells, each with all that its scores follow from.

A piece's key is a hash of the metric and its version, the models with their revisions, the
parameters, and the content of the piece: its texts, its file by SHA-256, its descriptors, real
pictures, probes, and what the metric gathered itself. Equal keys mean equal scores.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from scoring.backing import each_backend
from scoring.coverage import plain
from scoring.gathering import StudySources
from scoring.metric_hooks import gathered
from scoring.metrics.base import Cell, CellItems, Declaration, Descriptor, MetricItem
from scoring.models import MetricRun
from scoring.selection import Selection, selected_items
from studies.models import Item


@dataclass(frozen=True, slots=True)
class Piece:
    """``place`` is an item's primary key or a cell's key; ``members`` are the items behind it."""

    place: int | str
    given: MetricItem | CellItems
    members: tuple[Item, ...]
    key: str

    @property
    def is_cell(self) -> bool:
        return isinstance(self.given, CellItems)


class Pieces:
    """Makes the pieces of one run from the study as it is now."""

    def __init__(self, run: MetricRun, declaration: Declaration, backend: Any) -> None:
        self._declaration = declaration
        self._items = selected_items(run.study, Selection.stored(run.selection))
        self._sources = StudySources(run.study, declaration)
        self._own = gathered(study=run.study, metric=run.metric, parameters=run.parameters)
        self._method = [
            declaration.key,
            declaration.version,
            [_model(one) for one in each_backend(backend)],
            run.parameters,
        ]
        self._shared: dict[str, str] = {}

    @cached_property
    def items(self) -> list[int]:
        """Primary keys of the items that are scored one by one."""
        if not self._declaration.scores_items:
            return []
        return list(self._items.values_list("pk", flat=True))

    @cached_property
    def cells(self) -> dict[str, list[int]]:
        """The items of each cell, by the cell's key, in the order in which cells are met."""
        found: dict[str, list[int]] = defaultdict(list)
        if self._declaration.cells:
            names: dict[str, str] = {}  # activities as they are first written
            for item in self._items.only(
                "category", "scenario", "country", "system", "system__name"
            ):
                activity = self._sources.fields.activity(item)
                values = {
                    "activity": names.setdefault(plain(activity), activity),
                    "country": item.country,
                    "system": self._sources.fields.text(item, "system"),
                }
                cell = Cell(**{name: values[name] for name in self._declaration.cells})
                found[cell.key].append(item.pk)
        return dict(found)

    def of_items(self, keys: Sequence[int]) -> list[Piece]:
        """In the order of ``keys``; items that are gone are left out."""
        items = self._loaded(keys)
        return [self._item_piece(items[key]) for key in keys if key in items]

    def of_cells(self, keys: Sequence[str]) -> list[Piece]:
        """In the order of ``keys``; cells that have no items any more are left out."""
        known = [key for key in keys if key in self.cells]
        items = self._loaded([pk for key in known for pk in self.cells[key]])
        members = {key: tuple(items[pk] for pk in self.cells[key] if pk in items) for key in known}
        return [self._cell_piece(key, members[key]) for key in known if members[key]]

    def descriptors(self, pieces: Iterable[Piece]) -> list[Descriptor]:
        return self._sources.descriptors.of([item for piece in pieces for item in piece.members])

    def _loaded(self, keys: Sequence[int]) -> dict[int, Item]:
        items: dict[int, Item] = {}
        for start in range(0, len(keys), 500):
            rows = Item.objects.select_related("system").in_bulk(list(keys[start : start + 500]))
            items |= rows
        return items

    def _item_piece(self, item: Item) -> Piece:
        given = self._metric_item(item)
        return Piece(item.pk, given, (item,), self._key(self._content(item, given)))

    def _cell_piece(self, key: str, members: tuple[Item, ...]) -> Piece:
        cell = Cell.of_key(key)
        given = CellItems(
            cell=cell,
            items=tuple(self._metric_item(item) for item in members),
            inputs=self._own.cell_inputs(cell, members),
        )
        # Evidence of a cell may name its items: their keys belong to its content.
        of_items = [
            [item.pk, self._content(item, one)]
            for item, one in zip(members, given.items, strict=True)
        ]
        return Piece(key, given, members, self._key([key, given.inputs, of_items]))

    def _metric_item(self, item: Item) -> MetricItem:
        needs = self._declaration.needs
        return MetricItem(
            key=str(item.pk),
            fields={name: self._sources.fields.text(item, name) for name in needs.item_fields},
            real_images=self._sources.real_images(item) if needs.real_images else (),
            probes=self._sources.probes(item) if needs.probes else (),
            inputs=self._own.item_inputs(item),
        )

    def _content(self, item: Item, given: MetricItem) -> list[Any]:
        fields = dict(given.fields)
        if "file" in fields:
            fields["file"] = item.sha256 if fields["file"] else ""
        return [
            fields,
            [[image.key, image.sha256] for image in given.real_images],
            [[probe.key, probe.dimension, probe.text, probe.weight] for probe in given.probes],
            given.inputs,
            [_told(descriptor) for descriptor in self._sources.descriptors.own(item.pk)],
            self._shared_mark(item.country),
        ]

    def _shared_mark(self, country: str) -> str:
        if country not in self._shared:
            told = [_told(one) for one in self._sources.descriptors.shared(country)]
            self._shared[country] = _digest(told) if told else ""
        return self._shared[country]

    def _key(self, content: list[Any]) -> str:
        return _digest([self._method, content])


def _model(backend: Any) -> list[str]:
    return [backend.model_id, backend.revision, getattr(backend, "reading", "")]


def _told(descriptor: Descriptor) -> list[str]:
    return [
        descriptor.kind,
        descriptor.dimension,
        descriptor.token,
        descriptor.activity,
        descriptor.country,
    ]


def _digest(content: Any) -> str:
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
