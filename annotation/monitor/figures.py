"""What takes longer to count: ratings a unit, minutes to the end, ratings over time, agreement.

A dictionary that JSON can hold, since a worker makes it and pages show it.
"""

from __future__ import annotations

from collections import defaultdict
from statistics import median
from typing import TypedDict

from django.db.models import Count, F, Func, IntegerField

from annotation.models import Assignment, Participation, Place
from annotation.monitor.agreement import agreement_by_panel, measure_of, to_json
from annotation.monitor.counts import Collection
from annotation.monitor.people import failed_two_checks
from studies.models import Study

MOST_STEPS = 60
"""Of ratings over time."""

STEPS = (60, 300, 900, 3600, 6 * 3600, 86_400, 7 * 86_400)
"""How many seconds a step may have."""


class PanelFigures(TypedDict):
    """``spread``: ratings a unit, as text -> how many units. Seconds from arrival to the end."""

    spread: dict[str, int]
    median_seconds: float | None
    finished: int
    agreement: dict | None


class Timeline(TypedDict):
    """Ratings counted in each step: ``counts`` is panel id, as text -> one number a step."""

    start: int
    step: int
    counts: dict[str, list[int]]


class Figures(TypedDict):
    panels: dict[str, PanelFigures]
    timeline: Timeline | None
    question: str
    coefficient: str
    failed_two: int


def count_figures(*, study: Study, now: Collection) -> Figures:
    """Count them. ``now`` says which panels and phase there are."""
    spread = _spread(now)
    seconds = _seconds_to_finish(study, now.pilot)
    measure = measure_of(study)
    agreement = agreement_by_panel(study=study, measure=measure, pilot=now.pilot) if measure else {}
    panels = {
        str(panel.id): PanelFigures(
            spread=_with_unrated(spread[panel.id], panel.units),
            median_seconds=median(seconds[panel.id]) if seconds[panel.id] else None,
            finished=len(seconds[panel.id]),
            agreement=to_json(agreement[panel.id]) if panel.id in agreement else None,
        )
        for panel in now.panels
    }
    return Figures(
        panels=panels,
        timeline=_timeline(study, now),
        question=measure.question.label if measure else "",
        coefficient=measure.coefficient.name if measure else "",
        failed_two=failed_two_checks(study, pilot=now.pilot).count(),
    )


def _spread(now: Collection) -> dict[int, dict[int, int]]:
    """Panel id -> how many ratings -> how many units have just so many."""
    done = Place.objects.filter(
        panel__in=[panel.id for panel in now.panels],
        pilot__in=[now.pilot],
        state=Place.State.DONE,
    )
    each = done.order_by().values_list("panel", "unit").annotate(n=Count("pk"))
    found: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for panel, _, n in each.iterator(chunk_size=5_000):
        found[panel][n] += 1
    return found


def _with_unrated(spread: dict[int, int], units: int) -> dict[str, int]:
    rated = sum(spread.values())
    whole = {0: max(0, units - rated), **spread}
    return {str(n): whole[n] for n in sorted(whole)}


def _seconds_to_finish(study: Study, pilot: bool) -> dict[int, list[float]]:
    """Panel id -> for everybody who finished, from arrival to the end."""
    finished = Participation.objects.filter(
        study=study,
        pilot=pilot,
        state=Participation.State.COMPLETE,
        panel__isnull=False,
        finished_at__isnull=False,
        set_aside_at=None,
    )
    spans = defaultdict(list)
    rows = finished.order_by().values_list("panel", "arrived_at", "finished_at")
    for panel, arrived, end in rows.iterator(chunk_size=5_000):
        spans[panel].append((end - arrived).total_seconds())
    return spans


class Minute(Func):
    """The number of the minute since 1970 that a moment is in."""

    output_field = IntegerField()

    def as_sqlite(self, compiler, connection, **context):
        template = "CAST(strftime('%%%%s', %(expressions)s) AS INTEGER) / 60"
        return super().as_sql(compiler, connection, template=template, **context)

    def as_postgresql(self, compiler, connection, **context):
        template = "CAST(FLOOR(EXTRACT(EPOCH FROM %(expressions)s) / 60) AS INTEGER)"
        return super().as_sql(compiler, connection, template=template, **context)


def _timeline(study: Study, now: Collection) -> Timeline | None:
    """Ratings by minute, put together to at most ``MOST_STEPS`` steps; None before the first."""
    sent = Assignment.objects.filter(
        participation__study=study,
        participation__pilot=now.pilot,
        submitted_at__isnull=False,
        repeat_of=None,
        gold=False,
    )
    counted = sent if now.pilot else sent.filter(counted=True)
    minutes = list(
        counted.annotate(panel=F("participation__panel"), minute=Minute("submitted_at"))
        .order_by()
        .values_list("panel", "minute")
        .annotate(n=Count("pk"))
    )
    return timeline_of(minutes)


def timeline_of(minutes: list[tuple[int, int, int]]) -> Timeline | None:
    """(panel id, minute since 1970, ratings) put together from the first minute to the last."""
    if not minutes:
        return None
    first = 60 * min(minute for _, minute, _ in minutes)
    last = 60 * max(minute for _, minute, _ in minutes)
    step = next((step for step in STEPS if (last - first) / step < MOST_STEPS - 1), STEPS[-1])
    start = first - first % step
    n_steps = (last - start) // step + 1
    counts: dict[str, list[int]] = {}
    for panel, minute, n in minutes:
        counts.setdefault(str(panel), [0] * n_steps)[(60 * minute - start) // step] += n
    return Timeline(start=start, step=step, counts=counts)
