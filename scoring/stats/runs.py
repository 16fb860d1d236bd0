"""One coefficient for each of many short runs of paired values: people, or pairs of people.

Thousands of runs one by one cost far more in calls than in arithmetic: runs of like length are
laid beside each other as rows, the shorter ones filled up with values of weight 0.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from scoring.stats.association import Method, row_values
from scoring.stats.counts import Codes

Floats = npt.NDArray[np.float64]

BLOCK_CELLS = 200_000
"""Values held at once by a block of rows."""


def run_values(method: Method, x: Floats, y: Floats, starts: Codes) -> Floats:
    """The coefficient of x with y within each run, shape (n_runs,); nan where undefined.

    `x` and `y`, shape (n,), hold the runs one after the other, rounded where ties matter; run r is
    `starts[r]:starts[r + 1]`, so that `starts` has shape (n_runs + 1,). A run of fewer than two
    values, or with a constant side, is undefined.
    """
    sizes = np.diff(starts)
    found = np.full(sizes.size, np.nan)
    for runs in _blocks(sizes):
        place = np.arange(int(sizes[runs].max()))
        inside = place < sizes[runs][:, None]
        at = np.where(inside, starts[:-1][runs][:, None] + place, starts[:-1][runs][:, None])
        found[runs] = row_values(method, x[at], y[at], inside.astype(np.float64))
    return found


def _blocks(sizes: Codes) -> Iterator[Codes]:
    """Runs of two or more values, the short ones first, in blocks of a bounded area."""
    order = np.argsort(sizes, kind="stable")
    order = order[sizes[order] > 1]
    while order.size:
        most = max(BLOCK_CELLS // int(sizes[order[0]]), 1)
        width = sizes[order[:most]]  # the last run of a block is its widest
        n = max(int(np.count_nonzero(np.arange(1, width.size + 1) * width <= BLOCK_CELLS)), 1)
        yield order[:n]
        order = order[n:]
