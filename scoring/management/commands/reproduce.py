"""Compute the report of a bundle again, from the bundle alone."""

from __future__ import annotations

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from scoring.exports.bundle.reproducing import Outcome, UnreadableBundle, reproduce

SHOWN = 40


class Command(BaseCommand):
    help = (
        "Loads a reproducibility bundle into a database in memory, computes its report again and "
        "says whether every number is equal. The site's own database is not touched."
    )
    requires_migrations_checks = False

    def add_arguments(self, parser) -> None:
        parser.add_argument("bundle", type=Path, help="The ZIP file.")
        parser.add_argument("--all", action="store_true", help="Name every difference.")

    def handle(self, *args, **options) -> None:
        try:
            outcome = reproduce(options["bundle"])
        except UnreadableBundle as error:
            raise CommandError(str(error)) from error
        for warning in outcome.warnings:
            self.stdout.write(self.style.WARNING(f"Warning: {warning}"))
        most = None if options["all"] else SHOWN
        self._list("Calibrations that are not computed again", outcome.not_computed, most)
        self._list("Files that are not as they were packed", outcome.sums, most)
        self._list("Not what the rows give", outcome.wrong, most)
        self._list("Equal but for the last digits", outcome.last_digits, most)
        if not outcome.is_equal:
            raise CommandError(_verdict(outcome))
        self.stdout.write(self.style.SUCCESS(_verdict(outcome)))

    def _list(self, title: str, lines: tuple[object, ...], most: int | None) -> None:
        if not lines:
            return
        self.stdout.write(f"{title}: {len(lines):,}")
        for line in lines[:most]:
            self.stdout.write(f"  {line}")
        if most is not None and len(lines) > most:
            self.stdout.write(f"  ... and {len(lines) - most:,} more (--all names them)")


def _verdict(outcome: Outcome) -> str:
    if not outcome.is_equal:
        return (
            f"Not reproduced: {outcome.study}. {len(outcome.sums):,} files were changed since they "
            f"were packed, and {len(outcome.wrong):,} values are not what the rows give."
        )
    how = "equal but for last digits" if outcome.last_digits else "equal"
    return (
        f"Reproduced: {outcome.study}. Every one of {outcome.n_numbers:,} numbers of the report is "
        f"{how}, and {outcome.n_lines:,} lines of its files are what the rows give."
    )
