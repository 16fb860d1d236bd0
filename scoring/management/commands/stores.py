"""The stores of scores, vectors and exchanges: what is in them, and emptying them."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.template.defaultfilters import filesizeformat

from scoring.stores import STORES, Store, Which, contents, empty, metric_name, store_called


class Command(BaseCommand):
    help = (
        "What is stored so as not to be computed or paid for twice, and emptying it. Scores of "
        "runs, which reports read, are never touched."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--empty", choices=list(STORES), metavar="STORE", help=str([*STORES]))
        parser.add_argument("--model", help="only what this model made")
        parser.add_argument("--metric", help="only scores of this metric (its key)")
        parser.add_argument("--older-than", type=int, metavar="DAYS", help="only what is so old")
        parser.add_argument("--no-input", action="store_true", help="do not ask first")

    def handle(self, *args: Any, **options: Any) -> None:
        which = Which(options["metric"], options["model"], options["older_than"])
        if which.days is not None and which.days < 0:
            raise CommandError("--older-than: give a number of days, 0 or more.")
        if options["empty"] is None:
            for store in STORES.values():
                self._list(store, which)
            return
        store = store_called(options["empty"])
        if which.metric is not None and "metric" not in store.named:
            raise CommandError(f"--metric: {store.name} are stored by model alone.")
        self._list(store, which)
        if contents(store, which) and (options["no_input"] or _agreed(store)):
            n = empty(store, which)
            self.stdout.write(self.style.SUCCESS(f"{n} rows of {store.name.lower()} are gone."))

    def _list(self, store: Store, which: Which) -> None:
        found = contents(store, which)
        if not found:
            self.stdout.write(f"{store.name}: none")
            return
        n, n_bytes = sum(one.n for one in found), sum(one.n_bytes for one in found)
        self.stdout.write(f"{store.name}: {n}, about {filesizeformat(n_bytes)}")
        for one in found:
            made_by = " · ".join(filter(None, (one.metric and metric_name(one.metric), one.model)))
            ages = f"{one.oldest:%Y-%m-%d} to {one.newest:%Y-%m-%d}"
            size = filesizeformat(one.n_bytes)
            self.stdout.write(f"    {one.n} of {made_by or 'no name'}, about {size}, {ages}")


def _agreed(store: Store) -> bool:
    return input(f"Delete these {store.name.lower()} for good? [y/N] ").strip().lower() == "y"
