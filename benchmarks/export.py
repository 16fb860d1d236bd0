"""A million ratings out: python benchmarks/export.py [--rows 1000000] [--only csv,xlsx]

A site of its own in a scratch folder (SQLite): one study, three scales and a rationale a screen,
texts of a sentence. Every file is written by a process of its own, which prints seconds on the wall
and of the processor, rows a second of the latter, the size of the file, and its memory: before the
first row, half way, and at the end. Flat means that the last two are alike. Beside it stands the
usual way, in the same run: all rows as objects of the ORM with what they point to, then one text;
at `--baseline-rows`, because it holds all of them at once.

A measurement is a function of `MEASURED` that takes a folder and yields what it did, a line each.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

from scratch import ROOT, scratch_site, use

SLUG = "benchmark"
SCALES = ("faithfulness", "hallucination", "exaggeration")
A_SCREEN = len(SCALES) + 1  # ratings
SCREENS_A_RATER = 1000
TEXT = "The clothes fit, but nobody at a wedding here would carry a lamp like this one, nr {}."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000, help="ratings")
    parser.add_argument("--baseline-rows", type=int, default=100_000)
    parser.add_argument("--only", default=",".join(MEASURED), help="measurements by name")
    parser.add_argument("--measure", choices=MEASURED, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        _measure(arguments)
        return
    with scratch_site("export") as folder:
        started = time.monotonic()
        built = build(arguments.rows)
        print(f"{built:,} ratings built in {time.monotonic() - started:.0f} s", flush=True)
        for name in arguments.only.split(","):
            _in_a_process_of_its_own(name, folder, arguments)


def _in_a_process_of_its_own(name: str, folder: Path, arguments: argparse.Namespace) -> None:
    command = [sys.executable, __file__, "--measure", name, "--folder", str(folder)]
    command += ["--baseline-rows", str(arguments.baseline_rows)]
    subprocess.run(command, cwd=ROOT, check=True)


def _measure(arguments: argparse.Namespace) -> None:
    use(arguments.folder)
    for line in MEASURED[arguments.measure](arguments):
        print(line, flush=True)


# ---- the study


def build(wanted: int) -> int:
    """A study with at least so many ratings; how many there are."""
    from django.db import transaction

    study = _study()
    n_screens = -(-wanted // A_SCREEN)
    n_units = min(SCREENS_A_RATER, n_screens)
    _items(study, n_units)
    n_raters = -(-n_screens // n_units)
    with transaction.atomic():
        return _ratings(study, n_raters, n_screens)


def _study():
    from django.utils import timezone

    from accounts.models import User
    from studies.design import current_design
    from studies.models import DesignRevision, Panel, Question, ScalePoint, Study

    owner = User.objects.create_superuser("ana", password="benchmark only")
    study = Study.objects.create(
        owner=owner, title="Benchmark", slug=SLUG, public_title="Pictures", seed=1
    )
    Panel.objects.create(study=study, country="NP")
    for position, key in enumerate(SCALES, start=1):
        question = Question.objects.create(study=study, position=position, key=key, text=f"{key}?")
        ScalePoint.objects.bulk_create(
            ScalePoint(question=question, value=n, label=f"Point {n}") for n in range(1, 6)
        )
    Question.objects.create(study=study, position=9, key="why", kind="text", text="Why?")
    study.state, study.revision, study.launched_at = Study.State.LIVE, 1, timezone.now()
    study.save()
    DesignRevision.objects.create(study=study, number=1, design=current_design(study).to_json())
    return study


def _items(study, n: int) -> None:
    from studies.models import Item, System, Unit, UnitItem

    systems = [System.objects.create(study=study, name=f"Model {n}", position=n) for n in range(4)]
    Item.objects.bulk_create(
        Item(
            study=study,
            external_id=f"item-{number:05}",
            country="NP",
            category="wedding",
            prompt=f"Guests greet the host at a wedding in Nepal, scene {number // 4}",
            system=systems[number % 4],
            media="items/x.png",
            content_type="image/png",
            sha256=f"{number:064x}",
            width=64,
            height=48,
        )
        for number in range(n)
    )
    items = list(study.items.order_by("external_id"))
    Unit.objects.bulk_create(Unit(study=study, key=i.external_id, country="NP") for i in items)
    units = dict(study.units.values_list("key", "pk"))
    UnitItem.objects.bulk_create(UnitItem(unit_id=units[i.external_id], item=i) for i in items)


def _ratings(study, n_raters: int, n_screens: int) -> int:
    from django.utils import timezone

    from annotation.models import Assignment, Participation, Rating

    panel = study.panels.get()
    Participation.objects.bulk_create(
        Participation(study=study, panel=panel, code=f"NP-{n:04}", revision=1, state="complete")
        for n in range(1, n_raters + 1)
    )
    members = list(study.units.order_by("key").values_list("pk", "items"))
    people = study.participations.order_by("pk").values_list("pk", flat=True)
    now = timezone.now()
    wanted = ((person, n, *member) for person in people for n, member in enumerate(members, 1))
    questions = list(study.questions.order_by("position").values_list("pk", "kind"))
    done = 0
    for lot in _lots(islice(wanted, n_screens), 5000):
        screens = Assignment.objects.bulk_create(
            Assignment(
                participation_id=person,
                n=n,
                unit_id=unit,
                counted=True,
                submitted_at=now,
                timing={"active": 20.5, "visible": 30.0, "wall": 31.0, "clips": {}},
            )
            for person, n, unit, _ in lot
        )
        rows = [
            Rating(
                assignment=screen,
                question_id=question,
                item_id=item,
                subject=f"i{item}",
                value=None if kind == "text" else 1 + (n + question) % 5,
                text=TEXT.format(n) if kind == "text" else "",
            )
            for screen, (_, n, _, item) in zip(screens, lot, strict=True)
            for question, kind in questions
        ]
        Rating.objects.bulk_create(rows)
        done += len(rows)
    return done


def _lots(rows: Iterable, size: int) -> Iterator[list]:
    rows = iter(rows)
    while lot := list(islice(rows, size)):
        yield lot


# ---- what is measured


class Memory:
    """Resident memory of this process, in MB, at the rows at which it was looked at."""

    def __init__(self, total: int) -> None:
        self.total, self.seen, self._next = total, [resident()], total // 2

    def __call__(self, done: int | None = None) -> None:
        if done is not None and done >= self._next:
            self.seen.append(resident())
            self._next = self.total + 1

    def told(self) -> str:
        before, *middle = self.seen
        half = f"half way {middle[0]:.0f}, " if middle else ""
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        return f"memory before {before:.0f}, {half}at the end {resident():.0f}, peak {peak:.0f} MB"


def resident() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def _line(name: str, rows: int, since: tuple[float, float], path: Path, memory: Memory) -> str:
    size = path.stat().st_size / 2**20
    seconds, worked = (now - then for now, then in zip(_clocks(), since, strict=True))
    speed = f"{rows:>9,} rows in {seconds:6.1f} s ({worked:6.1f} s of processor"
    return f"{name:<9} {speed}, {rows / worked:>6,.0f} a second), {size:4.0f} MB; {memory.told()}"


def _clocks() -> tuple[float, float]:
    """Seconds on the wall, and seconds that this process had the processor."""
    return time.monotonic(), time.process_time()


def _streamed(ending: str) -> Callable[[argparse.Namespace], Iterator[str]]:
    def measure(arguments: argparse.Namespace) -> Iterator[str]:
        from scoring.exports.catalogue import export_file, table_of
        from scoring.exports.options import Options
        from scoring.exports.streaming import text_of
        from studies.models import Study

        study = Study.objects.get(slug=SLUG)
        rows = table_of(study, "ratings", Options()).count()
        path, memory = arguments.folder / f"out.{ending}", Memory(rows)
        started, lines = _clocks(), 0
        with path.open("wb") as file:
            for piece in text_of(study, export_file(f"ratings.{ending}"), Options()):
                file.write(piece)
                lines += piece.count(b"\n")
                memory(lines)
        yield _line(ending, rows, started, path, memory)

    return measure


def _by_worker(ending: str) -> Callable[[argparse.Namespace], Iterator[str]]:
    def measure(arguments: argparse.Namespace) -> Iterator[str]:
        from scoring.exports.catalogue import table_of
        from scoring.exports.options import Options
        from scoring.exports.writers.parquet import write_parquet
        from scoring.exports.writers.workbook import write_workbook
        from studies.models import Study

        table = table_of(Study.objects.get(slug=SLUG), "ratings", Options())
        rows = table.count()
        path, memory = arguments.folder / f"out.{ending}", Memory(rows)
        started = _clocks()
        if ending == "parquet":
            write_parquet(path, table, memory)
        else:
            write_workbook(path, [table], memory)
        yield _line(ending, rows, started, path, memory)

    return measure


def _the_usual_way(arguments: argparse.Namespace) -> Iterator[str]:
    """Objects with all that they point to, in a list; then one CSV in memory."""
    import csv
    import io

    from annotation.models import Rating

    memory = Memory(arguments.baseline_rows)
    started = _clocks()
    related = ("assignment__participation__panel", "assignment__unit", "item__system", "question")
    ratings = list(Rating.objects.select_related(*related)[: arguments.baseline_rows])
    text = io.StringIO()
    writer = csv.writer(text)
    for row in ratings:
        writer.writerow(_fields(row))
    path = arguments.folder / "usual.csv"
    path.write_text(text.getvalue())
    yield _line("baseline", len(ratings), started, path, memory)


def _fields(row) -> list[object]:
    screen, item = row.assignment, row.item
    person = screen.participation
    return [
        *(SLUG, person.revision, screen.unit.key, item.external_id, item.system.name, item.country),
        *(person.panel.country, item.category, item.prompt, person.code, row.question.key),
        *(row.question.label, row.subject, row.value, row.not_applicable, row.text, screen.n),
        *((screen.submitted_at - screen.served_at).total_seconds(), screen.timing.get("active")),
        *(screen.counted, screen.excluded, person.simulated, screen.served_at, screen.submitted_at),
    ]


MEASURED: dict[str, Callable[[argparse.Namespace], Iterator[str]]] = {
    "baseline": _the_usual_way,
    "csv": _streamed("csv"),
    "jsonl": _streamed("jsonl"),
    "parquet": _by_worker("parquet"),
    "xlsx": _by_worker("xlsx"),
}


if __name__ == "__main__":
    main()
