"""Ratings of another tool as a closed study, on which every page of the report works.

import_ratings FILE [FILE ...] --title T --owner USER --item COLUMN[,COLUMN] --scale 1-5
    [--shape long]    --rater COLUMN --value COLUMN [--question COLUMN]
    --shape raters    [--columns A,B,C]     a column a rater
    --shape systems   [--columns A,B,C]     a column a model, a file a rater
    --shape list      --value COLUMN        a list of ratings, one a rater
    [--records PATH] [--cell SC,PQ] [--facts system=COLUMN,prompt=COLUMN]
    [--where COLUMN=VALUE] [--missing NA] [--preview]
    --from qualtrics    [--pattern {item}_{question}] [--rater COLUMN]
    --from label-studio [--item FIELD[,FIELD]] [--facts system=FIELD]     of a task's data
    --from potato       [--history annotation_history.jsonl]
"""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError
from django.utils.text import slugify

from annotation.external.gathering import Gathering
from annotation.external.scales import by_question
from annotation.external.writing import Wanted, write_study
from studies.external.asked import asked, names
from studies.external.layouts import SHAPES
from studies.external.qualtrics import PATTERN
from studies.external.reading import TOOLS
from studies.external.records import ImportRefusedError
from studies.models import Question


class Command(BaseCommand):
    help = "Import ratings of another tool as a closed study."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", help="CSV, TSV, JSON lines or JSON.")
        parser.add_argument("--title", required=True)
        parser.add_argument("--slug", help="Its address; by default from the title.")
        parser.add_argument("--owner", help="Whose study it is; needed unless --preview.")
        parser.add_argument("--item", default="", help="Columns that name an item together.")
        parser.add_argument("--from", dest="tool", default="", choices=TOOLS, help="An export of.")
        parser.add_argument("--pattern", default=PATTERN, help="Names of columns, of Qualtrics.")
        parser.add_argument("--history", type=Path, help="Potato's history, for several clicks.")
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
            "--missing", default="", help="What stands for no answer: NA, or --missing=-99."
        )
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
        source = asked(options)
        scales, default = by_question(options["scale"])
        gathering = Gathering(source, scales, default)
        for name in options["files"]:
            gathering.take(Path(name))
        if options["preview"]:
            self._show(gathering)
        found = gathering.finish()
        self.stdout.write(
            f"{len(found):,} ratings of {len(found.items):,} items by {len(found.raters):,} raters "
            f"on {', '.join(found.questions)}."
        )
        for reason, n in gathering.reasons:
            self.stdout.write(f"Left out: {n:,} {reason}.")
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
            directions=dict.fromkeys(names(options["lower"]), Question.Direction.LOWER),
            texts=gathering.texts,
            level=options["level"],
        )
        study = write_study(
            wanted=wanted,
            found=found,
            files=gathering.files,
            columns=source.to_store(),
            by=owner,
        )
        self.stdout.write(f"The study is at /studies/{study.slug}/report/")

    def _show(self, gathering: Gathering) -> None:
        for one in gathering.first:
            facts = ", ".join(f"{name} {said}" for name, said in one.facts.items() if said)
            self.stdout.write(
                f"{one.where}: {one.rater} gives {one.item} on {one.question} {one.value}"
                + (f" ({facts})" if facts else "")
            )


def _owner(name: str | None) -> Any:
    if not name:
        raise CommandError("Whose study shall it be? Give --owner USER.")
    owner = get_user_model().objects.filter(username=name).first()
    if owner is None:
        raise CommandError(f"There is no user {name!r}.")
    return owner
