"""CultureScore's bank of probes in a terminal.

    write_probes STUDY --model MODEL [--verifier MODEL] [--budget-calls N]

The same work as on the page of the study: it can be stopped and gone on with, and a chat model is
asked nothing twice.
"""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from scoring.metrics.base import MetricError
from scoring.models import ScoringStep, WorkState
from scoring.steps import cancel_step, execute_step, request_step
from studies.models import Study


class Command(BaseCommand):
    help = "Write a draft's scenarios in three wordings, and its bank of verified probes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="The study's slug.")
        parser.add_argument("--model", required=True, help="The chat model that writes.")
        parser.add_argument("--verifier", help="The one that verifies; by default the same.")
        parser.add_argument("--budget-calls", type=int, help="At most so many new calls.")

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.filter(slug=options["study"]).first()
        if study is None:
            raise CommandError(f"There is no study {options['study']!r}.")
        names = ("model", "verifier", "budget_calls")
        given = {name: options[name] for name in names if options[name] is not None}
        try:
            step = request_step(
                study=study, kind=ScoringStep.Kind.PROBES, parameters=given, by=None, send=False
            )
        except MetricError as error:
            raise CommandError(str(error)) from error
        try:
            execute_step(step_id=step.pk, on_progress=self._show)
        except KeyboardInterrupt:
            cancel_step(step=step)
            self.stderr.write("\nStopped. The same command goes on where it was.")
            raise
        step.refresh_from_db()
        self.stderr.write("")
        if step.state != WorkState.DONE:
            raise CommandError(step.error or f"The step is {step.get_state_display().lower()}.")
        self._say(step)

    def _show(self, step: ScoringStep) -> None:
        self.stderr.write(f"\r{step.n_done} of {step.n_total}, {step.n_calls} new calls", ending="")
        self.stderr.flush()

    def _say(self, step: ScoringStep) -> None:
        result = step.result
        self.stdout.write(
            f"Scenarios: {step.n_done}, {step.n_skipped} of them filled already, "
            f"{step.n_refused} refused, {step.n_unreadable} unreadable; "
            f"{result.get('questions', 0)} questions, {result.get('grounded', 0)} grounded, "
            f"{result.get('unverified', 0)} not verified; "
            f"{step.n_calls} new calls, {step.n_stored} answers from the store."
        )
