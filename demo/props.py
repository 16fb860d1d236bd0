"""Things that belong to the demo's weddings and teas."""

from __future__ import annotations

import math

from demo.canvas import Canvas, darker, hanging, lighter

BRASS, COPPER = "#d9a441", "#c0714a"


def garland(c: Canvas, points: list[tuple[float, float]], size: float = 8) -> None:
    for i, (x, y) in enumerate(points):
        c.ellipse(x, y, size, size, ("#e8962e", "#f2b23a", "#d9702a")[i % 3])
        c.ellipse(x, y, size * 0.4, size * 0.4, "#f9d27a")


def flower_canopy(c: Canvas, x: float, floor: float) -> None:
    """Four poles with a cloth on top and marigold cords between them."""
    for side, depth in ((-1, 0), (1, 0)):
        c.rect(x + side * 190 - 7, 250 + depth, x + side * 190 + 7, floor, "#8a5a3d", 4)
    c.blob(
        [(x - 216, 262), (x, 196), (x + 216, 262), (x + 200, 282), (x, 262), (x - 200, 282)],
        "#c8402f",
    )
    c.curve((x - 214, 266), (x + 214, 266), -16, 6, "#e8b84a")
    for a, b, sag in ((-190, -63, 48), (-63, 63, 52), (63, 190, 48)):
        garland(c, hanging((x + a, 276), (x + b, 276), sag, 13))
    for side in (-1, 1):
        garland(c, [(x + side * 190 + 9 * math.sin(i), 282 + i * 16) for i in range(12)], 7)


def oil_lamp(c: Canvas, x: float, y: float, h: float = 120) -> None:
    """A tall brass lamp with a flame."""
    c.shadow(x, y, 30, 7)
    c.ellipse(x, y - 5, 28, 9, darker(BRASS, 0.1))
    c.rect(x - 5, y - h, x + 5, y - 6, BRASS, 3)
    for share in (0.3, 0.62):
        c.ellipse(x, y - h * share, 11, 7, lighter(BRASS))
    c.pie((x - 30, y - h - 22, x + 30, y - h + 14), 0, 180, BRASS)
    c.glow(x, y - h - 18, 46, "#ffe9a8", 0.7)
    flame(c, x, y - h - 4, 20)


def flame(c: Canvas, x: float, y: float, h: float) -> None:
    for share, colour in ((1.0, "#e8762e"), (0.66, "#f6b53c"), (0.36, "#fff0b0")):
        c.blob(
            [
                (x, y - h * share * 1.25),
                (x + h * 0.34 * share, y - h * 0.4 * share),
                (x, y),
                (x - h * 0.34 * share, y - h * 0.4 * share),
            ],
            colour,
        )


def fire(c: Canvas, x: float, y: float) -> None:
    """A small ceremonial fire in a square brick hearth."""
    c.shadow(x, y + 4, 84, 14)
    c.polygon([(x - 56, y - 40), (x + 56, y - 40), (x + 74, y - 18), (x - 74, y - 18)], "#4a2f2a")
    c.glow(x, y - 52, 110, "#ffd08a", 0.7)
    for dx, h in ((-24, 46), (22, 52), (0, 82)):
        flame(c, x + dx, y - 24, h)
    c.rect(x - 76, y - 22, x + 76, y + 6, "#b5694c", 3)
    for i in range(4):
        c.rect(x - 70 + i * 37, y - 17, x - 42 + i * 37, y - 5, "#c98163", 2)
        c.ellipse(x - 56 + i * 37, y - 22, 6, 6, "#f2b23a")


def water_jar(c: Canvas, x: float, y: float) -> None:
    c.shadow(x, y, 30, 6)
    c.ellipse(x, y - 26, 30, 27, COPPER)
    c.ellipse(x - 9, y - 34, 9, 12, lighter(COPPER, 0.4))
    c.rect(x - 11, y - 66, x + 11, y - 44, darker(COPPER, 0.1), 3)
    c.ellipse(x, y - 68, 20, 6, COPPER)
    for dx in (-12, 0, 12):
        c.blob(
            [
                (x + dx * 0.4, y - 68),
                (x + dx * 1.6 + 6, y - 92),
                (x + dx * 1.7, y - 104),
                (x + dx * 1.6 - 6, y - 92),
            ],
            "#6b9c5a",
        )


