"""Backdrops of the demo's pictures: skies, hills, houses, rooms and gardens."""

from __future__ import annotations

import math
from dataclasses import dataclass

from demo.canvas import HEIGHT, WIDTH, Canvas, darker, lighter, mix


@dataclass(frozen=True)
class Light:
    """The hour of the day."""

    sky_top: str
    sky_low: str
    sun: str
    haze: str  # far things take on this colour
    sun_at: tuple[int, int]


MORNING = Light("#8fc1d9", "#f6e7c8", "#fff3c9", "#bcd3dc", (800, 120))
EVENING = Light("#7e8fc0", "#f7c9a0", "#ffd98a", "#d9b3b5", (250, 170))


def sky(c: Canvas, light: Light, horizon: float = 545) -> None:
    c.gradient(light.sky_top, light.sky_low, 0, horizon)
    x, y = light.sun_at
    c.glow(x, y, 150, light.sun)
    c.ellipse(x, y, 38, 38, lighter(light.sun, 0.2))
    for cx, cy, size in ((140, 95, 1.0), (560, 70, 0.8), (930, 235, 0.7)):
        cloud = mix(light.sky_low, "#ffffff", 0.55)
        for dx, dy, r in ((-46, 4, 20), (-18, -8, 28), (18, -4, 24), (46, 6, 16)):
            c.ellipse(cx + dx * size, cy + dy * size, r * size * 1.25, r * size * 0.8, cloud)


def ridge(
    c: Canvas, base: float, height: float, waves: float, shift: float, colour: str, low: float = 560
) -> None:
    """A soft line of hills down to ``low``."""
    points = [
        (
            x,
            base
            - height * (0.55 + 0.45 * math.sin(x / WIDTH * waves * 6.283 + shift))
            - height * 0.2 * math.sin(x / WIDTH * waves * 14 + shift * 2),
        )
        for x in range(0, WIDTH + 16, 16)
    ]
    c.polygon([(0, low), *points, (WIDTH, low)], colour)


def snow_mountains(c: Canvas, light: Light) -> None:
    peaks = ((60, 250, 190), (250, 165, 240), (470, 215, 220), (680, 135, 270), (900, 205, 230))
    for x, top, half in peaks:
        rock = mix("#6f86a8", light.haze, 0.35)
        c.polygon([(x - half, 470), (x, top), (x + half, 470)], rock)
        c.polygon([(x, top), (x + half, 470), (x + half * 0.15, 470)], darker(rock, 0.12))
        drop = 90
        side = half * drop / (470 - top)
        c.polygon(
            [
                (x, top),
                (x + side, top + drop),
                (x + side * 0.5, top + drop * 0.72),
                (x + side * 0.1, top + drop * 1.1),
                (x - side * 0.35, top + drop * 0.7),
                (x - side, top + drop),
            ],
            mix("#ffffff", light.haze, 0.12),
        )


def green_hills(c: Canvas, light: Light) -> None:
    ridge(c, 450, 70, 1.3, 0.6, mix("#7fa98a", light.haze, 0.45))
    ridge(c, 500, 60, 1.7, 2.4, mix("#6b9c6a", light.haze, 0.2))


def terraces(c: Canvas, light: Light) -> None:
    """Fields in steps on a slope at the right."""
    for i in range(7):
        y = 335 + i * 30
        colour = mix(("#8fb765", "#76a457")[i % 2], light.haze, 0.18 - i * 0.02)
        c.blob(
            [
                (560 - i * 16, y + 12),
                (760, y - 22),
                (1060, y - 34),
                (1080, y + 60),
                (700, y + 66),
                (520 - i * 20, y + 46),
            ],
            colour,
        )
        c.curve((566 - i * 16, y + 12), (1040, y - 30), 6, 2.5, darker(colour, 0.2))


def bare_plain(c: Canvas, light: Light) -> None:
    """What is behind when neither hills nor houses are drawn."""
    ridge(c, 520, 18, 0.8, 1.0, mix("#c9b58a", light.haze, 0.3))


def ground(c: Canvas, colour: str, y: float = 520) -> None:
    c.gradient(lighter(colour, 0.18), darker(colour, 0.1), y, HEIGHT)


