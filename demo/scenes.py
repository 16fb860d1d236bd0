"""The demo's items: which elements each picture has, and its bytes.

Three invented systems differ in a controlled way. Aurora draws nearly everything that belongs to
the scene, Basalt leaves some of it out and adds a stray thing or two, Cobalt gets much wrong. The
list of drawn elements is the list of predicted descriptors, so the metrics have something true to
find. Everything follows from the item's own name as a seed: same name, same bytes.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from random import Random

from PIL import Image

from demo.canvas import Canvas
from demo.elements import SCENES, Element
from demo.painting import PAINTERS
from demo.places import EVENING, MORNING
from demo.vocabulary import (
    INDOORS,
    INSTEAD,
    NEEDS,
    OUTDOOR_STRAYS,
    STRAYS,
    elements_of,
)

COUNTRIES = {"NP": "Nepal", "IR": "Iran"}
ACTIVITIES = {"wedding": "wedding", "tea": "tea break"}
# Right elements left out, and stray elements put in: (fewest, most).
SYSTEMS = {
    "aurora": ((0, 1), (0, 0)),
    "basalt": ((3, 4), (1, 2)),
    "cobalt": ((7, 8), (4, 5)),
}
REPLICATES = (1, 2)
PHOTOGRAPHS = {
    "np-wed-07": ("NP", "wedding", "flower.jpg", "Photograph of a flower; shows no wedding."),
    "ir-tea-07": ("IR", "tea", "china.jpg", "Photograph of a palace in China; shows no tea."),
}


@dataclass(frozen=True)
class DemoItem:
    """One picture of the demo. ``keys`` are its drawn elements; a photograph has none."""

    item_id: str
    country: str
    activity: str
    system: str
    replicate: int
    keys: tuple[str, ...]
    origin: str = "generated"
    note: str = ""

    @property
    def file(self) -> str:
        return f"{self.item_id}.{'webp' if self.origin == 'generated' else 'jpg'}"

    @property
    def drawn(self) -> list[Element]:
        known = elements_of(self.country, self.activity)
        return [known[key] for key in self.keys]

    @property
    def right_share(self) -> float:
        """Share of the scene's reference elements that the picture shows, 0 to 1."""
        right = [element for element in self.drawn if element.reference]
        return len(right) / len(SCENES[self.country, self.activity])

    @property
    def stray(self) -> list[Element]:
        return [element for element in self.drawn if element.reference is None]

    @property
    def stray_share(self) -> float:
        """Share of what the picture shows that does not belong; a photograph: all of it."""
        return len(self.stray) / len(self.drawn) if self.drawn else 1.0


def demo_items() -> list[DemoItem]:
    """All 26 items. Their numbers are shuffled, so that no name tells the system."""
    items = []
    for country, activity in SCENES:
        cells = [(system, replicate) for system in SYSTEMS for replicate in REPLICATES]
        Random(f"order {country} {activity}").shuffle(cells)
        for number, (system, replicate) in enumerate(cells, 1):
            item_id = f"{country.lower()}-{activity[:3]}-{number:02d}"
            keys = _plan(country, activity, system, replicate)
            items.append(DemoItem(item_id, country, activity, system, replicate, keys))
    for item_id, (country, activity, _file, note) in PHOTOGRAPHS.items():
        items.append(DemoItem(item_id, country, activity, "", 1, (), "real", note))
    return sorted(items, key=lambda item: item.item_id)


def _plan(country: str, activity: str, system: str, replicate: int) -> tuple[str, ...]:
    """The elements of one picture: what belongs and is drawn, what stands in, what strays in."""
    scene = country, activity
    rng = Random(f"plan {country} {activity} {system} {replicate}")
    (fewest, most), (fewest_strays, most_strays) = SYSTEMS[system]
    right = [element.key for element in SCENES[scene]]
    left_out = set(rng.sample(right, rng.randint(fewest, most)))
    left_out |= {key for key, needed in NEEDS[scene].items() if needed in left_out}
    stand_ins = [stand_in for key, stand_in in INSTEAD[scene].items() if key in left_out]
    barred = OUTDOOR_STRAYS if scene in INDOORS else set()
    choices = [[e.key for e in group if e.key not in barred] for group in STRAYS.values()]
    choices = [group for group in choices if group]
    count = min(rng.randint(fewest_strays, most_strays), len(choices))
    strays = [rng.choice(group) for group in rng.sample(choices, count)]
    return tuple([key for key in right if key not in left_out] + stand_ins + strays)


def draw_scene(item: DemoItem) -> Image.Image:
    """The drawing at its final size; every second replicate is mirrored and in evening light."""
    return _painted(item).finished()


def drawn_bytes(item: DemoItem) -> bytes:
    """The drawing as a WebP file."""
    return _painted(item).webp()


def _painted(item: DemoItem) -> Canvas:
    rng = Random(f"paint {item.country} {item.activity} {item.system} {item.replicate}")
    canvas = Canvas()
    light = MORNING if item.replicate == 1 else EVENING
    PAINTERS[item.country, item.activity](canvas, frozenset(item.keys), light, rng)
    if item.replicate == 2:
        canvas.mirror()
    return canvas


def photographs() -> dict[str, bytes]:
    """The two photographs that scikit-learn carries, as JPEG files by name."""
    from sklearn.datasets import load_sample_image  # only here: it is large

    files = {}
    for item_id, (_country, _activity, name, _note) in PHOTOGRAPHS.items():
        buffer = io.BytesIO()
        Image.fromarray(load_sample_image(name)).save(buffer, "JPEG", quality=88)
        files[f"{item_id}.jpg"] = buffer.getvalue()
    return files


def write_demo_media(folder: Path) -> list[Path]:
    """Draw all pictures into the folder and put the photographs beside them; their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {item.file: item for item in demo_items() if item.origin == "generated"}
    contents = {name: drawn_bytes(item) for name, item in files.items()} | photographs()
    for name, data in contents.items():
        (folder / name).write_bytes(data)
    return [folder / name for name in sorted(contents)]
