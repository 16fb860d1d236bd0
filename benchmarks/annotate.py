"""Annotations a second through the whole flow: python benchmarks/annotate.py [--people 32]

A site of its own in a scratch folder with the product's web server (``--workers``, ``--threads``),
a live study with an attention check, order rules, repeats and leases, and annotators on raw sockets
who answer each screen as soon as they have it (``--think`` seconds later). An annotation is one
POST with every answer of a screen; its reply is the next screen. Afterwards the database is held
to what was acknowledged: no unit above k, nobody twice on a unit but for repeats, as many answers
as screens sent, and no acknowledged screen that is not there.

SQLite is the default; with DATABASE_URL it runs there (``.ci/with-postgresql`` starts a server,
without fsync: give ``--note`` what you measured on). Client and server share the machine. The
processor time of the server is printed besides, because other work does not change it as much. A
STATIC_ROOT with collected files saves collecting them.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
LABELS = ["Not at all", "A little", "Partly", "Mostly", "Fully"]


@dataclass
class Tally:
    """What the annotators saw: seconds of each POST, and how many screens were acknowledged."""

    times: list[float] = field(default_factory=list)
    counting: bool = False
    drafts: int = 0
    acknowledged: int = 0
    failures: list[str] = field(default_factory=list)


class Browser:
    """One connection that keeps the cookie: just enough HTTP/1.1 for this server."""

    def __init__(self, port: int):
        self.port, self.cookie = port, ""
        self.reader: asyncio.StreamReader
        self.writer: asyncio.StreamWriter | None = None

    async def ask(self, method: str, address: str, fields: dict | None = None):
        """Status, headers and body as text; opens the connection anew where it was closed."""
        body = urlencode(fields).encode() if fields is not None else b""
        head = f"{method} {address} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
        if self.cookie:
            head += f"Cookie: {self.cookie}\r\n"
        if fields is not None:
            head += "HX-Request: true\r\nContent-Type: application/x-www-form-urlencoded\r\n"
            head += f"Content-Length: {len(body)}\r\n"
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        self.writer.write(f"{head}\r\n".encode() + body)
        try:
            raw = await self.reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            self.writer.close()
            self.writer = None
            return await self.ask(method, address, fields)
        return await self._reply(raw.decode("latin-1"))

    async def _reply(self, raw: str):
        first, *lines = raw.split("\r\n")
        headers = {}
        for line in lines:
            name, _, value = line.partition(": ")
            headers[name.lower()] = value
            value = value.strip()
            if value.startswith("csrftoken="):
                self.cookie = value.split(";")[0]
        text = await self.reader.readexactly(int(headers.get("content-length", 0)))
        if headers.get("connection", "") == "close" and self.writer is not None:
            self.writer.close()
            self.writer = None
        return int(first.split(" ")[1]), headers, text.decode()


async def rate(port: int, token: str, tally: Tally, until: float, think: float, drafts: bool):
    """One person: read a screen, think, perhaps save a draft, send, and so on to the code."""
    browser = Browser(port)
    address, page = f"/a/{token}/now/", ""
    while not page:
        status, headers, page = await browser.ask("GET", address)
        if status in (301, 302):
            address, page = headers["location"], ""
    if think:
        await asyncio.sleep(random.uniform(0, think))
    while time.monotonic() < until:
        fields, address = answers(page)
        if not fields:
            return
        if think:
            await asyncio.sleep(think * random.uniform(0.7, 1.3))
        if drafts:
            await browser.ask("POST", f"{address}draft/", fields | {"counter": "1"})
            tally.drafts += 1
        start = time.monotonic()
        status, headers, page = await browser.ask("POST", address, fields)
        if status != 200:
            tally.failures.append(f"{status} {address}")
            return
        tally.acknowledged += 1
        if tally.counting:
            tally.times.append(time.monotonic() - start)


_HIDDEN = re.compile(r'type="hidden" name="([^"]+)" value="([^"]*)"')
_RADIO = re.compile(r'type="radio" name="([^"]+)" value="([^"]+)"')
_ACTION = re.compile(r'id="answers" method="post" action="([^"]+)"')


def answers(page: str) -> tuple[dict[str, str], str]:
    """Every scale answered (a line with a number to choose too), and where to send it."""
    action = _ACTION.search(page)
    if action is None:
        return {}, ""
    form = page[action.start() : page.index("</form>", action.start())]
    scales: dict[str, list[str]] = {}
    for name, value in _RADIO.findall(form):
        scales.setdefault(name, []).append(value)
    chosen = {name: random.choice(values) for name, values in scales.items()}
    return {**dict(_HIDDEN.findall(form)), **chosen}, action[1]


# ---- the site


def build(arguments: argparse.Namespace) -> list[str]:
    """A live study; the tokens of people who may start."""
    from accounts.models import User
    from annotation import entry
    from studies.lifecycle import launch_study
    from studies.models import AttentionCheck, Panel, Question, ScalePoint, Study

    owner = User.objects.create_superuser("ana", password="benchmark only")
    study = Study.objects.create(
        owner=owner,
        title="Benchmark",
        slug="benchmark",
        public_title="Pictures",
        consent_summary="You look at pictures.",
        instructions="Say how well each fits.",
        contact="ana@example.org",
        units_per_session=arguments.session,
        repeats=arguments.repeats,
    )
    for position, key in enumerate(("faithfulness", "hallucination", "exaggeration"), 1):
        text = f"How much {key} has this {{activity}} in {{country}}?"
        question = Question.objects.create(
            study=study, position=position, key=key, text=text, reported_as=key
        )
        ScalePoint.objects.bulk_create(
            ScalePoint(question=question, value=n, label=label) for n, label in enumerate(LABELS, 1)
        )
    AttentionCheck.objects.create(
        study=study, text="For this line choose 2.", scale_of=question, expected=2
    )
    Panel.objects.create(study=study, country="NP", ratings_per_unit=arguments.k)
    add_units(study, arguments.units)
    launch_study(study=study, by=owner)
    study.refresh_from_db()
    tokens = []
    for n in range(arguments.people):
        person = entry.arrive(study=study)
        entry.record_consent(participation=person, agreed=True)
        start = time.monotonic()
        entry.record_screening(
            participation=person, nationality="NP", residence="NP", first_language="en"
        )
        entry.start_rating(participation=person)
        if n == 0:
            places = arguments.units * arguments.k
            print(f"first arrival, {places:,} places made: {time.monotonic() - start:.2f} s")
        tokens.append(person.token)
    return tokens


def add_units(study, n: int) -> None:
    """Seven systems for each prompt; all items share one file."""
    from django.core.files.base import ContentFile
    from PIL import Image

    from studies.models import Item, System, Unit, UnitItem

    systems = [System.objects.create(study=study, name=f"M{i}", position=i) for i in range(7)]
    picture = io.BytesIO()
    Image.new("RGB", (64, 48), "grey").save(picture, "PNG")
    first = Item(study=study, external_id="first", country="NP", content_type="image/png")
    first.media.save("x.png", ContentFile(picture.getvalue()), save=False)
    Item.objects.bulk_create(
        (
            Item(
                study=study,
                external_id=f"item-{i}",
                country="NP",
                system=systems[i % 7],
                prompt=f"A wedding, scene {i // 7}",
                category="wedding",
                media=first.media.name,
                content_type="image/png",
                sha256=f"{i:064x}",
                width=64,
                height=48,
            )
            for i in range(n)
        ),
        batch_size=1000,
    )
    names = study.items.values_list("external_id", flat=True)
    units = (Unit(study=study, key=key, country="NP") for key in names)
    Unit.objects.bulk_create(units, batch_size=1000)
    pks = dict(study.units.values_list("key", "pk"))
    members = study.items.values_list("external_id", "pk")
    UnitItem.objects.bulk_create(
        (UnitItem(unit_id=pks[key], item_id=pk) for key, pk in members), batch_size=1000
    )


def server(arguments: argparse.Namespace, port: int) -> subprocess.Popen:
    from config.serve import web_command

    command = web_command(port)
    command[command.index("--workers") + 1] = str(arguments.workers)
    command[command.index("--threads") + 1] = str(arguments.threads)
    return subprocess.Popen(command, cwd=ROOT, start_new_session=True)


def processor_seconds(process: subprocess.Popen) -> float:
    """Of the server and its workers."""
    tick, used = os.sysconf("SC_CLK_TCK"), 0.0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if process.pid in (int(folder.name), int(fields[1])):
            used += (int(fields[11]) + int(fields[12])) / tick
    return used


async def measure(
    arguments: argparse.Namespace, port: int, tokens: list[str], process: subprocess.Popen
) -> tuple[Tally, float, float]:
    """What was seen, in how many seconds, and the server's processor time; without the warm-up."""
    tally = Tally()
    until = time.monotonic() + arguments.warm_up + arguments.seconds
    people = [
        asyncio.create_task(rate(port, token, tally, until, arguments.think, arguments.drafts))
        for token in tokens
    ]
    await asyncio.sleep(arguments.warm_up)
    start, before = time.monotonic(), processor_seconds(process)
    tally.counting, tally.drafts = True, 0
    await asyncio.sleep(max(until - time.monotonic(), 0))
    seconds, used = time.monotonic() - start, processor_seconds(process) - before
    tally.counting = False
    await asyncio.gather(*people)
    return tally, seconds, used


