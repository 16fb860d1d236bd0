"""A background step done in a terminal: it can be stopped and gone on with, as on its page."""

from __future__ import annotations

from abc import ABC, abstractmethod
from argparse import ArgumentParser
from collections.abc import Iterable, Mapping
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from scoring.metrics.base import MetricError
from scoring.models import ScoringStep, WorkState
from scoring.steps import cancel_step, execute_step, request_step
from studies.management.shell import find_study


class StepCommand(BaseCommand, ABC):
    """Which step with which parameters, and what is said of it, is left to the command itself."""

    @abstractmethod
    def asked(self, options: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """The kind of step, and its parameters."""

    @abstractmethod
    def say(self, step: ScoringStep) -> None:
        """What came of a step that is done."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="The study's slug.")
        parser.add_argument("--budget-calls", type=int, help="At most so many new calls.")

    def handle(self, *args: Any, **options: Any) -> None:
        study = find_study(options["study"])
        kind, parameters = self.asked(options)
        try:
            step = request_step(study=study, kind=kind, parameters=parameters, by=None, send=False)
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
        self.say(step)

    def _show(self, step: ScoringStep) -> None:
        self.stderr.write(f"\r{step.n_done} of {step.n_total}, {step.n_calls} new calls", ending="")
        self.stderr.flush()


def given(options: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Those of the options that were given."""
    return {name: options[name] for name in names if options[name] is not None}
