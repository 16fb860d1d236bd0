"""A large import while people rate: python benchmarks/import.py [--rows 100000] [--files 2000]

A site of its own in a scratch folder: SQLite, one web server with 32 threads, a live study, and
annotators who read a screen, answer it and send it, with half a second of thought. Beside them
``import_items`` brings new items into that very study, then the same table again, then with one
row in a hundred changed. Printed are the seconds and the peak memory of each import, and what the
annotators' requests took before it and meanwhile, with the slowest one.
"""

from __future__ import annotations

import argparse
import csv
import http.client
import io
import random
import resource
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from annotate import add_units
from annotators import answers, wait_for
from scratch import ROOT, scratch_site

THOUGHT = 0.5  # seconds between a screen and its answer
WARM_UP = 8.0  # seconds of rating before the import starts


@dataclass
class Annotator(threading.Thread):
    """One person with one connection: GET a screen, POST its answers, get the next one."""

    port: int
    token: str
    times: list[tuple[float, float]] = field(default_factory=list)
    stop: bool = False
    failed: str = ""
    cookie: str = ""

    def __post_init__(self) -> None:
        super().__init__(daemon=True)

    __hash__ = threading.Thread.__hash__

    def run(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            address, page = self._ask(connection, "GET", f"/a/{self.token}/now/")
            while not self.stop:
                time.sleep(THOUGHT * random.uniform(0.7, 1.3))
                fields, action = answers(page)
                if not fields:
                    raise RuntimeError(f"no question on {address}")
                address, page = self._ask(connection, "POST", action, fields)
        except (OSError, RuntimeError, http.client.HTTPException) as error:
            self.failed = f"{type(error).__name__}: {error}"

    def _ask(self, connection, method: str, address: str, answers: dict | None = None):
        """One request with its redirects; its time is noted."""
        from urllib.parse import urlencode

        body = urlencode(answers) if answers else None
        headers = {"Cookie": self.cookie, "Content-Type": "application/x-www-form-urlencoded"}
        if answers:
            headers["HX-Request"] = "true"
        start = time.monotonic()
        connection.request(method, address, body, headers)
        reply = connection.getresponse()
        page = reply.read().decode()
        self.times.append((start, time.monotonic() - start))
        for name, value in reply.getheaders():
            if name == "Set-Cookie" and value.startswith("csrftoken="):
                self.cookie = value.split(";")[0]
        if reply.status in (302, 303):
            return self._ask(connection, "GET", reply.getheader("Location"))
        if reply.status != 200:
            raise RuntimeError(f"{reply.status} for {method} {address}")
        return address, page


def build_site(n_units: int, people: int) -> list[str]:
    """A live study with units to rate; the tokens of people who may start."""
    from django.utils import timezone

    from accounts.models import User
    from annotation import entry
    from studies.design import current_design
    from studies.models import DesignRevision, Panel, Question, ScalePoint, Study

    owner = User.objects.create_superuser("ana", password="benchmark only")
    study = Study.objects.create(
        owner=owner,
        title="Benchmark",
        slug="benchmark",
        public_title="Pictures",
        consent_summary="You look at pictures.",
        instructions="Say how well each fits.",
        units_per_session=1000,
    )
    question = Question.objects.create(study=study, position=1, key="fit", text="Does it fit?")
    ScalePoint.objects.bulk_create(
        ScalePoint(question=question, value=n, label=f"Point {n}") for n in range(1, 6)
    )
    Panel.objects.create(
        study=study,
        country="NP",
        ratings_per_unit=1,
        screen_nationality=False,
        screen_residence=False,
    )
    add_units(study, n_units)
    study.state, study.revision, study.launched_at = Study.State.LIVE, 1, timezone.now()
    study.save()
    DesignRevision.objects.create(
        study=study, number=1, design=current_design(study).to_json(), created_by=owner
    )
    tokens = []
    for _ in range(people):
        person = entry.arrive(study=study)
        entry.record_consent(participation=person, agreed=True)
        entry.record_screening(
            participation=person, nationality="NP", residence="NP", first_language="en"
        )
        entry.start_rating(participation=person)
        tokens.append(person.token)
    return tokens


def _png(n: int) -> bytes:
    from PIL import Image

    image = Image.effect_noise((64, 48), 40 + n % 50).convert("RGB")
    image.putpixel((0, 0), (n % 256, n // 256 % 256, n // 65536))
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def write_input(folder: Path, rows: int, files: int) -> tuple[Path, Path, Path]:
    """Media, a table, and the same table with every hundredth row changed."""
    media = folder / "media"
    media.mkdir()
    for n in range(files):
        (media / f"{n}.png").write_bytes(_png(n))
    tables = []
    for name, changed in (("items.csv", False), ("corrected.csv", True)):
        with (folder / name).open("w", newline="") as out:
            writer = csv.writer(out)
            writer.writerow(
                ["item_id", "file", "prompt", "country", "category", "system", "replicate", "note"]
            )
            for n in range(rows):
                note = "corrected" if changed and n % 100 == 0 else "as made"
                prompt = f"Two people greet each other, scene {n // 8}"
                writer.writerow(
                    [f"new-{n}", f"{n % files}.png", prompt, "NP", "greeting", f"M{n % 8}", n, note]
                )
        tables.append(folder / name)
    return media, tables[0], tables[1]


def timed_import(table: Path, media: Path) -> tuple[float, float, float, str]:
    """Seconds, processor seconds, peak memory in MB, and what the command printed last."""
    before, worked = time.monotonic(), _processor_seconds()
    command = [sys.executable, "manage.py", "import_items", "benchmark", str(table)]
    process = subprocess.Popen(
        [*command, "--media", str(media)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    out, err = process.communicate()
    if process.returncode:
        raise SystemExit(f"The import failed:\n{err[-2000:]}")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    took, worked = time.monotonic() - before, _processor_seconds() - worked
    return took, worked, peak, out.strip().splitlines()[-1]


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def summary(times: list[float]) -> str:
    if not times:
        return "no request"
    ordered = sorted(times)
    middle, late = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.99)]
    return (
        f"{len(ordered):5d} requests · median {middle * 1000:5.0f} ms · "
        f"99 % below {late * 1000:5.0f} ms · slowest {ordered[-1] * 1000:5.0f} ms"
    )


def measure(arguments: argparse.Namespace, folder: Path) -> None:
    from config.serve import free_port, web_command

    tokens = build_site(arguments.units, arguments.people)
    media, table, corrected = write_input(folder, arguments.rows, arguments.files)
    port = free_port(8700)
    server = subprocess.Popen(web_command(port), cwd=ROOT, start_new_session=True)
    annotators = [Annotator(port, token) for token in tokens]
    try:
        wait_for(port)
        for annotator in annotators:
            annotator.start()
        time.sleep(WARM_UP)
        marks = [time.monotonic()]
        print(f"{arguments.rows:,} rows, {arguments.files:,} files, {len(annotators)} annotators")
        for name, file in (("new", table), ("again", table), ("corrected", corrected)):
            seconds, worked, peak, said = timed_import(file, media)
            marks.append(time.monotonic())
            speed = f"{seconds:6.1f} s · {worked:5.1f} s of processor"
            print(f"  {name:<10} {speed} · peak so far {peak:5.0f} MB · {said}", flush=True)
        for annotator in annotators:
            annotator.stop = True
        for annotator in annotators:
            annotator.join(timeout=130)
    finally:
        server.terminate()
        server.wait(timeout=20)
    failed = [annotator.failed for annotator in annotators if annotator.failed]
    every = [pair for annotator in annotators for pair in annotator.times]
    spans = [("before", 0.0, marks[0])]
    names = ("new", "again", "corrected")
    spans += list(zip(names, marks, marks[1:], strict=False))
    print("annotators' requests")
    for name, start, end in spans:
        took = [seconds for at, seconds in every if start <= at < end]
        print(f"  {name:<10} {summary(took)}")
    print(f"  failed: {len(failed)} {'; '.join(failed)[:300]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--files", type=int, default=2000, help="distinct files the rows name")
    parser.add_argument("--people", type=int, default=8)
    parser.add_argument("--units", type=int, default=6000, help="units to rate beforehand")
    arguments = parser.parse_args()
    with scratch_site("import") as folder:
        from django.core.management import call_command

        call_command("collectstatic", verbosity=0, interactive=False)
        measure(arguments, folder)


if __name__ == "__main__":
    main()