def verify(tally: Tally, arguments: argparse.Namespace) -> list[str]:
    """What is wrong in the database; empty where all is as it should be."""
    from django.db.models import Count, F, Q

    from annotation.models import Assignment, Place, Rating

    sent = Assignment.objects.filter(submitted_at__isnull=False)
    fresh = sent.filter(repeat_of=None)
    per_unit = fresh.filter(counted=True).values("unit").annotate(n=Count("pk"))
    per_person = fresh.values("unit", "participation").annotate(n=Count("pk"))
    done = Place.objects.filter(state="done")
    wrong = [
        (per_unit.filter(n__gt=arguments.k).count(), "units above k"),
        (per_person.filter(n__gt=1).count(), "people twice on a unit"),
        (sent.exclude(repeat_of=None).filter(counted=True).count(), "repeats that count"),
        (
            sent.exclude(repeat_of=None).filter(n__lte=F("repeat_of__n") + 5).count(),
            "repeats that come too early",
        ),
        (done.count() - fresh.filter(counted=True).count(), "done places without an answer"),
        (Rating.objects.count() - 3 * sent.count(), "answers too many or too few"),
        (max(tally.acknowledged - sent.count(), 0), "acknowledged screens that are lost"),
        (
            sent.annotate(n_ratings=Count("ratings")).filter(~Q(n_ratings=3)).count(),
            "screens with answers missing",
        ),
    ]
    return [f"{n} {what}" for n, what in wrong if n]


