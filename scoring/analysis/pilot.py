"""The pilot's answers, apart: what they would say, without intervals."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from scoring.analysis.gather import StudyData, with_answers
from scoring.analysis.questions import question_report
from scoring.analysis.report import POOLED, PilotReport


def pilot_answers(*, data: StudyData, on_step: Callable[[], None]) -> PilotReport | None:
    """Every question over the pilot's answers, everybody pooled; None without a pilot."""
    if not data.pilot.size:
        return None
    apart = with_answers(data, data.pilot)
    reports = [
        question_report(
            data=apart, question=question, groups=(POOLED,), replicates=0, on_step=on_step
        )
        for question in data.asked
    ]
    return PilotReport(
        raters=int(np.unique(data.pilot.rater).size),
        ratings=int(np.unique(data.pilot.screen).size),
        answers=tuple(report.groups[0] for report in reports),
    )