def paving(c: Canvas) -> None:
    """Rows of wide stones."""
    ground(c, "#c9a98a")
    for row, y in enumerate((520, 548, 586, 634, 694, 768)):
        c.line([(0, y), (WIDTH, y)], 2, "#b6937a")
        step = 70 + row * 22
        for x in range(-(row % 2) * step // 2, WIDTH, step):
            c.line([(x, y), (x - (512 - x) * 0.06, y + 26 + row * 9)], 2, "#b6937a")


def grass(c: Canvas) -> None:
    ground(c, "#93b56c")
    for i in range(70):
        x, y = (i * 149) % WIDTH, 545 + (i * 83) % 215
        c.line([(x, y), (x - 4, y - 9)], 2, "#7c9f58")
        c.line([(x + 3, y), (x + 6, y - 8)], 2, "#7c9f58")


def brick_house(c: Canvas, x: float, width: float) -> None:
    """A brick house of two floors with carved windows and a tiled roof; stands on y = 530."""
    top, brick, wood = 232, "#b5694c", "#5e3a2a"
    c.rect(x, top, x + width, 532, brick)
    for row in range(17):
        y = top + 10 + row * 17
        for i in range(int(width // 34)):
            bx = x + 8 + i * 34 + (row % 2) * 14
            if (i * 7 + row * 5) % 4 == 0:
                c.rect(bx, y, bx + 20, y + 8, darker(brick, 0.1), 2)
    c.rect(x, 374, x + width, 386, wood)
    for wy in (282, 408):
        for i in range(2):
            wx = x + width * (0.27 + 0.46 * i)
            c.rect(wx - 38, wy - 12, wx + 38, wy - 2, wood, 3)
            c.rect(wx - 30, wy - 4, wx + 30, wy + 72, wood, 4)
            c.rect(wx - 21, wy + 4, wx + 21, wy + 64, "#2f2230", 3)
            for k in range(-2, 3):
                c.line([(wx + k * 10 - 12, wy + 6), (wx + k * 10 + 12, wy + 62)], 2, "#8a5a3d")
                c.line([(wx + k * 10 + 12, wy + 6), (wx + k * 10 - 12, wy + 62)], 2, "#8a5a3d")
            c.rect(wx - 36, wy + 70, wx + 36, wy + 78, wood, 3)
    c.polygon(
        [
            (x - 34, top + 8),
            (x + 20, top - 68),
            (x + width - 20, top - 68),
            (x + width + 34, top + 8),
        ],
        "#8f4f3f",
    )
    for i in range(4):
        y = top - 58 + i * 18
        c.line([(x + 12 - i * 12, y), (x + width - 12 + i * 12, y)], 3, "#7b4136")
    c.rect(x - 34, top + 4, x + width + 34, top + 14, wood, 4)


def tea_shop(c: Canvas, x: float) -> None:
    """A wooden stall with a sheet-metal roof; its counter stands on y = 560."""
    c.rect(x + 14, 320, x + 300, 560, "#8a6a50")
    c.rect(x + 26, 330, x + 288, 470, "#4a362f")
    for i in range(2):
        y = 372 + i * 46
        c.rect(x + 34, y, x + 280, y + 6, "#9c7a5a")
        for k in range(8):
            jar = ("#c75b4a", "#d9a441", "#6f9a76", "#d8c7a3")[(k + i) % 4]
            c.rect(x + 44 + k * 29, y - 25, x + 64 + k * 29, y, jar, 5)
            c.rect(x + 47 + k * 29, y - 30, x + 61 + k * 29, y - 24, "#efe4d0", 2)
    c.rect(x, 462, x + 314, 480, "#a9835f", 4)
    for k in range(6):
        c.rect(x + 20 + k * 47, 480, x + 62 + k * 47, 560, ("#3f7f86", "#478c93")[k % 2])
    c.polygon([(x - 30, 334), (x + 10, 262), (x + 316, 262), (x + 346, 334)], "#8fa3ad")
    for k in range(15):
        c.line([(x + 20 + k * 20, 264), (x - 12 + k * 24.5, 332)], 3, "#778c97")


def painted_room(c: Canvas, light: Light) -> None:
    """A warm wall with three pointed windows onto a garden, and a band of blue tiles."""
    c.gradient("#f1dfc0", "#e5c9a1", 0, 540)
    for x in (110, 407, 704):
        c.arch(x - 14, 66, x + 224, 456, "#fbf3e2")
        c.arch(x, 84, x + 210, 446, mix(light.sky_top, light.sky_low, 0.55))
        c.ellipse(x + 105, 452, 104, 74, mix("#a9c08a", light.haze, 0.35))
        for dx, h in ((52, 190), (158, 160)):
            cypress(c, x + dx, 446, h)
        c.ellipse(x + 105, 468, 105, 44, "#8fb07a")
        c.rect(x - 4, 446, x + 214, 520, "#e7cca5")
        c.rect(x - 18, 444, x + 228, 456, "#fbf3e2", 3)
    _tile_band(c, 486, 540)


def _tile_band(c: Canvas, y0: float, y1: float) -> None:
    c.rect(0, y0, WIDTH, y1, "#2f6f8f")
    half = (y1 - y0) / 2
    for i in range(-1, WIDTH // 54 + 2):
        x = i * 54 + 27
        c.polygon([(x, y0 + 6), (x + 22, y0 + half), (x, y1 - 6), (x - 22, y0 + half)], "#7fc0c4")
        c.ellipse(x, y0 + half, 7, 7, "#f3d9a0")
    for y in (y0, y1):
        c.rect(0, y - 4, WIDTH, y + 2, "#f3d9a0")


def plain_hall(c: Canvas) -> None:
    """A grey room without anything of a place."""
    c.gradient("#d3d6d8", "#bcc1c5", 0, 540)
    for x in (90, 400, 710):
        c.rect(x, 120, x + 220, 330, "#e8edef", 4)
        c.rect(x + 106, 120, x + 114, 330, "#b0b6ba")
    ground(c, "#a9a39c", 540)


def garden_wall(c: Canvas) -> None:
    """A long wall of pointed niches at the end of a garden."""
    c.rect(0, 300, WIDTH, 530, "#dcb98c")
    for i in range(7):
        x = 12 + i * 146
        c.arch(x, 324, x + 124, 530, "#c79b6c")
        c.arch(x + 14, 346, x + 110, 530, "#b4865a" if i % 2 else "#2f7f8f")
        if not i % 2:
            c.ellipse(x + 62, 420, 16, 16, "#f3d9a0")
            c.ellipse(x + 62, 420, 9, 9, "#2f7f8f")
    c.rect(0, 292, WIDTH, 306, "#f0d9b0")


def cypress(c: Canvas, x: float, y: float, h: float) -> None:
    c.rect(x - 5, y - h * 0.1, x + 5, y, "#6b4a36")
    c.blob(
        [
            (x, y - h),
            (x + h * 0.09, y - h * 0.6),
            (x + h * 0.11, y - h * 0.2),
            (x, y - h * 0.05),
            (x - h * 0.11, y - h * 0.2),
            (x - h * 0.09, y - h * 0.6),
        ],
        "#3f6b50",
    )
    c.blob(
        [
            (x + 2, y - h * 0.97),
            (x + h * 0.085, y - h * 0.6),
            (x + h * 0.1, y - h * 0.2),
            (x + h * 0.03, y - h * 0.08),
        ],
        "#35594a",
    )


def broad_tree(c: Canvas, x: float, y: float, h: float) -> None:
    c.polygon(
        [
            (x - h * 0.05, y),
            (x - h * 0.028, y - h * 0.55),
            (x + h * 0.028, y - h * 0.55),
            (x + h * 0.055, y),
        ],
        "#7a5540",
    )
    crown = (
        (-0.22, 0.6, 0.2),
        (0.2, 0.62, 0.21),
        (0, 0.8, 0.24),
        (-0.1, 0.58, 0.2),
        (0.1, 0.55, 0.2),
    )
    for dx, dy, r in crown:
        c.ellipse(x + dx * h, y - dy * h, r * h, r * h * 0.86, "#5f8f5a")
    for dx, dy, r in crown[:3]:
        c.ellipse(
            x + dx * h - r * h * 0.2, y - dy * h - r * h * 0.2, r * h * 0.6, r * h * 0.46, "#76a56a"
        )
