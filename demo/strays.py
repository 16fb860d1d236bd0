"""Things that belong to no wedding and no tea: what a careless generator would put in."""

from __future__ import annotations

import math

from demo.canvas import Canvas, darker, hanging, lighter


def snowman(c: Canvas, x: float, y: float) -> None:
    c.shadow(x, y, 62, 12)
    for dy, r in ((48, 52), (124, 38), (182, 27)):
        c.ellipse(x, y - dy, r, r * 0.96, "#eef2f5")
        c.ellipse(x - r * 0.24, y - dy - r * 0.2, r * 0.62, r * 0.6, "#ffffff")
    c.polygon([(x, y - 186), (x + 36, y - 178), (x, y - 174)], "#e8762e")
    for dx in (-9, 9):
        c.ellipse(x + dx, y - 192, 3.5, 4, "#26262e")
    for dy in (112, 130):
        c.ellipse(x, y - dy, 4, 4, "#26262e")
    c.line([(x - 26, y - 156), (x + 26, y - 156)], 13, "#3f7fa0")
    c.line([(x + 18, y - 154), (x + 24, y - 116)], 12, "#3f7fa0")
    c.rect(x - 34, y - 208, x + 34, y - 201, "#2b2b36", 3)
    c.rect(x - 21, y - 240, x + 21, y - 204, "#2b2b36", 3)
    for side in (-1, 1):
        c.line([(x + side * 32, y - 130), (x + side * 74, y - 160)], 5, "#6b4a36")