def report(tally: Tally, seconds: float, processor: float) -> None:
    ordered = sorted(tally.times)
    if not ordered:
        print("nothing was sent", tally.failures[:3])
        return
    p50, p99 = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.99)]
    print(
        f"{len(ordered)} annotations in {seconds:.1f} s: {len(ordered) / seconds:.0f}/s · "
        f"p50 {1000 * p50:.0f} ms · p99 {1000 * p99:.0f} ms · slowest {1000 * ordered[-1]:.0f} ms"
    )
    print(
        f"server's processor time: {1000 * processor / len(ordered):.2f} ms an annotation"
        + (f" and its draft ({tally.drafts} drafts)" if tally.drafts else "")
    )
    print(f"failed: {len(tally.failures)} {tally.failures[:3]}")


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=32)
    parser.add_argument(
        "--think", type=float, default=0.0, help="seconds between screen and answer"
    )
    parser.add_argument("--seconds", type=float, default=15.0)
    parser.add_argument("--warm-up", type=float, default=5.0)
    parser.add_argument("--units", type=int, default=2000)
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--session", type=int, default=1000, help="units a session")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--drafts", action="store_true", help="a draft before each answer")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--threads", type=int, default=32)
    parser.add_argument("--note", default="")
    return parser.parse_args()


def main() -> int:
    arguments = read_arguments()
    folder = Path(tempfile.mkdtemp(prefix="concord-annotate-"))
    os.environ["VAR_DIR"] = str(folder / "var")
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    os.environ.setdefault("LOG_LEVEL", "ERROR")
    import django
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connection

    django.setup()
    from config.serve import free_port

    try:
        call_command("migrate", verbosity=0)
        if not Path(settings.STATIC_ROOT, "staticfiles.json").exists():
            call_command("collectstatic", verbosity=0, interactive=False)
        print(
            f"{connection.vendor}, {arguments.workers} × {arguments.threads} threads, "
            f"{arguments.people} people, {arguments.think:g} s of thought. {arguments.note}"
        )
        tokens = build(arguments)
        connection.close()
        port = free_port(8750)
        process = server(arguments, port)
        try:
            wait_for(port)
            tally, seconds, used = asyncio.run(measure(arguments, port, tokens, process))
        finally:
            process.terminate()
            process.wait(timeout=30)
        report(tally, seconds, used)
        wrong = verify(tally, arguments)
        print(f"database: {'; '.join(wrong) if wrong else 'as acknowledged, nothing above k'}")
        return 1 if wrong or tally.failures else 0
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def wait_for(port: int) -> None:
    import socket

    for _ in range(300):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise SystemExit("The web server did not start.")


if __name__ == "__main__":
    sys.exit(main())
