"""A label set for CAIRe from a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from scoring.label_sets import LabelSetError, write_label_set
from studies.management.shell import find_study, read_file


class Command(BaseCommand):
    help = "Write one of a study's label sets from a file of UTF-8 text, one label a line."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", metavar="STUDY", help="the study's short name (slug)")
        parser.add_argument("file", metavar="FILE", help="one label a line")
        parser.add_argument(
            "--name", help="the set's name; default: the file's, without its ending"
        )
        parser.add_argument("--replace", action="store_true", help="in place of the one there is")

    def handle(self, *args: Any, **options: Any) -> None:
        study = find_study(options["study"])
        path = Path(options["file"])
        try:
            text = read_file(path).decode("utf-8-sig")
            labels = write_label_set(
                study=study,
                name=options["name"] or path.stem,
                text=text,
                replace=options["replace"],
            )
        except UnicodeDecodeError as error:
            raise CommandError(f"{path} is no text in UTF-8 ({error}).") from error
        except LabelSetError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            self.style.SUCCESS(f"Label set {labels.name}: {len(labels.lines)} labels.")
        )
