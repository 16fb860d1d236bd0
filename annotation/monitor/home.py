"""What needs a researcher today: the most urgent lines of each study under way."""

from __future__ import annotations

from dataclasses import dataclass

from annotation.models import MonitorFigures
from annotation.monitor.counts import Collection, collection
from annotation.monitor.figures import Figures
from annotation.monitor.needs import ORDER, Need
from annotation.monitor.page import ACTIONS, address_of_need, needs_in
from annotation.monitor.people import failed_two_checks
from studies.models import Study
from studies.models.study import StudyQuerySet

LINES_EACH = 2


@dataclass(frozen=True, slots=True)
class StudyNeed:
    """``url`` leads to the page that deals with it, ``action`` names the way; both may be "".

    ``simulated``: people of the demo are among those who are counted.
    """

    study: Study
    need: Need
    url: str
    action: str
    simulated: bool = False


def needs_of_all(studies: StudyQuerySet) -> list[StudyNeed]:
    """Sorted by harm of waiting. Looks at studies that take answers; little is counted anew."""
    under_way = [Study.State.PILOT, Study.State.LIVE, Study.State.PAUSED]
    found = []
    for study in studies.in_use().filter(state__in=under_way):
        now = collection(study)
        if not now.arrived:
            continue
        needs = needs_in(study, now, _kept_figures(study, now))
        found += [
            StudyNeed(
                study,
                need,
                address_of_need(study, need),
                ACTIONS.get(need.page, ""),
                now.simulated > 0,
            )
            for need in needs[:LINES_EACH]
        ]
    return sorted(found, key=lambda line: ORDER.index(line.need.mark))


def _kept_figures(study: Study, now: Collection) -> Figures | None:
    """Figures as counted last; who failed checks may have been decided on since."""
    row = MonitorFigures.objects.filter(study=study).first()
    if row is None or not row.figures:
        return None
    figures: Figures = {**row.figures}
    if figures["failed_two"]:
        figures["failed_two"] = failed_two_checks(study, pilot=now.pilot).count()
    return figures
