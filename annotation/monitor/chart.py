"""Counted ratings over time: a step line to now, and a dashed line at what is wanted.

Only numbers for an SVG of the template: no drawing library in the web process.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import accumulate

from annotation.monitor.figures import Timeline


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark of an axis: where it is, what stands there, and from where its text runs."""

    at: float
    text: str
    anchor: str = "middle"


@dataclass(frozen=True, slots=True)
class Drawing:
    """One drawing, in px of its own. ``path`` is the step line; ``target`` the height of the goal.

    ``end_x`` and ``end_y`` are where the line ends, with its number beside it.
    """

    name: str
    width: int
    height: int
    left: int
    right: int
    bottom: int
    path: str
    target: float
    end_x: float
    end_y: float
    rows: tuple[Tick, ...]
    columns: tuple[Tick, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table behind: a moment, and the ratings of each panel and in all until it."""

    at: datetime
    counts: tuple[int, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Chart:
    drawings: tuple[Drawing, ...]
    alt: str
    rows: tuple[Row, ...]
    total: int
    wanted: int


SIZES = (("wide", 560, 200), ("narrow", 340, 200))
LEFT, RIGHT, TOP, BOTTOM = 44, 44, 16, 26
MOST_ROWS = 24


LEVEL = 300
"""The line goes on in steps of 5 minutes: a page on which nothing happens stays as it is."""


def chart_of(
    *, timeline: Timeline, panels: list[str], wanted: int, until: datetime | None
) -> Chart:
    """``panels`` are ids as text in their order. What came in a step stands at its beginning.

    The line is of all ratings, of people without a panel too. It goes on, level, to ``until``;
    without it, it ends with the last rating. ``wanted`` is 0 where nothing was asked for, as in
    a study of ratings from elsewhere.
    """
    step, start = timeline["step"], timeline["start"]
    counts = [list(accumulate(timeline["counts"].get(panel, ()))) for panel in panels]
    n_steps = max((len(row) for row in timeline["counts"].values()), default=0)
    counts = [row or [0] * n_steps for row in counts]
    totals = list(accumulate(map(sum, zip(*timeline["counts"].values(), strict=True))))
    moments = [start + step * n for n in range(n_steps)]
    level = int(until.timestamp()) // LEVEL * LEVEL if until is not None else 0
    end = max(moments[-1], level)
    line = [(start, 0), *zip(moments, totals, strict=True), (end, totals[-1])]
    return Chart(
        drawings=tuple(
            _drawing(name, width, height, line, max(wanted, totals[-1], 1), wanted)
            for name, width, height in SIZES
        ),
        alt=_alt(line, wanted),
        rows=_rows([moment + step for moment in moments], counts, totals),
        total=totals[-1],
        wanted=wanted,
    )


def _drawing(
    name: str, width: int, height: int, line: list[tuple[int, int]], top: int, wanted: int
) -> Drawing:
    (first, _), (last, total) = line[0], line[-1]
    inner = width - LEFT - RIGHT

    def x(moment: int) -> float:
        return round(LEFT + inner * (moment - first) / max(1, last - first), 1)

    def y(n: int) -> float:
        return round(height - BOTTOM - (height - TOP - BOTTOM) * n / top, 1)

    path = f"M{x(first)} {y(0)}" + "".join(f"H{x(at)}V{y(n)}" for at, n in line[1:])
    middle = (first + last) // 2
    return Drawing(
        name=name,
        width=width,
        height=height,
        left=LEFT,
        right=width - RIGHT,
        bottom=height - BOTTOM,
        path=path,
        target=y(wanted),
        end_x=x(last),
        end_y=y(total),
        rows=tuple(Tick(y(n), f"{n:,}") for n in (0, wanted or top)),
        columns=_apart(
            Tick(x(first), _when(first, last - first), "start"),
            Tick(x(middle), _when(middle, last - first)),
            Tick(x(last), _when(last, last - first), "end"),
        ),
    )


def _apart(start: Tick, middle: Tick, end: Tick) -> tuple[Tick, ...]:
    """The ticks that say something of their own: a collection of one minute has one."""
    if start.text == end.text:
        return (start,)
    return (start, end) if middle.text in (start.text, end.text) else (start, middle, end)


def _when(moment: int, span: int) -> str:
    """Hours within two days, days beyond."""
    at = datetime.fromtimestamp(moment, UTC)
    return f"{at:%H:%M}" if span < 36 * 3600 else f"{at:%-d %b}"


def _alt(line: list[tuple[int, int]], wanted: int) -> str:
    (first, _), (last, total) = line[0], line[-1]
    begun = f"{datetime.fromtimestamp(first, UTC):%-d %B, %H:%M}"
    ended = f"{datetime.fromtimestamp(last, UTC):%-d %B, %H:%M}"
    goal = f" A dashed line marks the {wanted:,} wanted." if wanted else ""
    return (
        f"Step line of counted ratings, from 0 on {begun} to {total:,} on {ended} (UTC).{goal} "
        "Table follows."
    )


def _rows(moments: list[int], counts: list[list[int]], totals: list[int]) -> tuple[Row, ...]:
    """The last step always, and before it as many as fit, evenly spaced."""
    every = -(-len(moments) // MOST_ROWS)
    chosen = [n for n in range(len(moments)) if (len(moments) - 1 - n) % every == 0]
    return tuple(
        Row(
            datetime.fromtimestamp(moments[n], UTC),
            tuple(row[n] for row in counts),
            totals[n],
        )
        for n in chosen
    )
