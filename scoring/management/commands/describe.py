"""AHEaD's steps in a terminal: descriptors by chat models, tau, the best real images, ablations.

    describe STUDY --references --proposers MODEL,MODEL --refiner MODEL
    describe STUDY --stereotypes --model MODEL
    describe STUDY --predictions --model MODEL [--items real]
    describe STUDY --edits --model MODEL --run RUN
    describe STUDY --keep-best [--run RUN] [--k 5]
    describe STUDY --calibrate [--extractor SOURCE] [--references-of SOURCE] [--pairs]
    describe STUDY --ablations [--run RUN] [--question KEY]

The same work as on the page of the study: it can be stopped and gone on with, and a chat model is
asked nothing twice.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from scoring.management.step_command import StepCommand, given
from scoring.models import ScoringStep

Kind = ScoringStep.Kind
KINDS = {
    "references": Kind.REFERENCES,
    "stereotypes": Kind.STEREOTYPES,
    "predictions": Kind.PREDICTIONS,
    "edits": Kind.EDITS,
    "keep_best": Kind.REAL_IMAGES,
    "calibrate": Kind.CALIBRATION,
    "ablations": Kind.ABLATIONS,
}
_AS_THEY_ARE = (
    *("proposers", "refiner", "model", "activities", "of", "items", "budget_calls"),
    *("run", "k", "extractor", "question"),
)


class Command(StepCommand):
    help = "AHEaD's steps: descriptors by chat models, tau, the best real images, ablations."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        which = parser.add_mutually_exclusive_group(required=True)
        for name in KINDS:
            which.add_argument(
                f"--{name.replace('_', '-')}", dest="kind", action="store_const", const=name
            )
        parser.add_argument("--proposers", help="Two chat models or more, commas between them.")
        parser.add_argument("--refiner", help="The chat model that makes one list of theirs.")
        parser.add_argument("--model", help="The chat model.")
        parser.add_argument("--activities", choices=["category", "scenario"])
        parser.add_argument("--of", choices=["country", "category", "scenario"])
        parser.add_argument("--items", choices=["all", "generated", "real"])
        parser.add_argument("--again", action="store_true", help="Look again where it failed.")
        parser.add_argument("--run", type=int, help="The number of a run.")
        parser.add_argument("--k", type=int, help="How many real images of each scene are kept.")
        parser.add_argument("--extractor", help="The source of the predicted descriptors.")
        parser.add_argument("--references-of", help="all, cleaned, or a source.")
        parser.add_argument("--pairs", action="store_true", help="tau of all pairs.")
        parser.add_argument("--question", help="The key of the question for the ablations.")

    def asked(self, options: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        return KINDS[options["kind"]], _parameters(options)

    def say(self, step: ScoringStep) -> None:
        counts = {
            "done": step.n_done,
            "there already": step.n_skipped,
            "refused": step.n_refused,
            "unreadable": step.n_unreadable,
            "new calls": step.n_calls,
            "from the store": step.n_stored,
        }
        self.stdout.write(", ".join(f"{n} {words}" for words, n in counts.items()))
        if step.kind == Kind.CALIBRATION:
            row = step.study.calibrations.get(pk=step.result["calibration"])
            self.stdout.write(f"tau: Q1 {row.q1:.3f}, median {row.median:.3f}, Q3 {row.q3:.3f}")
        for line in step.result.get("lines", ()):
            rho = "undefined" if line["rho"] is None else f"{line['rho']:.3f}"
            self.stdout.write(f"{line['group']}\t{line['name']}\t{line['n_both']}\t{rho}")


def _parameters(options: Mapping[str, Any]) -> dict[str, Any]:
    """What was given, under the names that steps know."""
    parameters = given(options, _AS_THEY_ARE)
    if options["references_of"]:
        parameters["references"] = options["references_of"]
    if options["pairs"]:
        parameters["values_of"] = "pairs"
    if options["again"]:
        parameters["again"] = True
    return parameters
