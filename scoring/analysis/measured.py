"""Means and shares of judgements by people, with intervals that know who judged what."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from scoring.analysis.parts.scores import Measured
from scoring.stats.clustered import clustered_mean


def measured(values: npt.ArrayLike, *, rater: npt.ArrayLike, prompt: npt.ArrayLike) -> Measured:
    """The mean of values from 0 to 1, answers of one person and on one prompt being alike."""
    found = clustered_mean(values=values, rater=rater, prompt=prompt, bounds=(0.0, 1.0))
    return Measured(
        value=found.value, reason=found.reason, se=found.se, interval=found.interval, n=found.n
    )


def measured_things(values: npt.ArrayLike, *, prompt: npt.ArrayLike) -> Measured:
    """The mean over things that are not judgements of single people, clustered by prompt."""
    numbers = np.asarray(values, dtype=np.float64)
    return measured(numbers, rater=np.zeros(numbers.size, dtype=np.intp), prompt=prompt)
