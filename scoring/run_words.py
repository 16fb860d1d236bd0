"""What pages say about a run."""

from __future__ import annotations

from django.utils import timezone

from scoring import runs
from scoring.models import MetricRun, RunState
from scoring.selection import Selection
from scoring.wording import parameter_words, time_left

_TAGS = {
    RunState.ESTIMATED: "warn",
    RunState.QUEUED: "",
    RunState.RUNNING: "on",
    RunState.DONE: "ok",
    RunState.STOPPED: "warn",
    RunState.FAILED: "bad",
    RunState.CANCELLED: "",
}


def run_words(run: MetricRun) -> dict[str, object]:
    now = timezone.now()
    return {
        "run": run,
        "parameters": parameter_words(run),
        "selection": Selection.stored(run.selection).words(),
        "tag": _TAGS[RunState(run.state)],
        "time_left": time_left(run, now=now),
        "waits_long": run.state == RunState.QUEUED and now - run.requested_at > runs.UNHEARD_AFTER,
        "can_go_on": run.state in runs.CONTINUABLE,
        "is_imported": bool(run.declared),
    }
