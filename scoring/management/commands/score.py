"""A metric computed in the foreground: the same run as the workers make, seen as it goes."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from scoring import runs
from scoring.chunk_progress import under_way
from scoring.coverage import StudyCounts, study_coverage
from scoring.executing import INTERRUPTED
from scoring.metrics import all_metrics
from scoring.metrics.absent import absent_metrics
from scoring.metrics.base import MetricError
from scoring.models import MetricRun, RunState
from scoring.run_errors import RunError
from scoring.selection import Selection, UnknownItemsError
from scoring.wording import time_left
from studies.management.shell import find_study
from studies.models import Study

BAR = 30  # characters
LINE_EVERY = 5.0  # seconds between two lines where nobody looks on


class Command(BaseCommand):
    help = (
        "Score a study's items with a metric, in the foreground. Ctrl-C stops after the chunk "
        "under way; --continue goes on with a run that ended before its time."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", metavar="STUDY", help="the study's short name (slug)")
        parser.add_argument("metric", metavar="METRIC", nargs="?", help="a key of --list")
        parser.add_argument("--list", action="store_true", help="the metrics and what they need")
        parser.add_argument(
            "--param", action="append", default=[], metavar="NAME=VALUE", help="a parameter"
        )
        parser.add_argument(
            "--items", default="", metavar="ID,ID|@FILE", help="these items only (a file: by line)"
        )
        for name, what in (("system", "model"), ("country", "country"), ("category", "category")):
            parser.add_argument(
                f"--{name}", action="append", default=[], help=f"items of this {what} only"
            )
        parser.add_argument("--max-calls", type=int, help="budget of new calls of a chat model")
        parser.add_argument("--max-tokens", type=int, help="budget of their tokens, in and out")
        parser.add_argument(
            "--dry-run", action="store_true", help="say what it would do, and score and ask nothing"
        )
        parser.add_argument(
            "--continue", dest="resumed", type=int, metavar="RUN", help="a run's id"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = find_study(options["study"])
        if options["list"]:
            self._list(study)
            return
        try:
            run = self._run(study, options)
        except (RunError, MetricError, UnknownItemsError) as error:
            raise CommandError(str(error)) from error
        watch = Watch(self.stdout, sys.stdout.isatty())
        self.stdout.write(f"Run {run.pk}: {run.metric} on {study.slug}")
        try:
            with _interrupts(self.stderr) as interrupted:
                runs.execute_run(
                    run_id=run.pk, should_stop=lambda: bool(interrupted), on_progress=watch.saw
                )
        except KeyboardInterrupt:
            runs.stop_run(run=run)
        run.refresh_from_db()
        watch.end()
        self._say_how_it_ended(run)

    def _run(self, study: Study, options: dict[str, Any]) -> MetricRun:
        budget = {"calls": options["max_calls"], "tokens": options["max_tokens"]}
        budget = {name: limit for name, limit in budget.items() if limit is not None}
        if options["resumed"] is not None:
            return _resumed(study, options["resumed"], budget, dry=options["dry_run"])
        if not options["metric"]:
            raise CommandError("Name a metric; --list says which there are.")
        run = runs.request_run(
            study=study,
            metric=options["metric"],
            parameters=_parameters(options["param"]),
            by=None,
            selection=Selection(
                systems=tuple(options["system"]),
                countries=tuple(options["country"]),
                categories=tuple(options["category"]),
                items=_ids(options["items"]),
            ),
            budget=budget,
            dry=options["dry_run"],
            foreground=True,
        )
        if run.state == RunState.ESTIMATED:  # it was only said before
            runs.resume_run(run=run, budget=budget, dry=options["dry_run"], foreground=True)
        return run

    def _list(self, study: Study) -> None:
        counts = StudyCounts(study)
        for metric in all_metrics():
            declaration = metric.declaration
            self.stdout.write(f"{declaration.key}: {declaration.name}")
            for parameter in declaration.parameters:
                default = "" if parameter.default is None else f", default {parameter.default}"
                self.stdout.write(f"    --param {parameter.name}=...  {parameter.label}{default}")
            for need in study_coverage(study=study, declaration=declaration, counts=counts):
                self.stdout.write(f"    {need.words}")
        for absent in absent_metrics():
            self.stdout.write(f"{absent.name}: not on this machine. {absent.sentence}")

    def _say_how_it_ended(self, run: MetricRun) -> None:
        counts = counts_line(run)
        again = f"Go on with: score {run.study.slug} --continue {run.pk}"
        if run.state == RunState.DONE:
            self.stdout.write(self.style.SUCCESS(f"Done. {counts}"))
        elif run.state == RunState.ESTIMATED:
            self.stdout.write(estimate_line(run))
            self.stdout.write(again)
        elif run.state == RunState.RUNNING:
            self.stdout.write(f"Others are still at this run. {counts}")
        else:
            code = 130 if run.error == INTERRUPTED else 1
            ended = f"{run.get_state_display()}. {run.error} {counts} {again}"
            raise CommandError(ended, returncode=code)


class Watch:
    """Shows how far a run is: a bar that moves for a person, a line now and then for a file."""

    def __init__(self, out: Any, is_seen: bool) -> None:
        self._out = out
        self._is_seen = is_seen
        self._last = time.monotonic()

    def saw(self, run: MetricRun) -> None:
        now = time.monotonic()
        if not self._is_seen and now - self._last < LINE_EVERY:
            return
        self._last = now
        run.refresh_from_db()
        begun = under_way(run)
        left = time_left(run, now=timezone.now(), under_way=begun.done)
        told = counts_line(run)
        told += f" {begun.percent} % of {begun.n} under way." if begun.n else ""
        told += f" {left} left." if left else ""
        if self._is_seen:
            self._out.write(f"\r{_bar(run, begun.done)} {told}\x1b[K", ending="")
            self._out.flush()
        else:
            self._out.write(told)

    def end(self) -> None:
        if self._is_seen:
            self._out.write("\r\x1b[K", ending="")


def counts_line(run: MetricRun) -> str:
    """E.g. ``90 of 100 done, 2 failed, 3 undefined, 40 cached.``"""
    told = f"{run.n_done} of {run.n_items} done"
    for n, word in (
        (run.n_failed, "failed"),
        (run.n_undefined, "undefined"),
        (run.n_cached, "cached"),
    ):
        told += f", {n} {word}" if n else ""
    return f"{told}."


def estimate_line(run: MetricRun) -> str:
    told = run.estimate or {}
    said = (
        f"It would score {told.get('pieces', 0)} items and cells; {told.get('found', 0)} were "
        "computed before. "
    )
    if "tokens_in" not in told:
        return f"{said}No chat model is asked."
    return said + (
        f"{told.get('calls', 0)} new calls, about {told.get('tokens_in', 0)} tokens sent, at most "
        f"{told.get('tokens_out_at_most', 0)} answered; {told.get('stored', 0)} answers are stored."
    )


def _bar(run: MetricRun, under_way: float) -> str:
    full = int(BAR * (run.n_done + under_way) / max(run.n_items, 1))
    return f"[{'#' * full}{'.' * (BAR - full)}]"


def _parameters(given: list[str]) -> dict[str, str]:
    parameters: dict[str, str] = {}
    for text in given:
        name, sign, value = text.partition("=")
        if not sign or not name.strip():
            raise CommandError(f"--param {text}: write NAME=VALUE, e.g. --param tau=0.52.")
        parameters[name.strip()] = value.strip()
    return parameters


def _ids(given: str) -> tuple[str, ...]:
    if given.startswith("@"):
        try:
            lines = Path(given[1:]).read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"--items {given}: {error}") from error
    else:
        lines = given.split(",")
    return tuple(line.strip() for line in lines if line.strip())


def _resumed(study: Study, run_id: int, budget: dict[str, int], *, dry: bool) -> MetricRun:
    run = study.metric_runs.filter(pk=run_id).first()
    if run is None:
        raise CommandError(f"The study {study.slug} has no run {run_id}.")
    resumed = runs.resume_run(run=run, budget=budget or None, dry=dry, foreground=True)
    run.refresh_from_db()
    if run.state not in {RunState.QUEUED, RunState.RUNNING}:
        raise CommandError(f"Run {run_id} is {run.get_state_display().lower()}; nothing is left.")
    if not resumed and dry and not run.dry:
        raise CommandError(f"Run {run_id} is under way: what it asks is no longer said beforehand.")
    return run


@contextmanager
def _interrupts(err: Any) -> Iterator[list[int]]:
    """Filled by the first Ctrl-C; the second one ends the process at once."""
    met: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        if met:
            raise KeyboardInterrupt
        met.append(number)
        err.write("\nStopping after the items under way. Ctrl-C again stops at once.")

    try:
        before = signal.signal(signal.SIGINT, note)
    except ValueError:  # not in the main thread: nobody presses keys here
        yield met
        return
    try:
        yield met
    finally:
        signal.signal(signal.SIGINT, before)
