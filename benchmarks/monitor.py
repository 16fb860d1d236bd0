"""What a look at the monitor costs: python benchmarks/monitor.py [--ratings 100000 1000000]

A study of two panels, half of whose ratings are there (three a unit, twelve screens a person, one
answer a screen), made in bulk; some people are at work. Measured in process through Django's test
client, each the median and the slowest of ``--looks``:

    poll      the live part as the page asks for it every ten seconds, with figures kept
    people    the first page of the table of people
    baseline  the same poll if it counted every figure itself, as it would without kept figures

SQLite in a scratch folder is the default; with DATABASE_URL it runs there.
"""

from __future__ import annotations

import argparse
import gzip
import sys
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from statistics import median

from scratch import scratch_site

SCREENS = 12  # of a person
K = 3
AT_WORK = 40


def copies(row, times: int, /, **changes: str) -> int:
    """Replace ``row`` by so many copies; ``changes``: field -> SQL over i from 0. The first key."""
    from django.db import connection

    fields = [field for field in row._meta.concrete_fields if not field.primary_key]
    quote = connection.ops.quote_name
    table, key = quote(row._meta.db_table), quote(row._meta.pk.column)
    names = ", ".join(quote(field.column) for field in fields)
    values = ", ".join(
        f"({changes[field.name]})" if field.name in changes else f"t.{quote(field.column)}"
        for field in fields
    )
    with connection.cursor() as cursor:
        cursor.execute(
            "WITH RECURSIVE n(i) AS "
            f"(SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {times - 1}) "
            f"INSERT INTO {table} ({names}) "
            f"SELECT {values} FROM n, {table} t WHERE t.{key} = {row.pk} ORDER BY i"
        )
        cursor.execute(f"DELETE FROM {table} WHERE {key} = {row.pk}")
        cursor.execute(f"SELECT MIN({key}) FROM {table} WHERE {key} > {row.pk}")
        return cursor.fetchone()[0]


def moment(start: datetime, seconds: str) -> str:
    """SQL for so many seconds after the start."""
    from django.db import connection

    text = f"{start:%Y-%m-%d %H:%M:%S}"
    if connection.vendor == "postgresql":
        return f"timestamptz '{text}+00' + ({seconds}) * interval '1 second'"
    day = f"julianday('{text}') + ({seconds}) / 86400.0"
    return f"strftime('%Y-%m-%d %H:%M:%f000', {day})"