def fruit_plate(c: Canvas, x: float, y: float, colours: tuple[str, ...]) -> None:
    c.shadow(x, y, 56, 9)
    for row, count in enumerate((4, 3, 1)):
        for i in range(count):
            fx = x + (i - (count - 1) / 2) * 24
            colour = colours[(i + row) % len(colours)]
            c.ellipse(fx, y - 22 - row * 17, 13, 13, colour)
            c.ellipse(fx - 4, y - 26 - row * 17, 4, 4, lighter(colour, 0.45))
    c.pie((x - 56, y - 30, x + 56, y + 2), 0, 180, "#e9dcc3")
    c.rect(x - 58, y - 17, x + 58, y - 12, "#fbf3e2", 3)


def drum(c: Canvas, x: float, y: float) -> None:
    c.rect(x - 34, y - 22, x + 34, y + 22, "#a5502f", 8)
    for k in range(-2, 3):
        c.line([(x + k * 14 - 8, y - 20), (x + k * 14 + 8, y + 20)], 2, "#e9d3a8")
    for side in (-1, 1):
        c.ellipse(x + side * 34, y, 9, 23, "#f0e2c4")


def long_horn(c: Canvas, x: float, y: float) -> None:
    """A horn in the form of a C that begins at the player's mouth (x, y) and rises."""
    turns = [math.radians(140 - i * 225 / 16) for i in range(17)]
    points = [(x + 48 + 62 * math.cos(t), y - 40 + 62 * math.sin(t)) for t in turns]
    for i in range(16):
        c.line(points[i : i + 2], 5 + i * 0.8, BRASS)
    c.ellipse(*points[-1], 17, 20, lighter(BRASS))
    c.ellipse(points[-1][0] - 2, points[-1][1], 10, 13, darker(BRASS, 0.4))


def carpet(c: Canvas, x: float, y: float, w: float, h: float, medallion: bool = True) -> None:
    """A patterned carpet in perspective; (x, y) is the middle of its far edge."""

    def strip(inset: float, colour: str) -> None:
        a, b = y + inset * 0.5, y + h - inset * 0.5
        k = w / 2 - inset
        c.polygon([(x - k * 0.82, a), (x + k * 0.82, a), (x + k, b), (x - k, b)], colour)

    for inset, colour in ((0, "#e9d3a8"), (7, "#8f2f35"), (26, "#24466b"), (40, "#b0423f")):
        strip(inset, colour)
    for i in range(-6, 7):
        c.ellipse(x + i * w * 0.066, y + 13, 4, 2.5, "#e9c46a")
        c.ellipse(x + i * w * 0.074, y + h - 11, 5, 3.5, "#e9c46a")
    if not medallion:
        return
    mid = y + h / 2
    for rx, colour in ((0.2, "#24466b"), (0.15, "#e9c46a"), (0.11, "#8f2f35")):
        c.polygon(
            [
                (x - w * rx, mid),
                (x, mid - h * rx * 1.5),
                (x + w * rx, mid),
                (x, mid + h * rx * 1.5),
            ],
            colour,
        )


def spread(c: Canvas, x: float, y: float) -> None:
    """The wedding cloth on the floor."""
    c.polygon(
        [(x - 220, y - 70), (x + 220, y - 70), (x + 270, y + 24), (x - 270, y + 24)], "#f8efe0"
    )
    for i in range(14):
        c.ellipse(x - 260 + i * 40, y + 24, 20, 7, "#f8efe0")
    c.curve((x - 256, y + 12), (x + 256, y + 12), 3, 4, BRASS)


def mirror_and_candles(c: Canvas, x: float, y: float) -> None:
    c.rect(x - 20, y - 14, x + 20, y, darker(BRASS, 0.1), 4)
    c.ellipse(x, y - 66, 46, 58, BRASS)
    c.ellipse(x, y - 66, 36, 48, "#c6dde3")
    c.polygon([(x - 22, y - 52), (x + 8, y - 104), (x + 18, y - 98), (x - 12, y - 44)], "#e6f1f3")
    for side in (-1, 1):
        cx = x + side * 82
        c.ellipse(cx, y - 3, 18, 6, BRASS)
        c.rect(cx - 4, y - 50, cx + 4, y - 4, BRASS, 2)
        c.rect(cx - 6, y - 84, cx + 6, y - 48, "#fbf3e2", 2)
        c.glow(cx, y - 94, 32, "#ffe9a8", 0.7)
        flame(c, cx, y - 83, 15)


