"""People of the demo's pictures: a head, a garment, two arms, and what they wear."""

from __future__ import annotations

from dataclasses import dataclass, replace

from demo.canvas import Canvas, darker, lighter

SKINS = ("#c98f66", "#b97b52", "#d9a57c", "#a86c47")
HAIR = "#33231f"


@dataclass(frozen=True)
class Look:
    """What one person wears. ``garment``: gown, trousers, coat or tunic."""

    garment: str
    colour: str
    lower: str = "#e9dcc3"
    trim: str | None = None
    head: str | None = None  # scarf, veil, cap, cowboy or None (hair only)
    head_colour: str = "#b33a3a"
    hair: str = "short"  # short, long or bun
    vest: str | None = None
    necklace: str | None = None
    tie: str | None = None
    mark: bool = False  # the red mark on the forehead
    glasses: bool = False
    skin: str = SKINS[0]

    def but(self, **changes) -> Look:
        return replace(self, **changes)


JEANS_AND_SHIRT = Look("trousers", "#58a5b8", lower="#3f5f8f", hair="long")


def standing(c: Canvas, x: float, y: float, h: float, look: Look, arms: str = "down") -> None:
    """A person of height ``h`` whose feet are at (x, y)."""
    c.shadow(x, y, h * 0.2, h * 0.035)
    hip, shoulder = y - h * 0.44, y - h * 0.74
    if look.garment in ("gown", "coat"):
        hem = y - h * (0.015 if look.garment == "gown" else 0.2)
        if look.garment == "coat":
            _legs(c, x, y, h, look.lower)
        spread = h * (0.2 if look.garment == "gown" else 0.15)
        c.blob(
            [
                (x - h * 0.1, shoulder),
                (x + h * 0.1, shoulder),
                (x + h * 0.115, hip),
                (x + spread, hem),
                (x, hem + h * 0.02),
                (x - spread, hem),
                (x - h * 0.115, hip),
            ],
            look.colour,
        )
        if look.trim:
            c.line([(x - spread * 0.94, hem - 3), (x + spread * 0.94, hem - 3)], 5, look.trim)
    else:
        _legs(c, x, y, h, look.lower)
        hem = hip + h * (0.14 if look.garment == "tunic" else 0.02)
        c.blob(
            [
                (x - h * 0.105, shoulder),
                (x + h * 0.105, shoulder),
                (x + h * 0.12, hip),
                (x + h * 0.135, hem),
                (x, hem + h * 0.01),
                (x - h * 0.135, hem),
                (x - h * 0.12, hip),
            ],
            look.colour,
        )
    _upper(c, x, shoulder, h, look, arms)


def seated(c: Canvas, x: float, y: float, h: float, look: Look, arms: str = "lap") -> None:
    """A person who sits cross-legged; (x, y) is the floor below, ``h`` the standing height."""
    c.shadow(x, y, h * 0.3, h * 0.04)
    shoulder = y - h * 0.42
    lap = look.colour if look.garment in ("gown", "coat") else look.lower
    c.blob(
        [
            (x - h * 0.11, y - h * 0.16),
            (x + h * 0.11, y - h * 0.16),
            (x + h * 0.29, y - h * 0.05),
            (x + h * 0.24, y + h * 0.005),
            (x - h * 0.24, y + h * 0.005),
            (x - h * 0.29, y - h * 0.05),
        ],
        darker(lap, 0.1),
    )
    c.blob(
        [
            (x - h * 0.105, shoulder),
            (x + h * 0.105, shoulder),
            (x + h * 0.13, y - h * 0.1),
            (x, y - h * 0.06),
            (x - h * 0.13, y - h * 0.1),
        ],
        look.colour,
    )
    if look.trim:
        c.curve((x - h * 0.2, y - h * 0.03), (x + h * 0.2, y - h * 0.03), 4, 5, look.trim)
    _upper(c, x, shoulder, h, look, arms)


def _legs(c: Canvas, x: float, y: float, h: float, colour: str) -> None:
    for side in (-1, 1):
        c.line(
            [(x + side * h * 0.055, y - h * 0.42), (x + side * h * 0.06, y - h * 0.03)],
            h * 0.095,
            colour,
        )
        c.ellipse(x + side * h * 0.07, y - h * 0.012, h * 0.055, h * 0.024, "#4a342c")


