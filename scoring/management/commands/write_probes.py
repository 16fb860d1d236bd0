"""CultureScore's bank of probes in a terminal.

    write_probes STUDY --model MODEL [--verifier MODEL] [--budget-calls N]

The same work as on the page of the study: it can be stopped and gone on with, and a chat model is
asked nothing twice.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from scoring.management.step_command import StepCommand, given
from scoring.models import ScoringStep


class Command(StepCommand):
    help = "Write a draft's scenarios in three wordings, and its bank of verified probes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--model", required=True, help="The chat model that writes.")
        parser.add_argument("--verifier", help="The one that verifies; by default the same.")

    def asked(self, options: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        return ScoringStep.Kind.PROBES, given(options, ("model", "verifier", "budget_calls"))

    def say(self, step: ScoringStep) -> None:
        result = step.result
        self.stdout.write(
            f"Scenarios: {step.n_done}, {step.n_skipped} of them filled already, "
            f"{step.n_refused} refused, {step.n_unreadable} unreadable; "
            f"{result.get('questions', 0)} questions, {result.get('grounded', 0)} grounded, "
            f"{result.get('unverified', 0)} not verified; "
            f"{step.n_calls} new calls, {step.n_stored} answers from the store."
        )
