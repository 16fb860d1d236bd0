"""A CAIRe run against gold labels, against people, and against the run with gold articles."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from scoring.caire_held import (
    OUTPUTS,
    NothingToHoldAgainstError,
    hold_labels,
    hold_people,
)
from scoring.metrics.caire.evaluation import (
    HEADLINE,
    AtThreshold,
    Averaged,
    Share,
    of_upper_bound,
)
from scoring.models import MetricRun
from studies.models import Question


class Command(BaseCommand):
    help = (
        "Precision, recall and F1 of a CAIRe run at thresholds 2 to 5 against the items' "
        "gold_labels, and Pearson's r with people's ratings by country. With --gold-run, what "
        "retrieval reaches of the run that was given the right articles."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=int, metavar="RUN", help="the run's id")
        parser.add_argument("--output", choices=OUTPUTS, help="which score; default: the first")
        parser.add_argument("--gold-run", type=int, metavar="RUN", help="the upper bound's run")
        parser.add_argument("--question", metavar="KEY", help="default: the only Likert question")

    def handle(self, *args: Any, **options: Any) -> None:
        run = _run(options["run"])
        output = options["output"] or _first_output(run)
        self.stdout.write(f"{output} of run {run.pk} ({run.metric}, {run.model_id})")
        missing = []
        try:
            labels = hold_labels(run, output)
            self._labels(labels)
            if options["gold_run"]:
                self._upper_bound(labels, hold_labels(_run(options["gold_run"]), output))
        except NothingToHoldAgainstError as error:
            missing.append(str(error))
        try:
            people = hold_people(run, output, _question(run, options["question"]))
            for kind, found in people.items():
                self._people(kind, found)
        except NothingToHoldAgainstError as error:
            missing.append(str(error))
        if len(missing) == 2:
            raise CommandError("\n".join(missing))
        for sentence in missing:
            self.stdout.write(sentence)

    def _labels(self, found: list[AtThreshold]) -> None:
        self.stdout.write(f"{found[0].n} pictures with gold labels; precision, recall, F1")
        kinds = (
            ("mean over pictures", "per_image"),
            ("micro", "micro"),
            ("macro by label", "by_label"),
        )
        for at in found:
            mark = "  (headline)" if at.threshold == HEADLINE else ""
            self.stdout.write(f"score >= {at.threshold}{mark}")
            for words, name in kinds:
                self.stdout.write(f"  {words:<20}{_share(getattr(at, name))}")

    def _upper_bound(self, retrieved: list[AtThreshold], gold: list[AtThreshold]) -> None:
        for ours, theirs in zip(retrieved, gold, strict=True):
            ratio = of_upper_bound(ours.per_image.f1, theirs.per_image.f1)
            self.stdout.write(
                f"F1 at {ours.threshold}: retrieved {_number(ours.per_image.f1)}, gold articles "
                f"{_number(theirs.per_image.f1)}, ratio {_number(ratio)}"
            )

    def _people(self, kind: str, found: Averaged) -> None:
        if not found.countries:
            return
        self.stdout.write(f"Pearson's r with people, {kind} pictures")
        for row in found.countries:
            self.stdout.write(f"  {row.country:<20}{_number(row.r):>8}  n {row.n}")
        self.stdout.write(
            f"  mean over countries {_number(found.mean)}, by pictures "
            f"{_number(found.weighted)}, SD {_number(found.sd)}"
        )


def _run(pk: int) -> MetricRun:
    run = MetricRun.objects.filter(pk=pk).select_related("study").first()
    if run is None:
        raise CommandError(f"There is no run {pk}.")
    return run


def _first_output(run: MetricRun) -> str:
    for output in OUTPUTS:
        if run.scores.filter(output=output).exists():
            return output
    raise CommandError(f"Run {run.pk} of {run.metric} has no score of CAIRe.")


def _question(run: MetricRun, key: str | None) -> Question:
    """Raises ``NothingToHoldAgainstError`` where it is not clear which."""
    questions = run.study.questions.filter(kind=Question.Kind.LIKERT)
    found = list(questions.filter(key=key) if key else questions)
    if len(found) == 1:
        return found[0]
    names = ", ".join(questions.values_list("key", flat=True)) or "none"
    raise NothingToHoldAgainstError(
        f"Name the question that people answered with --question. There are: {names}."
    )


def _share(share: Share) -> str:
    return "  ".join(f"{_number(v):>6}" for v in (share.precision, share.recall, share.f1))


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
