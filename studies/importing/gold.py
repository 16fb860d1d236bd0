"""Gold labels from a table: what is known to be true of an item. Django-free."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from studies.importing.columns import Schema
from studies.importing.nearest import NearestName
from studies.importing.rows import Parsed, check_table, double_ids, number

GOLD = Schema(
    noun="gold label",
    headings={
        "item_id": ("id", "item", "external_id", "image_id", "picture_id", "video_id"),
        "label_set": ("set", "labelset", "kind"),
        "label": ("gold_label", "class", "culture"),
        "value": ("gold", "score", "applies"),
    },
    required=("item_id", "label_set", "label"),
    max_lengths={"item_id": 200, "label_set": 120, "label": 200},
    keeps_others=False,
)


@dataclass(frozen=True, slots=True)
class GoldRecord:
    """One valid row; ``value`` is 1 where the table says nothing."""

    line: int
    item_id: str
    label_set: str
    label: str
    value: float = 1.0


def parse_gold(content: bytes, *, item_ids: Set[str]) -> Parsed[GoldRecord]:
    """Read a table of gold labels for items ``item_ids``. Raises nothing for bad content."""
    wrong, fix = "Not a number", "Write 1 where the label applies, 0 where not, or a grade."
    table = check_table(content, GOLD, {"value": number(-1e6, 1e6, wrong, fix)})
    names = NearestName(item_ids)
    for check in table.checks:
        item_id = check.text("item_id")
        if item_id and item_id not in item_ids:
            near = names.nearest(item_id)
            fix = f"Did you mean {near}?" if near else "Import the item first, or mend the id."
            check.add_at("item_id", "No item of the study has this id", fix)
    return table.parsed(
        lambda check: GoldRecord(line=check.line, **check.given),
        more=double_ids(table.checks, "item_id", "label_set", "label"),
    )