def skyscrapers(c: Canvas, x: float, y: float) -> None:
    for dx, w, h, colour in (
        (-78, 64, 300, "#6f8fa8"),
        (70, 72, 250, "#7a9aa8"),
        (0, 80, 400, "#54748f"),
    ):
        left = x + dx - w / 2
        c.rect(left, y - h, left + w, y, colour)
        c.rect(left + w * 0.72, y - h, left + w, y, darker(colour, 0.14))
        for row in range(int(h // 22)):
            for col in range(4):
                lit = (row * 5 + col * 3 + int(w)) % 4 == 0
                wx, wy = left + 7 + col * (w - 10) / 4, y - h + 10 + row * 22
                c.rect(wx, wy, wx + w * 0.15, wy + 12, "#f6e3a1" if lit else lighter(colour, 0.35))
    c.line([(x, y - 400), (x, y - 446)], 5, "#54748f")


def surfboard(c: Canvas, x: float, y: float) -> None:
    c.shadow(x, y, 36, 8)
    c.blob(
        [
            (x, y - 250),
            (x + 32, y - 150),
            (x + 24, y - 20),
            (x, y),
            (x - 24, y - 20),
            (x - 32, y - 150),
        ],
        "#2fa3b5",
    )
    c.blob(
        [
            (x, y - 238),
            (x + 11, y - 150),
            (x + 8, y - 20),
            (x, y - 8),
            (x - 8, y - 20),
            (x - 11, y - 150),
        ],
        "#f7efdc",
    )
    c.line([(x - 27, y - 92), (x + 27, y - 92)], 13, "#e8624a")


def palm(c: Canvas, x: float, y: float) -> None:
    c.shadow(x, y, 40, 8)
    trunk = [(x + 26 * math.sin(t / 10), y - t * 26) for t in range(12)]
    for i in range(11):
        c.line(trunk[i : i + 2], 19 - i * 0.7, ("#9a7350", "#86613f")[i % 2])
    tx, ty = trunk[-1]
    for angle in (-2.9, -2.3, -1.1, -0.4, 0.25, 2.9 + 0.35):
        ex, ey = tx + 104 * math.cos(angle), ty + 62 * math.sin(angle)
        mx, my = tx + 58 * math.cos(angle), ty + 46 * math.sin(angle) - 26
        c.blob([(tx, ty), (mx, my - 11), (ex, ey + 16), (mx, my + 13)], "#4f9a5f")
    for dx in (-9, 9):
        c.ellipse(tx + dx, ty + 12, 9, 9, "#6b452f")


def balloon(c: Canvas, x: float, y: float) -> None:
    for i, (rx, colour) in enumerate(
        ((74, "#d9574a"), (54, "#f2c14e"), (32, "#d9574a"), (11, "#f2c14e"))
    ):
        c.blob(
            [
                (x, y - 96),
                (x + rx, y - 40),
                (x + rx * 0.84, y + 6),
                (x + rx * 0.26, y + 66),
                (x - rx * 0.26, y + 66),
                (x - rx * 0.84, y + 6),
                (x - rx, y - 40),
            ],
            colour,
        )
        if i == 0:
            for side in (-1, 1):
                c.line([(x + side * 17, y + 64), (x + side * 12, y + 98)], 2, "#5b4636")
    c.rect(x - 16, y + 96, x + 16, y + 120, "#9a6b42", 5)


def cactus(c: Canvas, x: float, y: float) -> None:
    c.shadow(x, y, 40, 8)
    c.line([(x, y - 40), (x, y - 160)], 38, "#4f8a5a")
    for side, base, top in ((-1, 92, 134), (1, 70, 120)):
        c.line([(x, y - base), (x + side * 44, y - base), (x + side * 44, y - top)], 22, "#4f8a5a")
        c.ellipse(x + side * 44, y - base, 11, 11, "#4f8a5a")
    for dx in (-9, 0, 9):
        c.line([(x + dx, y - 48), (x + dx, y - 160)], 2, "#78ad78")
    c.ellipse(x, y - 182, 11, 9, "#e0628a")
    c.polygon([(x - 34, y - 46), (x + 34, y - 46), (x + 25, y), (x - 25, y)], "#c9734a")
    c.rect(x - 38, y - 54, x + 38, y - 40, "#d98a5f", 4)


def robot(c: Canvas, x: float, y: float) -> None:
    c.shadow(x, y, 60, 11)
    for side in (-1, 1):
        c.rect(x + side * 24 - 12, y - 66, x + side * 24 + 12, y, "#7d8790", 5)
        c.line([(x + side * 58, y - 146), (x + side * 84, y - 98)], 17, "#7d8790")
        c.ellipse(x + side * 86, y - 92, 13, 13, "#e0a23c")
    c.rect(x - 54, y - 166, x + 54, y - 58, "#aab4bc", 14)
    c.rect(x - 34, y - 142, x + 34, y - 96, "#2f4558", 8)
    for i, colour in enumerate(("#e8624a", "#f2c14e", "#6fbf73")):
        c.ellipse(x - 20 + i * 20, y - 118, 7, 7, colour)
    c.rect(x - 42, y - 238, x + 42, y - 174, "#c3ccd2", 14)
    for dx in (-18, 18):
        c.ellipse(x + dx, y - 208, 12, 12, "#2f4558")
        c.ellipse(x + dx, y - 208, 6, 6, "#7fe0e6")
    c.line([(x, y - 238), (x, y - 262)], 4, "#7d8790")
    c.ellipse(x, y - 266, 8, 8, "#e8624a")


def penguin(c: Canvas, x: float, y: float) -> None:
    c.shadow(x, y, 34, 7)
    c.ellipse(x, y - 54, 38, 54, "#2f3642")
    c.ellipse(x, y - 46, 25, 42, "#f5f3ee")
    c.ellipse(x, y - 108, 27, 26, "#2f3642")
    for side in (-1, 1):
        c.ellipse(x + side * 10, y - 106, 11, 14, "#f5f3ee")
        c.ellipse(x + side * 9, y - 109, 3.5, 4, "#1b1b22")
        c.ellipse(x + side * 15, y - 2, 14, 6, "#e8962e")
        c.blob(
            [(x + side * 32, y - 84), (x + side * 52, y - 44), (x + side * 40, y - 30)], "#2f3642"
        )
    c.polygon([(x - 8, y - 101), (x + 8, y - 101), (x, y - 90)], "#e8962e")


def pizza(c: Canvas, x: float, y: float) -> None:
    c.shadow(x, y + 2, 74, 15)
    c.ellipse(x, y - 10, 72, 24, "#c98a4b")
    c.ellipse(x, y - 13, 62, 19, "#f2c14e")
    for i in range(7):
        c.ellipse(x + 42 * math.cos(i * 0.9), y - 13 + 11 * math.sin(i * 0.9), 9, 4.5, "#c0392b")
    c.line([(x - 60, y - 13), (x + 60, y - 13)], 2, "#c98a4b")
    c.line([(x - 22, y - 29), (x + 22, y + 4)], 2, "#c98a4b")


def parasol(c: Canvas, x: float, y: float) -> None:
    c.rect(x - 4, y - 260, x + 4, y, "#e9dcc3", 3)
    box = (x - 120, y - 312, x + 120, y - 150)
    for i in range(6):
        c.pie(box, 180 + i * 30, 210 + i * 30, ("#e8624a", "#f7efdc")[i % 2])
    c.ellipse(x, y - 314, 6, 6, "#e9dcc3")


def paper_lanterns(c: Canvas, x: float, y: float) -> None:
    cord = hanging((x - 540, y - 80), (x + 540, y - 80), 96, 20)
    c.line(cord, 2, "#5b4636")
    for px, py in (cord[5], cord[8], cord[12], cord[15]):
        c.rect(px - 10, py, px + 10, py + 6, "#e8b84a")
        c.ellipse(px, py + 34, 30, 28, "#cf3f3a")
        c.ellipse(px, py + 34, 14, 28, "#e05a4e")
        c.line([(px, py + 62), (px, py + 84)], 4, "#e8b84a")


def traffic_light(c: Canvas, x: float, y: float) -> None:
    c.shadow(x, y, 22, 6)
    c.rect(x - 6, y - 180, x + 6, y, "#5b646c", 3)
    c.rect(x - 28, y - 286, x + 28, y - 172, "#2f353b", 10)
    for i, colour in enumerate(("#e0483c", "#f2c14e", "#5fbf6a")):
        c.ellipse(x, y - 266 + i * 36, 14, 14, colour)


def mirror_ball(c: Canvas, x: float, y: float) -> None:
    c.line([(x, 0), (x, y - 48)], 3, "#5b646c")
    c.ellipse(x, y, 50, 50, "#9fb3c4")
    for row in range(-4, 5):
        half = math.sqrt(max(0, 48**2 - (row * 11) ** 2))
        for i in range(-4, 5):
            if abs(i * 11) < half - 4:
                tone = ("#c9d9e6", "#e8f1f7", "#8aa0b4", "#d8a9c4")[(row * 3 + i * 5) % 4]
                c.rect(x + i * 11 - 4, y + row * 11 - 4, x + i * 11 + 4, y + row * 11 + 4, tone)


def beach_ball(c: Canvas, x: float, y: float) -> None:
    for i in range(6):
        c.pie(
            (x - 30, y - 30, x + 30, y + 30),
            i * 60,
            i * 60 + 60,
            ("#e8624a", "#f7efdc", "#2fa3b5")[i % 3],
        )
    c.ellipse(x, y, 7, 7, "#f7efdc")
