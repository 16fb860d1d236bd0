"""The calibration of tau: how near real images come to what is expected, and three lines."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scoring.reports.palette import EDGE, FIRST, INK, INK_2, LINE
from scoring.reports.plots.canvas import blank, styled, write
from scoring.reports.plots.svg import inline_svg

BINS = 40
HEIGHT = 2.4  # inches


def draw_tau(
    values: NDArray[np.float64], *, q1: float, median: float, q3: float, extractor: str, key: str
) -> dict[str, str]:
    """{"wide": svg, "narrow": svg, "alt": text} of a histogram of similarities, -1 to 1.

    ``key`` makes the drawing's ids unique on a page.
    """
    alt = (
        f"Histogram of {len(values)} similarities of what {extractor} saw in real images with what "
        f"is expected: first quartile {q1:.2f}, median {median:.2f}, third quartile {q3:.2f}."
    )
    lines = (q1, median, q3)
    drawn = {width: _drawn(values, lines, width, alt, key) for width in ("wide", "narrow")}
    return drawn | {"alt": alt}


def _drawn(
    values: NDArray[np.float64],
    lines: tuple[float, float, float],
    width: str,
    alt: str,
    key: str,
) -> str:
    counts, edges = np.histogram(values, bins=BINS, range=(min(0.0, float(values.min())), 1.0))
    with styled():
        figure, axes = blank(width, HEIGHT)
        axes.bar(edges[:-1], counts, width=np.diff(edges), align="edge", color=LINE, edgecolor=EDGE)
        axes.set_ylim(0, max(1, counts.max()) * 1.42)
        axes.set_xlabel("Similarity (cosine)")
        for step, (name, at) in enumerate(zip(("Q1", "Median", "Q3"), lines, strict=True)):
            chosen = name == "Q3"
            color = FIRST if chosen else INK_2
            axes.axvline(at, color=color, linewidth=2.0 if chosen else 1.2)
            write(
                axes,
                at,
                max(1, counts.max()) * (1.32 - 0.12 * step),
                f" {name} {at:.2f} ",
                color=INK if chosen else INK_2,
                weight="bold" if chosen else "normal",
                ha="right" if name == "Q1" or at > 0.8 else "left",
            )
        return inline_svg(figure, key=f"{key}-{width}", alt=alt, width=width)