def build(ratings: int):
    """A live study with so many counted ratings, of twice as many wanted."""
    from django.utils import timezone

    from accounts.models import User
    from studies.design import current_design
    from studies.models import DesignRevision, Panel, Question, ScalePoint, Study

    owner, _ = User.objects.get_or_create(username="ana", is_staff=True, is_superuser=True)
    study = Study.objects.create(
        owner=owner,
        title=f"{ratings} ratings",
        slug=f"n-{ratings}",
        state="live",
        revision=1,
        launched_at=timezone.now() - timedelta(days=20),
        pay_per_hour=9,
    )
    question = Question.objects.create(study=study, key="faithfulness", text="How faithful?")
    ScalePoint.objects.bulk_create(
        ScalePoint(question=question, value=n, label=str(n)) for n in range(1, 6)
    )
    DesignRevision.objects.create(study=study, number=1, design=current_design(study).to_json())
    for country in ("NP", "IR"):
        panel = Panel.objects.create(study=study, country=country, ratings_per_unit=K)
        fill(study, panel, question, ratings // 2 // 36 * 36)  # whole people, whole units
    study.refresh_from_db()
    return study


def fill(study, panel, question, ratings: int) -> None:
    """Rating r of a panel is of unit r mod a third of them, by person r / 12."""
    from annotation.models import Assignment, Participation, Rating
    from studies.models import Unit

    filled, people = ratings // K, ratings // SCREENS
    country, start = panel.country, study.launched_at
    last = (20 * 86_400 - 60) / max(1, people)  # seconds from one person to the next
    unit = copies(
        Unit.objects.create(study=study, key="x", country=country),
        2 * filled,
        key=f"'{country}-' || i",
    )
    person = copies(
        Participation.objects.create(
            study=study, panel=panel, revision=1, n_units=SCREENS, state="complete"
        ),
        people,
        token=f"'{study.pk}-{country}-' || i",
        code=f"'{country}-' || i",
        state=f"CASE WHEN i >= {people - AT_WORK} THEN 'rating' ELSE 'complete' END",
        arrived_at=moment(start, f"i * {last} - 900"),
        consented_at=moment(start, f"i * {last} - 840"),
        instructed_at=moment(start, f"i * {last} - 780"),
        finished_at=moment(start, f"i * {last}"),
        last_seen_at=moment(start, f"i * {last}"),
    )
    holder = f"{person} + i / {SCREENS}"
    screen = copies(
        Assignment.objects.create(participation_id=person, unit_id=unit + filled, n=0, key="x"),
        ratings,
        participation=holder,
        unit=f"{unit} + i % {filled}",
        n=f"1 + i % {SCREENS}",
        key=f"'{study.pk}-{country}-' || i",
        submitted_at=moment(start, f"(i / {SCREENS}) * {last}"),
        timing="'{\"active\": 30.5}'",
        counted="1 = 1",
    )
    fill_places(panel, unit, filled, ratings, holder)
    copies(
        Rating.objects.create(assignment_id=screen, question=question, value=1, subject="x"),
        ratings,
        assignment=f"{screen} + i",
        value=f"1 + (i * 7 + i / {filled}) % 5",
        subject="''",
    )


def fill_places(panel, unit: int, filled: int, ratings: int, holder: str) -> None:
    """Done ones of the first units, open ones of as many more."""
    from annotation.models import Place, Pool

    place = Place(panel=panel, unit_id=unit, number=99, rank=0)
    place.save()
    done = {"unit": f"{unit} + i % {filled}", "number": f"1 + i / {filled}", "rank": "i"}
    copies(place, ratings, state="'done'", holder=holder, **done)
    place = Place(panel=panel, unit_id=unit, number=99, rank=0)
    place.save()
    copies(place, filled * K, **done | {"unit": f"{unit + filled} + i % {filled}"})
    Pool.objects.create(panel=panel, k=K, n_units=2 * filled)


def timed(look: Callable[[], object], looks: int) -> str:
    times = []
    for _ in range(looks):
        start = time.perf_counter()
        look()
        times.append(1000 * (time.perf_counter() - start))
    return f"median {median(times):7.1f} ms, slowest {max(times):7.1f} ms"


def measure(study, looks: int) -> None:
    from django.test import Client

    from annotation.models import MonitorFigures
    from annotation.monitor import keeping
    from annotation.monitor.counts import collection

    client = Client()
    client.force_login(study.owner)

    def ask(page: str):
        answer = client.get(f"/studies/{study.slug}/{page}")
        if answer.status_code != 200:
            raise SystemExit(f"{page} answered {answer.status_code}")
        return answer

    def count_all():
        MonitorFigures.objects.filter(study=study).update(mark="")
        keeping.count_for_page(study_id=study.pk)
        ask("monitor/live/")

    print("baseline", timed(count_all, 2))
    # From here the figures are kept: their mark is that of the answers there are.
    page = ask("monitor/live/")
    print("poll    ", timed(lambda: ask("monitor/live/"), looks))
    print("counts  ", timed(lambda: collection(study), looks))
    print("people  ", timed(lambda: ask("people/"), looks))
    print(f"          {len(gzip.compress(page.content)) / 1024:.1f} KB gzip")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ratings", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--looks", type=int, default=9)
    arguments = parser.parse_args()
    with scratch_site("monitor", settings="tests.settings"):
        from django.db import connection

        for ratings in arguments.ratings:
            start = time.perf_counter()
            study = build(ratings)
            with connection.cursor() as cursor:
                cursor.execute("ANALYZE")
            print(f"\n{ratings:,} ratings (made in {time.perf_counter() - start:.0f} s)")
            measure(study, arguments.looks)
    return 0


if __name__ == "__main__":
    sys.exit(main())
