"""A million ratings of another tool in: python benchmarks/import_ratings.py [--rows 1000000]

A long table of raters who each rated 1,000 items, on one scale, comes in by the command and as a
worker does it for the page, into a site of its own in a scratch folder (SQLite). Printed are
seconds on the wall, rows a second, and the greatest memory; of the worker also how long somebody
else waited to save something meanwhile. Beside them stands the usual way, in the same run: row by
row, everything that it names looked up or made as the row is read; at `--baseline-rows`, because
it is slow.
"""

from __future__ import annotations

import argparse
import csv
import os
import resource
import subprocess
import sys
import threading
import time
from pathlib import Path

from scratch import ROOT, scratch_site, use

ITEMS_A_RATER = 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--baseline-rows", type=int, default=5_000)
    parser.add_argument(
        "--measure", choices=["command", "worker", "baseline"], help=argparse.SUPPRESS
    )
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        measure(arguments)
        return
    with scratch_site("import") as folder:
        add_owner()
        write_table(folder / "command.csv", arguments.rows)
        write_table(folder / "worker.csv", arguments.rows)
        write_table(folder / "baseline.csv", arguments.baseline_rows)
        for name in ("command", "worker", "baseline"):
            own = [sys.executable, __file__, "--measure", name, "--folder", str(folder)]
            subprocess.run(own, cwd=ROOT, check=True)


def add_owner() -> None:
    from accounts.models import User

    User.objects.create_superuser("ana", password="benchmark only")


def write_table(path: Path, n: int) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["item", "rater", "system", "score"])
        for row in range(n):
            rater, item = divmod(row, ITEMS_A_RATER)
            writer.writerow([f"item-{item}", f"rater-{rater}", f"m{item % 4}", 1 + row % 5])


def measure(arguments: argparse.Namespace) -> None:
    use(arguments.folder)
    path = arguments.folder / f"{arguments.measure}.csv"
    before = peak()
    started = time.monotonic()
    ways = {"command": by_command, "worker": by_worker, "baseline": row_by_row}
    n = ways[arguments.measure](path)
    seconds = time.monotonic() - started
    print(
        f"{arguments.measure:9} {n:>9,} ratings in {seconds:7.1f} s, {n / seconds:7,.0f} a second; "
        f"memory {before:.0f} -> {peak():.0f} MB",
        flush=True,
    )


def by_command(path: Path) -> int:
    from django.core.management import call_command

    from annotation.models import Rating

    call_command(
        "import_ratings",
        str(path),
        title="Imported",
        owner="ana",
        item="item",
        rater="rater",
        value="score",
        scale=["1-5"],
        facts="system=system",
        stdout=open(os.devnull, "w"),  # noqa: SIM115 (the process ends)
    )
    return Rating.objects.filter(assignment__participation__study__slug="imported").count()


def by_worker(path: Path) -> int:
    from django.core.files.uploadedfile import SimpleUploadedFile

    from accounts.models import User
    from annotation.external.jobs import execute_import, request_import
    from annotation.external.uploads import receive

    brought = receive(
        [SimpleUploadedFile(path.name, path.read_bytes())], tool="", by=User.objects.get()
    )
    asked = {"title": "By a worker", "shape": "long", "item": "item", "rater": "rater"}
    asked |= {"value": "score", "facts": "system=system", "scale": "1-5", "level": "ordinal"}
    request_import(brought=brought, asked=asked)
    over = threading.Event()
    somebody = threading.Thread(target=save_now_and_then, args=(over,))
    somebody.start()
    execute_import(brought.pk)
    over.set()
    somebody.join()
    brought.refresh_from_db()
    if not brought.is_done:
        raise SystemExit(f"not imported: {brought.problems} {brought.error}")
    return brought.n_done


def save_now_and_then(over: threading.Event) -> None:
    """What a person who rates does meanwhile: save a row, wait half a second."""
    from django.db import connection
    from django.utils import timezone

    from accounts.models import User

    waits = []
    while not over.wait(0.5):
        started = time.monotonic()
        User.objects.update(last_login=timezone.now())
        waits.append(time.monotonic() - started)
    connection.close()
    waits.sort()
    middle, most = waits[len(waits) // 2], waits[-1]
    print(
        f"          {len(waits)} people saved meanwhile: median {middle * 1000:.0f} ms, "
        f"slowest {most * 1000:.0f} ms",
        flush=True,
    )


def row_by_row(path: Path) -> int:
    from django.db import transaction
    from django.utils import timezone

    from accounts.models import User
    from annotation.models import Assignment, Participation, Rating
    from studies.models import Item, Question, Study, System, Unit, UnitItem

    owner = User.objects.get(username="ana")
    study = Study.objects.create(owner=owner, title="Usual", slug="usual", public_title="Usual")
    question = Question.objects.create(study=study, key="rating", text="rating")
    n = 0
    with transaction.atomic(), path.open(newline="") as file:
        for row in csv.DictReader(file):
            system, _ = System.objects.get_or_create(study=study, name=row["system"])
            item, is_new = Item.objects.get_or_create(
                study=study, external_id=row["item"], defaults={"system": system}
            )
            unit, _ = Unit.objects.get_or_create(study=study, key=row["item"])
            if is_new:
                UnitItem.objects.create(unit=unit, item=item)
            person, _ = Participation.objects.get_or_create(study=study, code=row["rater"])
            screen = Assignment.objects.create(
                participation=person,
                n=person.assignments.count() + 1,
                unit=unit,
                counted=True,
                submitted_at=timezone.now(),
            )
            Rating.objects.create(
                assignment=screen,
                question=question,
                item=item,
                subject=f"i{item.pk}",
                value=int(row["score"]),
            )
            n += 1
    return n


def peak() -> float:
    """The greatest resident memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