def _upper(c: Canvas, x: float, shoulder: float, h: float, look: Look, arms: str) -> None:
    head_y = shoulder - h * 0.135
    behind = {"veil": 0.34, "scarf": 0.1}.get(look.head or "")
    if behind is not None:
        _cloth_behind(c, x, head_y, h, look.head_colour, behind)
    elif look.hair == "long":
        c.blob(
            [
                (x - h * 0.1, head_y - h * 0.03),
                (x, head_y - h * 0.12),
                (x + h * 0.1, head_y - h * 0.03),
                (x + h * 0.1, head_y + h * 0.14),
                (x - h * 0.1, head_y + h * 0.14),
            ],
            HAIR,
        )
    elif look.hair == "bun":
        c.ellipse(x, head_y - h * 0.115, h * 0.045, h * 0.04, HAIR)
    if behind is not None or look.hair == "long":  # the shoulders come before what falls behind
        c.blob(
            [
                (x - h * 0.105, shoulder),
                (x + h * 0.105, shoulder),
                (x + h * 0.11, shoulder + h * 0.2),
                (x - h * 0.11, shoulder + h * 0.2),
            ],
            look.colour,
        )
    _front(c, x, shoulder, h, look)
    _arms(c, x, shoulder, h, look, arms)
    c.rect(
        x - h * 0.03,
        head_y + h * 0.06,
        x + h * 0.03,
        shoulder + h * 0.03,
        darker(look.skin, 0.1),
        h * 0.02,
    )
    _head(c, x, head_y, h, look)


def _cloth_behind(c: Canvas, x: float, y: float, h: float, colour: str, length: float) -> None:
    c.blob(
        [
            (x - h * 0.1, y - h * 0.05),
            (x, y - h * 0.125),
            (x + h * 0.1, y - h * 0.05),
            (x + h * 0.15, y + h * length),
            (x, y + h * (length + 0.04)),
            (x - h * 0.15, y + h * length),
        ],
        darker(colour, 0.1),
    )


def _front(c: Canvas, x: float, shoulder: float, h: float, look: Look) -> None:
    if look.vest:
        for side in (-1, 1):
            c.polygon(
                [
                    (x + side * h * 0.105, shoulder + h * 0.01),
                    (x + side * h * 0.035, shoulder),
                    (x + side * h * 0.02, shoulder + h * 0.29),
                    (x + side * h * 0.115, shoulder + h * 0.28),
                ],
                look.vest,
            )
    if look.tie:
        c.polygon(
            [(x - h * 0.04, shoulder), (x + h * 0.04, shoulder), (x, shoulder + h * 0.15)],
            "#f7f1e6",
        )
        c.polygon(
            [
                (x - h * 0.012, shoulder + h * 0.02),
                (x + h * 0.012, shoulder + h * 0.02),
                (x + h * 0.016, shoulder + h * 0.11),
                (x, shoulder + h * 0.14),
                (x - h * 0.016, shoulder + h * 0.11),
            ],
            look.tie,
        )
    if look.garment == "gown" and look.trim:
        c.line(
            [(x - h * 0.095, shoulder + h * 0.02), (x + h * 0.1, shoulder + h * 0.22)],
            h * 0.03,
            look.trim,
        )
    if look.garment == "coat":
        c.line([(x, shoulder + h * 0.02), (x, shoulder + h * 0.26)], 2, darker(look.colour, 0.25))
    if look.necklace:
        c.curve(
            (x - h * 0.06, shoulder), (x + h * 0.06, shoulder), h * 0.1, h * 0.022, look.necklace
        )


def _arms(c: Canvas, x: float, shoulder: float, h: float, look: Look, arms: str) -> None:
    """Shoulder, elbow, hand for both sides, in shares of the height from the shoulder's middle."""
    down = ((0.15, 0.16), (0.14, 0.3))
    poses = {
        "down": (down, down),
        "lap": (((0.16, 0.15), (0.05, 0.25)),) * 2,
        "greet": (((0.15, 0.15), (0.015, 0.09)),) * 2,
        "clap": (((0.16, 0.12), (0.04, 0.06)),) * 2,
        "raise": (((0.19, -0.06), (0.2, -0.24)),) * 2,
        "raise_left": (((0.17, -0.05), (0.26, -0.2)), down),
        "raise_right": (down, ((0.17, -0.05), (0.26, -0.2))),
        "reach_left": (((0.16, 0.1), (0.29, 0.1)), down),
        "reach_right": (down, ((0.16, 0.1), (0.29, 0.1))),
        "horn": (((0.15, 0.13), (0.05, 0.08)), ((0.2, 0.11), (0.2, 0.0))),
        "hold": (((0.16, 0.14), (0.07, 0.12)),) * 2,
    }
    sleeve = darker(look.colour, 0.1)
    for side, (elbow, hand) in zip((-1, 1), poses[arms], strict=True):
        points = [
            (x + side * h * 0.095, shoulder + h * 0.035),
            (x + side * h * elbow[0], shoulder + h * elbow[1]),
            (x + side * h * hand[0], shoulder + h * hand[1]),
        ]
        c.ellipse(*points[-1], h * 0.032, h * 0.032, look.skin)
        end = tuple(a + (b - a) * 0.86 for a, b in zip(points[1], points[2], strict=True))
        c.line([points[0], points[1], end], h * 0.058, sleeve)
        c.ellipse(*points[1], h * 0.029, h * 0.029, sleeve)


