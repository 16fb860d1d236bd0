"""The demo's tables: one CSV row an item, one JSON line a descriptor.

``python -m demo.catalogue FOLDER`` writes both, which is how ``fixtures/demo`` is made.
"""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

from demo.elements import SCENES
from demo.scenes import ACTIVITIES, COUNTRIES, DemoItem, demo_items

COLUMNS = (
    "item_id",
    "file",
    "kind",
    "prompt",
    "country",
    "category",
    "system",
    "scenario",
    "variant",
    "replicate",
    "origin",
    "element",
    "note",
)
CULTURAL_ELEMENTS = {
    ("NP", "wedding"): "marigold canopy",
    ("NP", "tea"): "milk tea",
    ("IR", "wedding"): "wedding cloth (sofreh)",
    ("IR", "tea"): "samovar",
}
SOURCE = "Concord demo"


def item_row(item: DemoItem) -> dict[str, str]:
    return {
        "item_id": item.item_id,
        "file": item.file,
        "kind": "image",
        "prompt": f"A {ACTIVITIES[item.activity]} in {COUNTRIES[item.country]}",
        "country": item.country,
        "category": ACTIVITIES[item.activity],
        "system": item.system,
        "scenario": f"{item.country.lower()}-{item.activity}",
        "variant": "base",
        "replicate": str(item.replicate),
        "origin": item.origin,
        "element": CULTURAL_ELEMENTS[item.country, item.activity],
        "note": item.note,
    }


def descriptor_rows() -> list[dict[str, str]]:
    """Reference descriptors of each scene, then the predicted ones of each drawn item."""
    rows = [
        {
            "kind": "reference",
            "activity": ACTIVITIES[activity],
            "country": country,
            "dimension": element.dimension,
            "token": element.reference,
            "style": element.style,
            "source": SOURCE,
        }
        for (country, activity), elements in SCENES.items()
        for element in elements
    ]
    for item in demo_items():
        rows += [
            {
                "kind": "predicted",
                "activity": ACTIVITIES[item.activity],
                "country": item.country,
                "item_id": item.item_id,
                "dimension": element.dimension,
                "token": element.predicted,
                "style": "",
                "source": f"{SOURCE}, as drawn",
            }
            for element in item.drawn
        ]
    return rows


def write_demo_tables(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "items.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(item_row(item) for item in demo_items())
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in descriptor_rows()]
    (folder / "descriptors.jsonl").write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    write_demo_tables(Path(sys.argv[1]))
