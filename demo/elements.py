"""The elements of the demo's pictures: one drawn thing, one descriptor.

An element that belongs to a scene has a reference wording and, worded as an extractor that only
sees the picture would word it, a predicted one. A stray element has only the latter. The five
dimensions are those of AHEaD: setting, objects, attire, interaction, layout.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Element:
    key: str
    dimension: str
    predicted: str
    reference: str | None = None  # None: it belongs to no scene of the demo
    style: str = ""  # traditional, modern or neutral; of reference elements only


def _right(key: str, dimension: str, style: str, reference: str, predicted: str) -> Element:
    return Element(key, dimension, predicted, reference, style)


NP_WEDDING = (
    _right(
        "mountains",
        "setting",
        "neutral",
        "snowy mountains behind green hills",
        "snow-capped mountains and hills in the background",
    ),
    _right(
        "house",
        "setting",
        "traditional",
        "brick house with carved wooden windows",
        "red brick house with wooden lattice windows",
    ),
    _right(
        "courtyard", "setting", "traditional", "courtyard paved with stone", "stone-paved courtyard"
    ),
    _right(
        "canopy",
        "objects",
        "traditional",
        "wedding canopy hung with marigold garlands",
        "canopy decorated with orange marigold garlands",
    ),
    _right(
        "fire",
        "objects",
        "traditional",
        "ceremonial fire in a brick hearth",
        "small fire burning in a square brick hearth",
    ),
    _right("lamp", "objects", "traditional", "tall brass oil lamp", "brass oil lamp with a flame"),
    _right(
        "jar",
        "objects",
        "traditional",
        "copper water jar with leaves",
        "copper jar filled with green leaves",
    ),
    _right("fruit", "objects", "traditional", "plates of fruit as offerings", "plate of fruit"),
    _right(
        "bride",
        "attire",
        "traditional",
        "bride in a red sari with a veil and gold border",
        "woman in a red sari with gold trim and a red veil",
    ),
    _right(
        "groom",
        "attire",
        "traditional",
        "groom in a long pale tunic, waistcoat and patterned cap",
        "man in a light long tunic with a waistcoat and a patterned cap",
    ),
    _right(
        "beads", "attire", "traditional", "necklace of green glass beads", "green bead necklace"
    ),
    _right("marks", "attire", "traditional", "red mark on the forehead", "red dot on the forehead"),
    _right(
        "music",
        "interaction",
        "traditional",
        "musicians play a drum and a long horn",
        "musicians playing a drum and a curved horn",
    ),
    _right(
        "greeting",
        "interaction",
        "traditional",
        "guests greet with palms joined",
        "guests with their palms pressed together in greeting",
    ),
    _right(
        "together",
        "layout",
        "traditional",
        "bride and groom sit side by side in the centre",
        "couple sitting side by side in the middle",
    ),
    _right(
        "both_sides",
        "layout",
        "traditional",
        "guests stand on both sides of the couple",
        "guests standing to the left and right of the couple",
    ),
)

IR_WEDDING = (
    _right(
        "room",
        "setting",
        "traditional",
        "room with arched windows onto a garden",
        "room with pointed arch windows and a garden outside",
    ),
    _right(
        "carpet",
        "setting",
        "traditional",
        "patterned carpet on the floor",
        "red and blue patterned carpet on the floor",
    ),
    _right(
        "mirror",
        "objects",
        "traditional",
        "mirror with two candlesticks",
        "mirror between two lit candlesticks",
    ),
    _right(
        "almonds",
        "objects",
        "traditional",
        "bowls of sugared almonds",
        "blue bowls of sugared almonds",
    ),
    _right(
        "fruit",
        "objects",
        "traditional",
        "plate of pomegranates and fruit",
        "plate of pomegranates and other fruit",
    ),
    _right("roses", "objects", "traditional", "vases of roses", "vases with pink roses"),
    _right(
        "bride",
        "attire",
        "traditional",
        "bride in a white dress with a white veil",
        "woman in a white gown and white veil",
    ),
    _right(
        "groom",
        "attire",
        "traditional",
        "groom in a dark suit and tie",
        "man in a dark suit with a tie",
    ),
    _right(
        "scarves",
        "attire",
        "neutral",
        "women guests in headscarves and long coats",
        "women wearing headscarves and long coats",
    ),
    _right(
        "held_cloth",
        "interaction",
        "traditional",
        "women hold a cloth over the couple's heads",
        "two women holding a cloth above the couple's heads",
    ),
    _right(
        "clapping",
        "interaction",
        "traditional",
        "guests clap for the couple",
        "guests clapping their hands",
    ),
    _right(
        "spread",
        "layout",
        "traditional",
        "wedding cloth spread on the floor in front of the couple",
        "white cloth spread on the floor before the couple",
    ),
    _right(
        "together",
        "layout",
        "traditional",
        "bride and groom sit side by side in the centre",
        "couple sitting side by side in the middle",
    ),
)

NP_TEA = (
    _right(
        "terraces",
        "setting",
        "neutral",
        "terraced fields on green hills",
        "green hills with terraced fields",
    ),
    _right(
        "shop",
        "setting",
        "neutral",
        "small tea shop with a sheet-metal roof",
        "wooden tea stall with a metal roof",
    ),
    _right(
        "tree",
        "setting",
        "neutral",
        "broad tree beside the tea shop",
        "large leafy tree next to the stall",
    ),
    _right(
        "stove", "objects", "traditional", "kettle on a clay stove", "metal kettle on a clay stove"
    ),
    _right(
        "glasses",
        "objects",
        "neutral",
        "glasses of steaming milk tea",
        "steaming glasses of milky tea",
    ),
    _right(
        "bread",
        "objects",
        "traditional",
        "plate of ring-shaped rice bread",
        "plate of ring-shaped bread",
    ),
    _right(
        "mats",
        "objects",
        "traditional",
        "round straw mats to sit on",
        "round woven straw mats on the ground",
    ),
    _right(
        "cap",
        "attire",
        "traditional",
        "man in a patterned cap and waistcoat",
        "man wearing a patterned cap and a waistcoat",
    ),
    _right(
        "shawl",
        "attire",
        "neutral",
        "woman in a long cotton dress with a shawl",
        "woman in a long dress and a shawl",
    ),
    _right(
        "serving",
        "interaction",
        "neutral",
        "shopkeeper makes tea at the stove",
        "woman making tea at a stove",
    ),
    _right(
        "holding",
        "interaction",
        "neutral",
        "neighbours talk and hold their glasses",
        "people talking while holding glasses",
    ),
    _right(
        "table",
        "layout",
        "neutral",
        "people sit around a low table",
        "people sitting around a low wooden table",
    ),
)

IR_TEA = (
    _right(
        "niches",
        "setting",
        "traditional",
        "garden wall with pointed niches",
        "garden wall with pointed arch niches",
    ),
    _right(
        "cypress", "setting", "traditional", "cypress trees in the garden", "tall cypress trees"
    ),
    _right(
        "pool",
        "setting",
        "traditional",
        "blue-tiled pool with a fountain",
        "blue pool with a small fountain",
    ),
    _right(
        "samovar",
        "objects",
        "traditional",
        "samovar with a teapot on top",
        "brass samovar with a teapot on it",
    ),
    _right(
        "glasses",
        "objects",
        "traditional",
        "slim glasses of black tea on saucers",
        "small glasses of dark tea on saucers",
    ),
    _right("sugar", "objects", "neutral", "bowl of sugar cubes", "blue bowl with sugar cubes"),
    _right("dates", "objects", "neutral", "plate of dates", "plate with dates"),
    _right(
        "scarf",
        "attire",
        "neutral",
        "woman in a headscarf and a long coat",
        "woman wearing a headscarf and a long coat",
    ),
    _right(
        "waistcoat",
        "attire",
        "neutral",
        "man in a white shirt and a waistcoat",
        "man wearing a white shirt and a dark waistcoat",
    ),
    _right(
        "pouring",
        "interaction",
        "traditional",
        "host serves tea from the samovar",
        "woman serving tea from a samovar",
    ),
    _right(
        "carpet",
        "layout",
        "traditional",
        "carpet spread over a wooden platform",
        "patterned carpet on a wooden platform",
    ),
    _right(
        "half_circle",
        "layout",
        "neutral",
        "guests sit in a half-circle around the tea",
        "guests sitting in a half-circle around the tea",
    ),
)

SCENES = {
    ("NP", "wedding"): NP_WEDDING,
    ("NP", "tea"): NP_TEA,
    ("IR", "wedding"): IR_WEDDING,
    ("IR", "tea"): IR_TEA,
}
