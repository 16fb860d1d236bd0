"""Ratings of another tool as a closed study, on which every page of the report works.

import_ratings FILE [FILE ...] --title T --owner USER --item COLUMN[,COLUMN] --scale 1-5
    [--shape long]    --rater COLUMN --value COLUMN [--question COLUMN]
    --shape raters    [--columns A,B,C]     a column a rater
    --shape systems   [--columns A,B,C]     a column a model, a file a rater
    --shape list      --value COLUMN        a list of ratings, one a rater
    [--records PATH] [--cell SC,PQ] [--facts system=COLUMN,prompt=COLUMN]
    [--where COLUMN=VALUE] [--preview]
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError
from django.utils.text import slugify

from annotation.external.collecting import Collector
from annotation.external.scales import Declared, declared
from annotation.external.writing import Wanted, write_study
from studies.external.layouts import SHAPES, Columns, ratings
from studies.external.records import ImportRefusedError
from studies.external.sources import Row, conditions, matching, rows, sha256
from studies.models import Question

PREVIEWED = 10


class Command(BaseCommand):
    help = "Import ratings of another tool as a closed study."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", help="CSV, TSV, JSON lines or JSON.")
        parser.add_argument("--title", required=True)
        parser.add_argument("--slug", help="Its address; by default from the title.")
        parser.add_argument("--owner", help="Whose study it is; needed unless --preview.")
        parser.add_argument("--item", required=True, help="Columns that name an item together.")
        parser.add_argument("--shape", choices=SHAPES, default="long")
        parser.add_argument("--rater", default="", help="The column of the rater.")
        parser.add_argument("--rater-is", default="", help="The rater of all rows of a file.")
        parser.add_argument("--value", default="", help="The column of the rating.")
        parser.add_argument("--question", default="", help="The column of the question.")
        parser.add_argument("--question-is", default="rating", help="The question of all rows.")
        parser.add_argument("--columns", default="", help="The columns that are raters or models.")
        parser.add_argument("--cell", default="", help="Questions of cells that are lists.")
        parser.add_argument("--facts", default="", help="E.g. system=model,prompt=text.")
        parser.add_argument("--records", default="", help="Path in a JSON file, e.g. data.*")
        parser.add_argument("--where", action="append", default=[], help="COLUMN=VALUE of rows.")
        parser.add_argument(
            "--scale",
            action="append",
            required=True,
            help="1-5, or points from the lowest: 0,0.5,1; for one question name=1-5.",
        )
        parser.add_argument("--level", choices=Question.Level.values, default="ordinal")
        parser.add_argument("--lower", default="", help="Questions whose lower answers are better.")
        parser.add_argument("--preview", action="store_true", help="Read and check; write nothing.")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self._import(options)
        except ImportRefusedError as error:
            raise CommandError("Nothing was imported.\n" + "\n".join(error.problems)) from error

    def _import(self, options: dict[str, Any]) -> None:
        columns = _columns(options)
        scales, default = _scales(options["scale"])
        collector = Collector(scales, default)
        files = []
        for name in options["files"]:
            path = Path(name)
            own = columns
            if columns.shape == "systems" and not columns.rater_is:
                own = replace(columns, rater_is=path.stem)
            n = collector.take(ratings(_rows(path, options), own))
            files.append({"name": path.name, "ratings": n, "sha256": sha256(path)})
        if options["preview"]:
            self._preview(options, columns)
        found = collector.finish()
        self.stdout.write(
            f"{len(found):,} ratings of {len(found.items):,} items by {len(found.raters):,} raters "
            f"on {', '.join(found.questions)}."
        )
        if options["preview"]:
            self.stdout.write("Nothing was written: this was a preview.")
            return
        owner = _owner(options["owner"])
        wanted = Wanted(
            title=options["title"],
            slug=options["slug"] or slugify(options["title"])[:50],
            owner=owner,
            scales=scales,
            default=default,
            directions=dict.fromkeys(_list(options["lower"]), Question.Direction.LOWER),
            texts={},
            level=options["level"],
        )
        kept = {**columns.to_store(), "records": options["records"]}
        study = write_study(wanted=wanted, found=found, files=files, columns=kept, by=owner)
        self.stdout.write(f"The study is at /studies/{study.slug}/report/")

    def _preview(self, options: dict[str, Any], columns: Columns) -> None:
        path = Path(options["files"][0])
        if columns.shape == "systems" and not columns.rater_is:
            columns = replace(columns, rater_is=path.stem)
        read = ratings(_rows(path, options), columns)
        for one in islice(read, PREVIEWED):
            facts = ", ".join(f"{name} {said}" for name, said in one.facts.items() if said)
            self.stdout.write(
                f"{one.where}: {one.rater} gives {one.item} on {one.question} {one.value}"
                + (f" ({facts})" if facts else "")
            )


def _rows(path: Path, options: dict[str, Any]) -> Iterator[Row]:
    return matching(rows(path, records=options["records"]), conditions(options["where"]))


def _columns(options: dict[str, Any]) -> Columns:
    shape = options["shape"]
    needed = {"long": ("value",), "list": ("value",)}.get(shape, ())
    missing = [name for name in needed if not options[name]]
    if shape == "long" and not (options["rater"] or options["rater_is"]):
        missing.append("rater")
    if missing:
        raise CommandError(f"The shape {shape} needs --{' and --'.join(missing)}.")
    facts = {}
    for pair in _list(options["facts"]):
        name, equals, column = pair.partition("=")
        if not equals:
            raise CommandError(f"--facts {pair!r}: write system=COLUMN.")
        facts[name.strip()] = column.strip()
    return Columns(
        item=tuple(_list(options["item"])),
        shape=shape,
        rater=options["rater"],
        rater_is=options["rater_is"],
        value=options["value"],
        question=options["question"],
        question_is=options["question_is"],
        columns=tuple(_list(options["columns"])),
        cell=tuple(_list(options["cell"])),
        facts=facts,
    )


def _scales(given: list[str]) -> tuple[dict[str, Declared], Declared | None]:
    scales: dict[str, Declared] = {}
    default = None
    for text in given:
        question, equals, points = text.rpartition("=")
        if equals:
            scales[question.strip()] = declared(points)
        else:
            default = declared(text)
    return scales, default


def _owner(name: str | None) -> Any:
    if not name:
        raise CommandError("Whose study shall it be? Give --owner USER.")
    owner = get_user_model().objects.filter(username=name).first()
    if owner is None:
        raise CommandError(f"There is no user {name!r}.")
    return owner


def _list(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]
