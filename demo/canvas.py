"""A drawing surface for flat illustrations: coordinates of 1024 x 768, drawn twice as large."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence

from PIL import Image, ImageColor, ImageDraw

WIDTH, HEIGHT = 1024, 768
SCALE = 2

Point = tuple[float, float]


def mix(first: str, second: str, share: float) -> str:
    """The colour ``share`` of the way from the first to the second."""
    one, two = ImageColor.getrgb(first), ImageColor.getrgb(second)
    parts = (round(a + (b - a) * share) for a, b in zip(one, two, strict=True))
    return "#" + "".join(f"{part:02x}" for part in parts)


def darker(colour: str, share: float = 0.16) -> str:
    return mix(colour, "#2a1d33", share)


def lighter(colour: str, share: float = 0.25) -> str:
    return mix(colour, "#fff6e6", share)


class Canvas:
    """Shapes on one picture. Every length is in final pixels."""

    def __init__(self) -> None:
        self.image = Image.new("RGB", (WIDTH * SCALE, HEIGHT * SCALE))
        self._draw = ImageDraw.Draw(self.image)

    def gradient(self, top: str, bottom: str, y0: float, y1: float) -> None:
        """A vertical blend over the whole width."""
        height = round((y1 - y0) * SCALE)
        mask = Image.linear_gradient("L").resize((1, height))
        column = Image.composite(
            Image.new("RGB", mask.size, bottom), Image.new("RGB", mask.size, top), mask
        )
        band = column.resize((WIDTH * SCALE, height), Image.Resampling.NEAREST)
        self.image.paste(band, (0, round(y0 * SCALE)))

    def polygon(self, points: Sequence[Point], fill: str) -> None:
        self._draw.polygon([(x * SCALE, y * SCALE) for x, y in points], fill=fill)

    def blob(self, points: Sequence[Point], fill: str) -> None:
        """A closed smooth shape through the points (Catmull-Rom)."""
        count = len(points)
        smooth: list[Point] = []
        for i in range(count):
            p0, p1, p2, p3 = (points[(i + k - 1) % count] for k in range(4))
            for step in range(8):
                t = step / 8
                smooth.append(
                    tuple(
                        0.5
                        * (
                            2 * b
                            + (c - a) * t
                            + (2 * a - 5 * b + 4 * c - d) * t**2
                            + (3 * b - a - 3 * c + d) * t**3
                        )
                        for a, b, c, d in zip(p0, p1, p2, p3, strict=True)
                    )
                )
        self.polygon(smooth, fill)

    def ellipse(self, x: float, y: float, rx: float, ry: float, fill: str) -> None:
        self._draw.ellipse([v * SCALE for v in (x - rx, y - ry, x + rx, y + ry)], fill=fill)

    def arc(self, box: Sequence[float], start: float, end: float, fill: str, width: float) -> None:
        self._draw.arc([v * SCALE for v in box], start, end, fill=fill, width=round(width * SCALE))

    def pie(self, box: Sequence[float], start: float, end: float, fill: str) -> None:
        self._draw.pieslice([v * SCALE for v in box], start, end, fill=fill)

    def rect(
        self, x0: float, y0: float, x1: float, y1: float, fill: str, radius: float = 0
    ) -> None:
        box = [v * SCALE for v in (x0, y0, x1, y1)]
        self._draw.rounded_rectangle(box, radius * SCALE, fill=fill)

    def line(self, points: Sequence[Point], width: float, fill: str) -> None:
        """A line with round ends and joints."""
        scaled = [(x * SCALE, y * SCALE) for x, y in points]
        self._draw.line(scaled, fill=fill, width=round(width * SCALE), joint="curve")
        for x, y in (points[0], points[-1]):
            self.ellipse(x, y, width / 2, width / 2, fill)

    def curve(self, start: Point, end: Point, sag: float, width: float, fill: str) -> None:
        self.line(hanging(start, end, sag, 16), width, fill)

    def arch(self, x0: float, y0: float, x1: float, y1: float, fill: str) -> None:
        """A doorway with a pointed arch; y0 is its tip."""
        mid, shoulder = (x0 + x1) / 2, y0 + (x1 - x0) * 0.62
        left = [
            (
                x0 + (mid - x0) * (1 - math.cos(t * math.pi / 2 / 10)) ** 0.8,
                shoulder - (shoulder - y0) * math.sin(t * math.pi / 2 / 10),
            )
            for t in range(11)
        ]
        right = [(x0 + x1 - x, y) for x, y in reversed(left)]
        self.polygon([(x0, y1), *left, *right, (x1, y1)], fill)

    def shadow(self, x: float, y: float, rx: float, ry: float, strength: float = 0.2) -> None:
        """A soft-looking darker oval on whatever is below."""
        box = tuple(round(v * SCALE) for v in (x - rx, y - ry, x + rx, y + ry))
        mask = Image.new("L", (box[2] - box[0], box[3] - box[1]), 0)
        ImageDraw.Draw(mask).ellipse((0, 0, *mask.size), fill=round(255 * strength))
        self.image.paste(Image.new("RGB", mask.size, "#2a1d33"), box[:2], mask)

    def glow(self, x: float, y: float, radius: float, fill: str, strength: float = 0.8) -> None:
        """A light that fades outwards."""
        side = round(2 * radius * SCALE)
        mask = Image.radial_gradient("L").resize((side, side))
        mask = mask.point(lambda v: round(max(0, 1 - v / 180) ** 1.6 * 255 * strength))
        place = (round((x - radius) * SCALE), round((y - radius) * SCALE))
        self.image.paste(Image.new("RGB", mask.size, fill), place, mask)

    def mirror(self) -> None:
        self.image = self.image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)

    def finished(self) -> Image.Image:
        """The picture at its final size, edges smoothed."""
        return self.image.reduce(SCALE)

    def webp(self) -> bytes:
        buffer = io.BytesIO()
        self.finished().save(buffer, "WEBP", quality=86, method=1)
        return buffer.getvalue()


def hanging(start: Point, end: Point, sag: float, steps: int) -> list[Point]:
    """Points of a cord that hangs between two points (a parabola)."""
    return [
        (
            start[0] + (end[0] - start[0]) * i / steps,
            start[1] + (end[1] - start[1]) * i / steps + sag * 4 * (i / steps) * (1 - i / steps),
        )
        for i in range(steps + 1)
    ]
