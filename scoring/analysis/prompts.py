"""Items of one prompt are not independent: when intervals draw whole prompts instead of items."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.intp]

FEWEST_PROMPTS = 20
"""Fewer drawn prompts give no dependable interval; then items are drawn, and the result says so."""


def prompt_clusters(prompt: Codes, *, counted: npt.NDArray[np.bool_] | None = None) -> Codes | None:
    """``prompt`` (a code an item, shape (n,)) where whole prompts are to be drawn, else None.

    That is where some prompt has several items and there are at least `FEWEST_PROMPTS` of them.
    ``counted`` names the rows that the statistic rests on (default: all).
    """
    used = prompt if counted is None else prompt[counted]
    n_prompts = np.unique(used).size
    return prompt if FEWEST_PROMPTS <= n_prompts < used.size else None
