"""Annotations a second through the whole flow: python benchmarks/annotate.py [--people 32]

A site of its own in a scratch folder with the product's web server (``--workers``, ``--threads``),
a live study with an attention check, order rules, repeats and leases, and annotators on raw sockets
who answer each screen as soon as they have it (``--think`` seconds later). An annotation is one
POST with every answer of a screen; its reply is the next screen. Afterwards the database is held
to what was acknowledged: no unit above k, nobody twice on a unit but for repeats, as many answers
as screens sent, and no acknowledged screen that is not there. Then the same people annotate on
plain Django (benchmarks/plain_django.py) on the same server, and the ratio of the rates is printed.

SQLite is the default; with DATABASE_URL it runs there (``.ci/with-postgresql`` starts a server,
without fsync: give ``--note`` what you measured on). Client and server share the machine. The
processor time of the server is printed besides, because other work does not change it as much. A
STATIC_ROOT with collected files saves collecting them.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import os
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

from annotators import Seen, Tally, measure, wait_for
from scratch import ROOT, scratch_site

LABELS = ["Not at all", "A little", "Partly", "Mostly", "Fully"]


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


def server_command(arguments: argparse.Namespace, port: int) -> list[str]:
    """The product's web server, with the workers and threads that are asked for."""
    from config.serve import web_command

    command = web_command(port)
    for option in ("workers", "threads"):
        wanted = getattr(arguments, option, None)
        if wanted is not None:
            command[command.index(f"--{option}") + 1] = str(wanted)
    return command


def server(arguments: argparse.Namespace, port: int) -> subprocess.Popen:
    return subprocess.Popen(server_command(arguments, port), cwd=ROOT, start_new_session=True)


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


def report(seen: Seen) -> float:
    """Print what was seen; annotations a second."""
    ordered = sorted(seen.tally.times)
    if not ordered:
        print("nothing was sent", seen.tally.failures[:3])
        return 0.0
    p50, p99 = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.99)]
    rate = len(ordered) / seen.seconds
    print(
        f"{len(ordered)} annotations in {seen.seconds:.1f} s: {rate:.0f}/s · "
        f"p50 {1000 * p50:.0f} ms · p99 {1000 * p99:.0f} ms · slowest {1000 * ordered[-1]:.0f} ms"
    )
    drafts = f" and its draft ({seen.tally.drafts} drafts)" if seen.tally.drafts else ""
    print(
        f"processor time of an annotation{drafts}: server {1000 * seen.server / len(ordered):.2f} "
        f"ms, client {1000 * seen.client / len(ordered):.2f} ms; "
        f"a reply has {seen.tally.reply_bytes} bytes"
    )
    print(f"failed: {len(seen.tally.failures)} {seen.tally.failures[:3]}")
    return rate


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
    parser.add_argument("--workers", type=int, help="else as `python -m config.serve` has it")
    parser.add_argument("--threads", type=int, help="the same")
    parser.add_argument("--baseline", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--note", default="")
    return parser.parse_args()


def main() -> int:
    arguments = read_arguments()
    with scratch_site("annotate") as folder:
        from django.conf import settings
        from django.core.management import call_command

        if not Path(settings.STATIC_ROOT, "staticfiles.json").exists():
            call_command("collectstatic", verbosity=0, interactive=False)
        seen, wrong = concord(arguments)
        rate = report(seen)
        print(f"database: {'; '.join(wrong) if wrong else 'as acknowledged, nothing above k'}")
        if arguments.baseline:
            plain = report(plain_django(arguments, folder, seen.tally.reply_bytes))
            if plain:
                print(f"Concord : plain Django = {rate / plain:.2f}")
        return 1 if wrong or seen.tally.failures else 0


def concord(arguments: argparse.Namespace) -> tuple[Seen, list[str]]:
    """What annotators saw of the product, and what is wrong in its database afterwards."""
    from django.db import connection

    command = server_command(arguments, 0)
    workers, threads = (command[command.index(f"--{name}") + 1] for name in ("workers", "threads"))
    print(
        f"Concord, {connection.vendor}, {workers} × {threads} threads, {arguments.people} people, "
        f"{arguments.think:g} s of thought. {arguments.note}"
    )
    tokens = build(arguments)
    connection.close()
    seen = observe(arguments, tokens, command_at=partial(server_command, arguments), cwd=ROOT)
    return seen, verify(seen.tally, arguments)


def plain_django(arguments: argparse.Namespace, folder: Path, reply_bytes: int) -> Seen:
    """What annotators saw of plain Django, in a database of its own (PostgreSQL: in tables)."""
    url = os.environ.get("DATABASE_URL") or f"sqlite:///{folder / 'plain.sqlite3'}"
    os.environ["DATABASE_URL"] = url
    numbers = (arguments.people, arguments.units, arguments.k, reply_bytes)
    script = f"import json, plain_django as p; print(json.dumps(p.build{numbers}))"
    cwd = ROOT / "benchmarks"
    made = subprocess.run(
        [sys.executable, "-c", script], cwd=cwd, check=True, stdout=subprocess.PIPE
    )
    print("plain Django, on the same server:")

    def command_at(port: int) -> list[str]:
        command = server_command(arguments, port)
        command[command.index("config.wsgi:application")] = "plain_django:application"
        return command

    return observe(arguments, json.loads(made.stdout), command_at=command_at, cwd=cwd)


def observe(arguments: argparse.Namespace, tokens: list[str], *, command_at, cwd: Path) -> Seen:
    """Start the server, let everybody annotate, stop it."""
    from config.serve import free_port

    port = free_port(8750)
    process = subprocess.Popen(command_at(port), cwd=cwd, start_new_session=True)
    try:
        wait_for(port)
        return asyncio.run(measure(arguments, port, tokens, process))
    finally:
        process.terminate()
        process.wait(timeout=30)


if __name__ == "__main__":
    sys.exit(main())