def almond_bowls(c: Canvas, x: float, y: float) -> None:
    for dx, colours in ((-44, ("#f6efe2", "#e7b9b4")), (44, ("#e9c46a", "#b9d3c0"))):
        for i in range(9):
            c.ellipse(x + dx - 18 + (i % 5) * 9, y - 20 - (i // 5) * 7, 6, 4, colours[i % 2])
        c.pie((x + dx - 32, y - 38, x + dx + 32, y), 0, 180, "#4f8fa0")


def roses(c: Canvas, x: float, y: float, colour: str = "#d9667a") -> None:
    c.polygon([(x - 14, y - 44), (x + 14, y - 44), (x + 9, y), (x - 9, y)], "#4f8fa0")
    for dx, dy in ((-26, 62), (26, 62), (-12, 80), (14, 82), (0, 60)):
        c.line([(x, y - 42), (x + dx, y - dy)], 3, "#5f8f5a")
    for dx, dy in ((-26, 62), (26, 62), (-12, 82), (14, 84), (0, 62)):
        c.ellipse(x + dx, y - dy, 15, 14, colour)
        c.ellipse(x + dx + 2, y - dy - 2, 7, 6, lighter(colour, 0.4))


def held_cloth(c: Canvas, x0: float, x1: float, y: float) -> None:
    """A cloth that two people hold over the couple."""
    c.blob(
        [(x0, y), (x1, y), (x1 - 14, y + 20), ((x0 + x1) / 2, y + 44), (x0 + 14, y + 20)], "#f3e3ea"
    )
    c.curve((x0 + 8, y + 14), (x1 - 8, y + 14), 25, 5, "#d9a0b5")


def steam(c: Canvas, x: float, y: float, h: float = 30) -> None:
    for dx in (-5, 5):
        c.line([(x + dx + 4 * math.sin(t * 0.9), y - t * h / 8) for t in range(9)], 2.5, "#fbf6ec")


def tea_glasses(
    c: Canvas, spots: list[tuple[float, float]], tea: str, saucer: bool, steaming: bool = True
) -> None:
    for x, y in spots:
        if steaming:
            steam(c, x, y - 30)
        if saucer:
            c.ellipse(x, y - 2, 20, 6, "#fbf3e2")
            c.blob(
                [
                    (x - 10, y - 28),
                    (x + 10, y - 28),
                    (x + 6, y - 16),
                    (x + 10, y - 4),
                    (x - 10, y - 4),
                    (x - 6, y - 16),
                ],
                tea,
            )
        else:
            c.polygon([(x - 11, y - 28), (x + 11, y - 28), (x + 8, y), (x - 8, y)], tea)
        c.ellipse(x, y - 28, 11, 3.5, lighter(tea, 0.4))


def kettle_on_stove(c: Canvas, x: float, y: float) -> None:
    c.shadow(x, y, 76, 12)
    c.blob([(x - 58, y - 74), (x + 58, y - 74), (x + 76, y), (x - 76, y)], "#b07a55")
    c.arch(x - 24, y - 52, x + 24, y - 2, "#3a2420")
    flame(c, x - 8, y - 4, 26)
    flame(c, x + 9, y - 4, 20)
    c.ellipse(x, y - 106, 46, 38, "#8c97a0")
    c.ellipse(x - 15, y - 116, 12, 15, "#b9c3ca")
    c.line([(x + 38, y - 112), (x + 62, y - 132)], 11, "#8c97a0")
    c.arc((x - 30, y - 176, x + 30, y - 112), 180, 360, "#55606a", 6)
    c.ellipse(x, y - 142, 18, 6, "#6f7a83")
    steam(c, x + 68, y - 138, 46)


def ring_bread(c: Canvas, x: float, y: float) -> None:
    c.shadow(x, y, 44, 7)
    c.ellipse(x, y - 5, 46, 9, "#dfe3e4")
    for i, dx in enumerate((-17, 17, 0)):
        cy = y - 16 - (i == 2) * 14
        c.ellipse(x + dx, cy, 22, 11, "#c98a4b")
        c.ellipse(x + dx, cy - 1, 10, 4, "#8f5a30")


def low_table(c: Canvas, x: float, y: float, w: float) -> None:
    c.shadow(x, y + 36, w * 0.55, 12)
    for side in (-1, 1):
        c.rect(x + side * w * 0.42 - 6, y, x + side * w * 0.42 + 6, y + 36, "#6b452f", 3)
    c.rect(x - w / 2, y - 8, x + w / 2, y + 8, "#96653f", 5)
    c.rect(x - w / 2, y - 8, x + w / 2, y - 3, "#b07c50", 3)


def straw_mats(c: Canvas, spots: list[tuple[float, float]]) -> None:
    for x, y in spots:
        for r, colour in ((1.0, "#c9a45f"), (0.8, "#dcbc7c"), (0.55, "#c9a45f")):
            c.ellipse(x, y, 96 * r, 17 * r, colour)


def samovar(c: Canvas, x: float, y: float) -> None:
    c.shadow(x, y, 46, 9)
    c.rect(x - 32, y - 14, x + 32, y, darker(BRASS, 0.15), 4)
    c.rect(x - 12, y - 32, x + 12, y - 12, BRASS, 2)
    c.blob(
        [
            (x - 34, y - 126),
            (x + 34, y - 126),
            (x + 42, y - 84),
            (x + 18, y - 30),
            (x - 18, y - 30),
            (x - 42, y - 84),
        ],
        BRASS,
    )
    c.blob(
        [(x - 26, y - 120), (x - 14, y - 120), (x - 20, y - 60), (x - 32, y - 84)],
        lighter(BRASS, 0.45),
    )
    for side in (-1, 1):
        c.arc((x + side * 44 - 13, y - 114, x + side * 44 + 13, y - 78), 0, 360, "#8a5f2a", 5)
    c.line([(x, y - 52), (x + 2, y - 40)], 7, "#8a5f2a")
    c.rect(x - 22, y - 142, x + 22, y - 124, darker(BRASS, 0.1), 4)
    c.ellipse(x, y - 164, 26, 22, "#f6ecdc")
    c.line([(x + 20, y - 162), (x + 40, y - 176)], 8, "#f6ecdc")
    c.ellipse(x, y - 166, 9, 8, "#d9667a")
    c.ellipse(x, y - 187, 6, 5, "#f6ecdc")
    steam(c, x + 44, y - 182, 34)


def sugar_and_dates(c: Canvas, x: float, y: float, sugar: bool, dates: bool) -> None:
    if sugar:
        for i in range(7):
            sx, sy = x - 62 + (i % 4) * 13, y - 24 - (i // 4) * 11
            c.rect(sx, sy, sx + 11, sy + 11, ("#fffaf0", "#efe6d6")[i % 2], 2)
        c.pie((x - 70, y - 30, x - 6, y + 2), 0, 180, "#4f8fa0")
    if dates:
        for i in range(9):
            c.ellipse(
                x + 26 + (i % 5) * 11, y - 14 - (i // 5) * 8, 8, 5, ("#5b3322", "#74452c")[i % 2]
            )
        c.ellipse(x + 48, y - 4, 42, 8, "#fbf3e2")


def wooden_platform(c: Canvas, x: float, y: float, w: float) -> None:
    """A low wooden bed for sitting, with a railing behind; y is the far edge of its top."""
    c.shadow(x, y + 190, w * 0.54, 20)
    for i in range(11):
        px = x - w * 0.44 + i * w * 0.088
        c.rect(px - 5, y - 66, px + 5, y + 6, "#8a5a3d", 3)
    c.rect(x - w * 0.46, y - 74, x + w * 0.46, y - 60, "#9c6a47", 5)
    c.polygon(
        [(x - w * 0.46, y), (x + w * 0.46, y), (x + w * 0.53, y + 150), (x - w * 0.53, y + 150)],
        "#a9754e",
    )
    c.rect(x - w * 0.53, y + 148, x + w * 0.53, y + 172, "#8a5a3d", 4)
    for side in (-1, 1):
        c.rect(x + side * w * 0.49 - 12, y + 170, x + side * w * 0.49 + 12, y + 204, "#75492f", 4)


def pool(c: Canvas, x: float, y: float) -> None:
    """A blue-tiled basin with a small fountain."""
    c.ellipse(x, y, 150, 38, "#e6d3b0")
    c.ellipse(x, y - 3, 134, 31, "#2f7f8f")
    c.ellipse(x, y, 124, 26, "#6fbcc6")
    for dx in (-70, 30, 60):
        c.line([(x + dx - 18, y + 6), (x + dx + 18, y + 6)], 2.5, "#b8e0e3")
    for sweep in (-1, 1):
        c.curve((x, y - 58), (x + sweep * 34, y - 4), -24, 3, "#dff1f2")
    c.line([(x, y - 2), (x, y - 60)], 4, "#dff1f2")
