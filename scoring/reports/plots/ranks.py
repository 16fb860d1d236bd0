"""The rank chart: how people and each metric rank the models, a line a model."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from scoring.analysis.parts.automatic import Automatic, RankPanel, SeriesResult
from scoring.reports.palette import INK, INK_2, LINE, PAPER
from scoring.reports.plots.canvas import blank, label, write
from scoring.reports.plots.systems import Look, looks
from scoring.reports.series_words import names_of
from scoring.reports.words import counted, listed, num

Ranks = dict[str, dict[str, float]]
"""{series key: {system: rank}}"""

MOST_EVALUATORS = {"wide": 9, "narrow": 5}
"""More columns than these leave no room for their names; the table has all of them."""


def draw_ranks(automatic: Automatic, panel: RankPanel, width: str) -> Figure:
    found = ranks_of(automatic, panel)
    shown = list(panel.series)[: MOST_EVALUATORS[width]]
    systems = [level.key for level in automatic.factor("system").levels]
    ranked = [name for name in systems if any(name in found[key] for key in shown)]
    styles = looks(systems)
    figure, axes = blank(width, 1.15 + 0.34 * len(ranked))
    axes.spines["bottom"].set_visible(False)
    for column in range(len(shown)):
        axes.axvline(column, color=LINE, linewidth=0.8, zorder=0.5)
    for name in ranked:
        _draw_line(axes, name, [found[key].get(name) for key in shown], styles[name])
    _name_columns(axes, automatic, shown, width)
    for place in range(1, len(ranked) + 1):
        write(axes, -0.42, place, num(place, 0), ha="center", va="center", color=INK_2, fontsize=9)
    room = 2.1 if width == "narrow" else 1.5
    axes.set_xlim(-0.55, len(shown) - 1 + room)
    axes.set_ylim(len(ranked) + 0.6, -0.35)
    axes.set_xticks([])
    return figure


def ranks_of(automatic: Automatic, panel: RankPanel) -> Ranks:
    """The ranks of the systems by each evaluator of a panel, on its subset of items."""
    found: Ranks = {}
    for key in panel.series:
        one = automatic.one(key)
        breakdown = one.by("system", panel.subset) or one.by("system")
        cells = breakdown.cells if breakdown else ()
        found[key] = {cell.level: cell.rank for cell in cells if cell.rank is not None}
    return found


def ranks_alt(automatic: Automatic, panel: RankPanel) -> str:
    """Who is first by the first evaluator, and how many of the others say the same."""
    found = ranks_of(automatic, panel)
    first, *others = panel.series
    best = _first(found[first])
    who = "People" if automatic.one(first).facts.kind == "human" else _name(automatic, first)
    same = [
        key
        for key in others
        if found[key]
        and [n for n, r in found[key].items() if r == min(found[key].values())] == best
    ]
    verb = "rank" if who == "People" else "ranks"
    opening = (
        f"Ranks of {counted(len(found[first]), 'model')} on {panel.name} by "
        f"{counted(len(panel.series), 'evaluator')}."
    )
    agreeing = f"{len(same)} of {len(others)} metrics rank the same first." if others else ""
    return " ".join(
        filter(None, [opening, f"{who} {verb} {listed(best)} first.", agreeing, "Table follows."])
    )


def _first(ranks: dict[str, float]) -> list[str]:
    """The systems that share the best rank, by name."""
    return sorted(name for name, rank in ranks.items() if rank == min(ranks.values()))


def _draw_line(axes: Axes, name: str, ranks: list[float | None], look: Look) -> None:
    places = [(column, rank) for column, rank in enumerate(ranks) if rank is not None]
    if not places:
        return
    columns, heights = zip(*places, strict=True)
    axes.plot(columns, heights, color=look.colour, linewidth=1.6, zorder=2)
    axes.plot(
        columns, heights, look.marker, color=look.colour, markersize=7, zorder=3,
        markerfacecolor=PAPER if look.open else look.colour,
    )  # fmt: skip
    shown = label(name, width=18, lines=1)
    write(axes, columns[-1] + 0.18, heights[-1], shown, va="center", ha="left", fontsize=9)


def _name_columns(axes: Axes, automatic: Automatic, shown: list[str], width: str) -> None:
    letters = 12 if width == "wide" else 9
    for column, key in enumerate(shown):
        one: SeriesResult = automatic.one(key)
        people = one.facts.kind == "human"
        text = "People" if people else label(_name(automatic, key), width=letters)
        write(
            axes, column, 0.3, text, ha="center", va="bottom", fontsize=9,
            color=INK if people else INK_2, weight="bold" if people else "normal",
        )  # fmt: skip


def _name(automatic: Automatic, key: str) -> str:
    return names_of([one.facts for one in automatic.series])[key]
