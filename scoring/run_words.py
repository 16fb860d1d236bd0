"""What pages say about a run."""

from __future__ import annotations

from django.utils import timezone

from scoring import runs
from scoring.chunk_progress import UnderWay, under_way
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
    begun = under_way(run) if run.state == RunState.RUNNING else UnderWay()
    return {
        "run": run,
        "under_way": begun,
        "n_moved": run.n_done + begun.done,
        "parameters": parameter_words(run),
        "selection": Selection.stored(run.selection).words(),
        "tag": _TAGS[RunState(run.state)],
        "time_left": time_left(run, now=now, under_way=begun.done),
        "waits_long": run.state == RunState.QUEUED and now - run.requested_at > runs.UNHEARD_AFTER,
        "can_go_on": run.state in runs.CONTINUABLE,
        "is_imported": bool(run.declared),
    }
