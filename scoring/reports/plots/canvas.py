"""A blank figure in our style, and text that is only ever text."""

from __future__ import annotations

import math
import textwrap
import unicodedata
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from scoring.reports.palette import EDGE, FIRST, INK, INK_2, LINE, PAPER
from scoring.reports.words import num

INCHES = {"wide": 6.6, "narrow": 3.7}
"""Widths of the two drawings; at 96 px an inch the text has the page's small size."""

STYLE: dict[str, Any] = {
    "figure.facecolor": PAPER,
    "figure.constrained_layout.use": True,
    "figure.constrained_layout.h_pad": 0.03,
    "figure.constrained_layout.w_pad": 0.03,
    "savefig.facecolor": PAPER,
    # Named one by one: of a generic family only the first font is asked for a glyph.
    "font.family": ["Noto Sans", "DejaVu Sans"],
    "font.size": 9.5,
    "text.color": INK,
    "axes.facecolor": PAPER,
    "axes.edgecolor": EDGE,
    "axes.labelcolor": INK_2,
    "axes.labelsize": 9.0,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "axes.prop_cycle": matplotlib.cycler("color", [FIRST]),
    "grid.color": LINE,
    "grid.linewidth": 0.7,
    "xtick.color": INK_2,
    "xtick.labelsize": 9.0,
    "xtick.major.size": 3.0,
    "xtick.major.width": 0.8,
    "ytick.major.size": 0.0,
    "lines.solid_capstyle": "butt",
    "mathtext.default": "regular",
    "svg.fonttype": "none",
    "svg.hashsalt": "concord",
}


@contextmanager
def styled() -> Iterator[None]:
    """Our style for what is made and saved inside."""
    with matplotlib.rc_context(STYLE), warnings.catch_warnings():
        # The browser shapes the text with the page's fonts; here it is only measured.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        yield


def blank(width: str, height: float) -> tuple[Figure, Axes]:
    """A figure `height` inches high with one set of axes and no ticks on the side."""
    figure = Figure(figsize=(INCHES[width], height))
    axes = figure.add_subplot()
    axes.set_yticks([])
    return figure, axes


def write(axes: Axes, x: float, y: float, text: str, **style: Any) -> None:
    """Text as it stands, at a point of the data: a $ in a name starts no formula."""
    axes.text(x, y, text, parse_math=False, **style)


def beside(axes: Axes, side: float, row: float, text: str, *, shift: float, **style: Any) -> None:
    """Text of a row at one side of the axes (0: start, 1: end), `shift` points further along."""
    axes.annotate(
        text,
        xy=(side, row),
        xycoords=axes.get_yaxis_transform(),
        xytext=(shift, 0),
        textcoords="offset points",
        parse_math=False,
        annotation_clip=False,
        **style,
    )


def axis_number(value: float, _place: int | None = None) -> str:
    """A tick's number with the decimals it needs, at most two: 0.25 is never written as 0.2."""
    decimals = next((n for n in (0, 1) if math.isclose(value, round(value, n), abs_tol=1e-9)), 2)
    return num(value, decimals)


def number_along(axes: Axes, tick: Callable[[float, int | None], str] = axis_number) -> None:
    """Ticks below the axes in steps of 1, 2 or 5 of a power of ten, and what stands at them."""
    axes.xaxis.set_major_locator(MaxNLocator(nbins="auto", steps=[1, 2, 5, 10]))
    axes.xaxis.set_major_formatter(tick)


def label(text: str, *, width: int, lines: int = 2) -> str:
    """A name fit for a chart: on one to `lines` lines of `width` letters, cut with "…"."""
    clean = "".join(" " if unicodedata.category(c) in ("Cc", "Cs", "Cn") else c for c in text)
    wrapped = textwrap.wrap(clean, width=width, max_lines=lines, placeholder=" …")
    return "\n".join(wrapped)