def _head(c: Canvas, x: float, y: float, h: float, look: Look) -> None:
    r = h * 0.088
    if look.head not in ("scarf", "veil"):
        c.ellipse(x, y - r * 0.12, r * 1.08, r * 1.08, HAIR)
        for side in (-1, 1):
            c.ellipse(x + side * r * 0.98, y + r * 0.2, r * 0.2, r * 0.26, darker(look.skin, 0.08))
    c.ellipse(x, y + r * 0.1, r * 0.95, r, look.skin)
    c.pie((x - r * 1.02, y - r * 1.16, x + r * 1.02, y + r * 0.5), 198, 342, HAIR)
    for side in (-1, 1):
        c.ellipse(x + side * r * 0.36, y + r * 0.16, r * 0.085, r * 0.11, "#2b1c1a")
        c.ellipse(x + side * r * 0.55, y + r * 0.48, r * 0.18, r * 0.12, "#d9795f")
    c.arc((x - r * 0.3, y + r * 0.22, x + r * 0.3, y + r * 0.66), 25, 155, "#7c352c", 2)
    if look.mark:
        c.ellipse(x, y - r * 0.18, r * 0.13, r * 0.17, "#c22f2f")
    if look.glasses:
        c.line([(x - r * 0.7, y + r * 0.12), (x + r * 0.7, y + r * 0.12)], 2, "#1d1d26")
        for side in (-1, 1):
            c.rect(
                x + side * r * 0.4 - r * 0.3,
                y - r * 0.02,
                x + side * r * 0.4 + r * 0.3,
                y + r * 0.36,
                "#1d1d26",
                r * 0.14,
            )
    _headwear(c, x, y, r, look)


def _headwear(c: Canvas, x: float, y: float, r: float, look: Look) -> None:
    colour = look.head_colour
    if look.head in ("scarf", "veil"):
        c.pie((x - r * 1.2, y - r * 1.35, x + r * 1.2, y + r * 1.1), 187, 353, colour)
        c.ellipse(x, y + r * 0.02, r * 0.72, r * 0.72, HAIR)
        c.ellipse(x, y + r * 0.24, r * 0.78, r * 0.82, look.skin)
        for side in (-1, 1):
            c.line(
                [(x + side * r * 1.02, y - r * 0.3), (x + side * r * 1.0, y + r * 0.7)],
                r * 0.36,
                colour,
            )
        if look.head == "scarf":
            c.arc((x - r * 1.15, y - r * 0.75, x + r * 1.15, y + r * 1.4), 20, 160, colour, r * 0.4)
        _features(c, x, y, r, look)
        if look.trim:
            c.arc((x - r * 1.05, y - r * 1.2, x + r * 1.05, y + r * 1.2), 200, 340, look.trim, 3)
    elif look.head == "cap":  # a soft cap, a little higher on one side
        c.polygon(
            [
                (x - r * 1.02, y - r * 0.42),
                (x - r * 0.82, y - r * 1.25),
                (x + r * 0.72, y - r * 1.5),
                (x + r * 1.02, y - r * 0.42),
            ],
            colour,
        )
        for i in range(4):
            c.ellipse(x - r * 0.6 + i * r * 0.4, y - r * 0.8, 2.2, 2.2, lighter(colour, 0.6))
    elif look.head == "cowboy":
        c.ellipse(x, y - r * 0.62, r * 1.8, r * 0.36, darker("#a9743f", 0.1))
        c.rect(x - r * 0.8, y - r * 1.75, x + r * 0.8, y - r * 0.6, "#a9743f", r * 0.45)
        c.rect(x - r * 0.8, y - r * 0.98, x + r * 0.8, y - r * 0.72, "#5b3a22")


def _features(c: Canvas, x: float, y: float, r: float, look: Look) -> None:
    """The face once more where a cloth was laid around it."""
    for side in (-1, 1):
        c.ellipse(x + side * r * 0.33, y + r * 0.18, r * 0.085, r * 0.11, "#2b1c1a")
        c.ellipse(x + side * r * 0.46, y + r * 0.5, r * 0.17, r * 0.12, "#d9795f")
    c.arc((x - r * 0.27, y + r * 0.28, x + r * 0.27, y + r * 0.68), 25, 155, "#7c352c", 2)
    if look.mark:
        c.ellipse(x, y - r * 0.2, r * 0.13, r * 0.17, "#c22f2f")
    if look.glasses:
        for side in (-1, 1):
            c.rect(
                x + side * r * 0.38 - r * 0.3,
                y,
                x + side * r * 0.38 + r * 0.3,
                y + r * 0.36,
                "#1d1d26",
                r * 0.14,
            )
