"""How alike countries' reference texts are, overall and by category.

    compare_texts TEXTS.csv [--regions REGIONS.csv] [--json]

TEXTS.csv has the columns country, category and text; REGIONS.csv has country and region.
"""

from __future__ import annotations

import csv
import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from scoring.backends.text_embedder import default_text_embedder
from scoring.metrics.text_similarity import CountryText, Similarities, similarities, swings


class Command(BaseCommand):
    help = "Similarity of countries' reference texts: matrices, pairs, swings between categories."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("texts", help="CSV with the columns country, category, text.")
        parser.add_argument("--regions", help="CSV with the columns country, region.")
        parser.add_argument("--json", action="store_true", help="All numbers, unrounded.")

    def handle(self, *args: Any, **options: Any) -> None:
        rows = _rows(options["texts"], ("country", "category", "text"))
        texts = [CountryText(row["country"], row["category"], row["text"]) for row in rows]
        regions = {}
        if options["regions"]:
            wanted = _rows(options["regions"], ("country", "region"))
            regions = {row["country"]: row["region"] for row in wanted}
        try:
            found = similarities(texts, default_text_embedder())
        except ValueError as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(json.dumps([_numbers(one, regions) for one in found], indent=1))
            return
        for one in found:
            self._say(one, regions)
        for swing in swings(found)[:5]:
            self.stdout.write(
                f"{swing.first} and {swing.second}: {swing.low:.3f} in {swing.low_category}, "
                f"{swing.high:.3f} in {swing.high_category}"
            )

    def _say(self, one: Similarities, regions: dict[str, str]) -> None:
        told = _numbers(one, regions)
        self.stdout.write(f"\n{one.category or 'All categories'}: {len(one.countries)} countries")
        if not one.pairs:
            self.stdout.write("  one country alone has no similarity")
            return
        first, last = one.pairs[0], one.pairs[-1]
        self.stdout.write(f"  mean {one.mean:.3f}, {last.similarity:.3f} to {first.similarity:.3f}")
        self.stdout.write(f"  closest {first.first} and {first.second}")
        self.stdout.write(f"  farthest {last.first} and {last.second}")
        for country, mean in told["means"].items():
            self.stdout.write(f"  {country}\t{mean:.3f}")
        if regions:
            within, between = told["within"], told["between"]
            self.stdout.write(f"  within regions {_n(within)}, between them {_n(between)}")


def _numbers(one: Similarities, regions: dict[str, str]) -> dict[str, Any]:
    within, between = one.within_and_between(regions)
    return {
        "category": one.category,
        "countries": list(one.countries),
        "matrix": one.matrix.tolist(),
        "mean": one.mean,
        "means": {country: one.mean_of(country) for country in one.countries},
        "within": within,
        "between": between,
    }


def _n(value: float | None) -> str:
    return "no pairs" if value is None else f"{value:.3f}"


def _rows(path: str, columns: tuple[str, ...]) -> list[dict[str, str]]:
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            missing = [name for name in columns if name not in (reader.fieldnames or [])]
            if missing:
                raise CommandError(f"{path} has no column {', '.join(missing)}.")
            rows = [{name: (row[name] or "").strip() for name in columns} for row in reader]
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.") from error
    except csv.Error as error:
        raise CommandError(f"{path} is not CSV: {error}.") from error
    except UnicodeDecodeError as error:
        raise CommandError(f"{path} is not UTF-8 text.") from error
    if not rows:
        raise CommandError(f"{path} has a header and no rows.")
    for number, row in enumerate(rows, start=2):
        if not row["country"]:
            raise CommandError(f"{path}, row {number}: no country.")
    return rows
