"""The timeline of collection: ratings so far, panel by panel, at the end of each hour or day."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

import numpy as np

from scoring.analysis.gather import StudyData
from scoring.analysis.parts.overview import Collected, Timeline
from studies.models import Panel

HOUR = 3600
DAY = 24 * HOUR
MOST_MOMENTS = 400
HOURS_UP_TO = 4 * DAY
"""A collection that took no longer is drawn by hours."""


def timeline_of(data: StudyData, panels: Mapping[str, Panel]) -> Timeline:
    """The counted ratings of the chosen data by when they were sent."""
    screens = np.unique(data.given.screen)
    at = data.given.screens.at[screens]
    if not at.size:
        return Timeline(step="day", moments=(), lines=())
    step, name = (HOUR, "hour") if at.max() - at.min() <= HOURS_UP_TO else (DAY, "day")
    first, last = int(at.min() // step), int(at.max() // step)
    n = last - first + 1
    every = max(1, -(-n // MOST_MOMENTS))
    ends = np.arange(first, last + 1, every) + every
    raters = data.given.screens.rater[screens]
    countries = np.array([rater.country for rater in data.given.raters])[raters]
    lines = []
    for country in np.unique(countries).tolist():
        bins = np.bincount((at[countries == country] // step).astype(int) - first, minlength=n)
        so_far = np.cumsum(bins)[np.minimum(ends - first, n) - 1]
        lines.append(
            Collected(
                group=country,
                counts=tuple(so_far.tolist()),
                wanted=_wanted(data, panels.get(country)),
            )
        )
    return Timeline(
        step=name,
        moments=tuple(datetime.fromtimestamp(int(end) * step, tz=UTC).isoformat() for end in ends),
        lines=tuple(sorted(lines, key=lambda line: data.names.get(line.group, line.group))),
    )


def _wanted(data: StudyData, panel: Panel | None) -> int | None:
    """All ratings a panel was to give; None for a part of the data, which has no such number."""
    if panel is None or data.selection.system or data.selection.category:
        return None
    return panel.ratings_per_unit * panel.units().count()
