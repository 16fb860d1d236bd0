"""How often CAIRe links pictures to the right entity, in all six ways."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from scoring.backends.image_text import EncoderError
from scoring.backing import Wanted, backend_of
from scoring.caire_held import LinkingReport, NothingToHoldAgainstError, hold_linking
from scoring.knowledge.records import KnowledgeBaseError
from scoring.metrics.caire.linking import RECALL_AT, WAYS, NearMiss
from studies.management.shell import find_study


class Command(BaseCommand):
    help = (
        "Recall at 1, 5, 10 and 20 of linking a study's pictures to entities, over the items that "
        "name theirs in the column gold_entity, and the pictures whose entity does not come first."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", metavar="STUDY", help="the study's short name (slug)")
        parser.add_argument("--way", choices=WAYS, default=WAYS[0], help="whose misses are listed")
        parser.add_argument("--misses", type=int, default=20, help="how many are listed")
        parser.add_argument("--seconds", type=float, default=2.0, help="the frame of a clip")
        parser.add_argument("--json", action="store_true", help="everything as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        study = find_study(options["study"])
        try:
            knowledge = backend_of("knowledge_base", Wanted())
            report = hold_linking(study, knowledge, seconds=options["seconds"])
        except (NothingToHoldAgainstError, KnowledgeBaseError, EncoderError) as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(json.dumps(_told(report), ensure_ascii=False, indent=1))
            return
        self._table(report)
        for miss in report.recalls[options["way"]].misses[: options["misses"]]:
            self.stdout.write(_miss_words(miss))

    def _table(self, report: LinkingReport) -> None:
        n = next(iter(report.recalls.values())).n
        self.stdout.write(f"{n} pictures with a gold entity")
        heads = "".join(f"{f'recall@{k}':>11}" for k in RECALL_AT)
        self.stdout.write(f"{'way':<18}{heads}")
        for way, found in report.recalls.items():
            shares = "".join(f"{found.at[k]:>11.3f}" for k in RECALL_AT)
            self.stdout.write(f"{way:<18}{shares}")
        if report.unread:
            self.stdout.write(f"Without a readable picture: {', '.join(report.unread)}")
        if report.unknown:
            self.stdout.write(f"Not in the knowledge base: {', '.join(report.unknown)}")


def _told(report: LinkingReport) -> dict[str, Any]:
    recalls = {
        way: {
            "n": found.n,
            "recall": {str(k): share for k, share in found.at.items()},
            "misses": [
                {
                    "item": miss.key,
                    "gold": list(miss.gold),
                    "place": miss.place,
                    "first": [one.stored() for one in miss.first],
                }
                for miss in found.misses
            ],
        }
        for way, found in report.recalls.items()
    }
    return {"ways": recalls, "unread": list(report.unread), "unknown": list(report.unknown)}


def _miss_words(miss: NearMiss) -> str:
    first = ", ".join(f"{one.entity.lemma} {one.score:.4f}" for one in miss.first) or "nothing"
    place = f"place {miss.place}" if miss.place else "not found"
    return f"{miss.key}: {' or '.join(miss.gold)} {place}; first {first}"
