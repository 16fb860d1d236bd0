"""Colours of charts: drawn in the light palette, which `plots.svg` swaps for the page's."""

from __future__ import annotations

INK = "#16191d"
INK_2 = "#454c55"
INK_3 = "#5f6670"
LINE = "#d5d9de"
EDGE = "#737a83"
PAPER = "#ffffff"
FIRST = "#1e4263"
ACCENT = "#24509e"

SYSTEMS = (FIRST, "#ae4022", "#4e9e82", "#c870bf", "#949038", "#7750b1", "#68373e")
"""Colours of systems, in the order of the systems in the study; `MARKERS` go with them."""

MARKERS = ("o", "s", "D", "^", "v", "P", "X")

BAND_EDGES = (-0.7, -0.5, -0.3, -0.1, 0.1, 0.3, 0.5, 0.7)
BANDS = ("v1", "h2", "h3", "h4", "h5", "h6", "h7", "h8", "v5")
"""Tokens of correlations, negative to positive, between `BAND_EDGES`."""

TOKENS = {
    INK: "ink",
    INK_2: "ink-2",
    INK_3: "ink-3",
    LINE: "line",
    EDGE: "edge",
    PAPER: "bg",
    ACCENT: "accent",
    FIRST: "d1",
    "#ae4022": "d2",
    "#4e9e82": "d3",
    "#c870bf": "d4",
    "#949038": "d5",
    "#7750b1": "d6",
    "#68373e": "d7",
    "#a8430f": "v1",
    "#e0a477": "v2",
    "#c9cdd2": "v3",
    "#7fa9d6": "v4",
    "#1f5596": "v5",
    "#cc7a4b": "h2",
    "#e3ac84": "h3",
    "#f3daca": "h4",
    "#f4f5f6": "h5",
    "#d3e0f0": "h6",
    "#a3c1e3": "h7",
    "#6a9bd0": "h8",
}
"""Colour of the light palette -> token. h1 and h9 are v1 and v5."""

COLOURS = {token: colour for colour, token in TOKENS.items()}

WORSE_TO_BETTER = {
    2: ("v1", "v5"),
    3: ("v1", "v3", "v5"),
    4: ("v1", "v2", "v4", "v5"),
    5: ("v1", "v2", "v3", "v4", "v5"),
    6: ("v1", "h2", "h3", "h7", "h8", "v5"),
    7: ("v1", "h2", "h3", "h5", "h7", "h8", "v5"),
    8: ("v1", "h2", "h3", "h4", "h6", "h7", "h8", "v5"),
    9: ("v1", "h2", "h3", "h4", "h5", "h6", "h7", "h8", "v5"),
}
"""Number of points -> a token for each, from worse to better."""

MOST_POINTS = max(WORSE_TO_BETTER)


def point_tokens(n: int, direction: str) -> tuple[str, ...]:
    """A token for each of `n` scale points, lowest value first.

    Colour says better or worse, position says the value: where lower is better the colours turn.
    Raises KeyError for a scale that has no colours (1 point, or more than 9).
    """
    tokens = WORSE_TO_BETTER[n]
    return tokens[::-1] if direction == "lower" else tokens
