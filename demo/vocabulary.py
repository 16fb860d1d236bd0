"""What goes wrong in the demo's pictures: stand-ins, stray things, and what depends on what."""

from __future__ import annotations

from demo.elements import SCENES, Element

# What stands in where somebody has to wear something, or something has to be behind.
STAND_INS = (
    Element("jeans", "attire", "woman in jeans and a blue T-shirt"),
    Element("cowboy", "attire", "man in a cowboy hat and sunglasses"),
    Element("hall", "setting", "grey hall with plain office windows"),
    Element("apart", "layout", "two people sitting far apart from each other"),
)

# Where a stray thing may stand: sky, back, left, right or front.
STRAYS = {
    "sky": (
        Element("balloon", "objects", "hot-air balloon in the sky"),
        Element("mirror_ball", "objects", "glittering disco ball"),
        Element("lanterns", "objects", "string of red paper lanterns"),
    ),
    "back": (Element("skyscrapers", "setting", "glass skyscrapers of a city"),),
    "left": (
        Element("snowman", "objects", "snowman with a top hat"),
        Element("palm", "setting", "tropical palm tree"),
        Element("robot", "objects", "grey robot"),
        Element("parasol", "objects", "striped beach umbrella"),
    ),
    "right": (
        Element("surfboard", "objects", "blue surfboard"),
        Element("cactus", "objects", "cactus in a flower pot"),
        Element("traffic_light", "setting", "traffic light"),
    ),
    "front": (
        Element("pizza", "objects", "large pizza"),
        Element("penguin", "interaction", "penguin walking among the people"),
        Element("beach_ball", "objects", "beach ball on the ground"),
    ),
}

INDOORS = {("IR", "wedding")}
OUTDOOR_STRAYS = {"balloon", "skyscrapers"}

# Which stand-in appears when an element is left out, by scene.
INSTEAD = {
    ("NP", "wedding"): {"bride": "jeans", "groom": "cowboy", "together": "apart"},
    ("IR", "wedding"): {"bride": "jeans", "groom": "cowboy", "room": "hall", "together": "apart"},
    ("NP", "tea"): {"shawl": "jeans", "cap": "cowboy"},
    ("IR", "tea"): {"scarf": "jeans", "waistcoat": "cowboy"},
}

# What an element cannot be drawn without.
NEEDS = {
    ("NP", "wedding"): {"beads": "bride", "marks": "bride", "greeting": "both_sides"},
    ("IR", "wedding"): {"mirror": "spread", "almonds": "spread"},
    ("NP", "tea"): {"serving": "stove", "bread": "table"},
    ("IR", "tea"): {"pouring": "samovar"},
}

BY_KEY = {
    element.key: element
    for element in (*STAND_INS, *(stray for group in STRAYS.values() for stray in group))
}


def elements_of(country: str, activity: str) -> dict[str, Element]:
    """Every element that can be drawn in a scene, by key."""
    return BY_KEY | {element.key: element for element in SCENES[country, activity]}
