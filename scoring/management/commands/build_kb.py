"""A knowledge base for CAIRe, from a JSONL file of entities."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from scoring.backends.image_text import EncoderError
from scoring.encoders import image_text_encoder
from scoring.knowledge.building import build_knowledge_base
from scoring.knowledge.records import KnowledgeBaseError


class Command(BaseCommand):
    help = (
        "Build a knowledge base from JSONL: one entity a line, with id, lemma, gloss, article and "
        "images. A folder that holds one already becomes that of the file; only texts and pictures "
        "that are new are encoded."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("source", type=Path, metavar="ENTITIES.jsonl")
        parser.add_argument("folder", type=Path, metavar="FOLDER")
        parser.add_argument(
            "--images",
            type=Path,
            metavar="DIR",
            help="default: the folder of the file",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        source: Path = options["source"]
        try:
            built = build_knowledge_base(
                source,
                options["folder"],
                images=options["images"] or source.parent,
                encoder=image_text_encoder("caire"),
                on_progress=self._progress if options["verbosity"] > 1 else None,
            )
        except (KnowledgeBaseError, EncoderError) as error:
            raise CommandError(str(error)) from error
        manifest = built.manifest
        self.stdout.write(
            f"{manifest.entities} entities with {manifest.pictures} pictures in "
            f"{options['folder']}. Encoded now: {built.texts} texts, {built.pictures} pictures; "
            f"no longer needed: {built.dropped}."
        )
        if built.truncated:
            self.stdout.write(
                f"Of {built.truncated} texts the model reads the beginning only. Articles go to "
                "the chat model whole."
            )

    def _progress(self, done: int, n: int) -> None:
        self.stderr.write(f"{done} of {n} entities")
